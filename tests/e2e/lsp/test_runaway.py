"""A nest whose analysis does not end: the rest of the file has its report, the nest says why it has none."""

import asyncio

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

LIMIT_S = 2.5


def function(name: str, array: str) -> str:
    return f"void {name}(int n, float *{array}) {{\n  for (int i = 0; i < n; i++)\n    {array}[i] = 1;\n}}\n"


def skipped(diagnostics: list[types.Diagnostic]) -> list[int]:
    return [d.range.start.line for d in diagnostics if "did not end" in d.message]


@pytest.mark.asyncio
async def test_the_rest_of_the_file_has_its_report_and_the_loop_its_reason(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": LIMIT_S}, worker="runaway_child.py")
    uri = editor.open("f.c", function("first", "x") + function("stuck", "forever") + function("last", "x"))
    (reason,) = [d for d in await editor.diagnostics(uri) if d.code == "not-analysed"]
    assert "analysisTimeLimitSeconds" in reason.message
    assert reason.range.start == types.Position(5, 2)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1, 9]


@pytest.mark.asyncio
async def test_the_nest_is_tried_again_when_its_function_is_edited_and_only_then(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": LIMIT_S}, worker="runaway_child.py")
    uri = editor.open("f.c", function("first", "x") + function("stuck", "forever"))
    assert skipped(await editor.diagnostics(uri)) == [5]
    process = (await editor.ask("warplens/status"))["analysisProcessId"]
    editor.edit(uri, "void stuck", "\nvoid stuck")
    assert skipped(await editor.saved(uri)) == [6]
    assert (await editor.ask("warplens/status"))["analysisProcessId"] == process
    editor.edit(uri, "float *forever", "float *brief")
    editor.edit(uri, "forever[i]", "brief[i]")
    assert skipped(await editor.saved(uri)) == []
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1, 6]


@pytest.mark.asyncio
async def test_attempts_are_bounded(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": LIMIT_S}, worker="runaway_child.py")
    uri = editor.open("f.c", "".join(function(name, "forever") for name in ("a", "b", "c", "d")))
    (ended,) = await editor.diagnostics(uri)
    assert ended.code == "analysis-ended"
    assert "`c`" in ended.message


@pytest.mark.asyncio
async def test_a_fix_that_does_not_end_holds_nothing_up_and_is_ended(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": LIMIT_S}, worker="runaway_child.py")
    uri = editor.open("f.c", function("first", "x") + function("stuck", "endless"))
    await editor.diagnostics(uri)
    at = types.Range(types.Position(5, 3), types.Position(5, 3))
    (action,) = [a for a in await editor.actions_in(uri, at) if a.data.get("code") == "openmp"]
    chosen = asyncio.ensure_future(editor.client.code_action_resolve_async(action))
    assert await editor.hover(uri, "for") is not None
    assert not chosen.done()
    with pytest.raises(JsonRpcException, match=r"writing the fix was ended after 2.5 s: .*analysisTimeLimitSeconds"):
        await chosen
    at = types.Range(types.Position(1, 3), types.Position(1, 3))
    (action,) = [a for a in await editor.actions_in(uri, at) if a.data.get("code") == "openmp"]
    await editor.apply(uri, action)
    assert "#pragma omp" in editor.texts[uri]


@pytest.mark.asyncio
async def test_a_fix_of_a_text_that_is_edited_while_it_is_written_is_refused(start) -> None:
    editor = await start(worker="runaway_child.py")
    uri = editor.open("f.c", function("first", "late"))
    await editor.diagnostics(uri)
    (action,) = [a for a in await editor.actions_in(uri, types.Range(types.Position(1, 3), types.Position(1, 3)))
                 if a.data.get("code") == "openmp"]  # fmt: skip
    chosen = asyncio.ensure_future(editor.client.code_action_resolve_async(action))
    assert await editor.hover(uri, "for") is not None  # the server has begun
    editor.edit(uri, "void first", "int y;\nvoid first")
    with pytest.raises(JsonRpcException, match="changed since this was offered"):
        await chosen
