"""Progress of long work, and the user who does not want to wait."""

import asyncio

import pytest
from lsprotocol import types

NESTS = 400


def many_nests() -> str:
    loops = (
        f"void f{k}(int n, float *a) {{\n  for (int i = 0; i < n; i++)\n    a[i] = a[i] * {k}.5f + {k};\n}}\n"
        for k in range(NESTS)
    )
    return "".join(loops)


@pytest.mark.asyncio
async def test_long_work_shows_progress_that_ends(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": 300})
    uri = editor.open("many.c", many_nests())
    await editor.diagnostics(uri)
    await editor.ask("warplens/status")
    (reports,) = editor.client.progress_reports.values()
    begin, end = reports[0], reports[-1]
    assert isinstance(begin, types.WorkDoneProgressBegin)
    assert begin.cancellable
    assert "many.c" in begin.title
    assert isinstance(end, types.WorkDoneProgressEnd)
    assert len(await editor.lenses(uri)) == NESTS


@pytest.mark.asyncio
async def test_cancelling_the_progress_ends_the_analysis(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": 300})
    uri = editor.open("many.c", many_nests())
    async with asyncio.timeout(60):
        while not editor.client.progress_reports:  # noqa: ASYNC110 - the client has no event for it
            await asyncio.sleep(0.01)
    (token,) = editor.client.progress_reports
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    (note,) = await editor.diagnostics(uri)
    assert "cancelled" in note.message
    good = editor.open("good.c", many_nests()[:100].partition("}")[0] + "}\n")
    await editor.diagnostics(good)
    assert len(await editor.lenses(good)) == 1
