"""What is around the server may be full, read-only, oddly named or killed: the answers are the same."""

import asyncio
import os
import re
import signal
from pathlib import Path

import pytest
from lsprotocol import types

HEADER = "#define SCALE 3.0f\n"
LOOP = """#include "scale.h"
void f(int n, float *restrict x, const float *restrict y) {
  for (int i = 0; i < n; i++)
    x[i] = SCALE * y[i];
}
"""
FUNCTION = """void f{0}(int n, int m, double *restrict a, const double *restrict b) {{
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      a[i * m + j] = {0}.5 * b[(i - 1) * m + j] + b[i * m + j - 1] * b[i * m + j + 1];
}}
"""
MANY = "".join(FUNCTION.format(number) for number in range(12))
MORE = "".join(FUNCTION.format(number) for number in range(80))
"""What no analysis is done with before somebody kills it."""


def in_words(diagnostics: list[types.Diagnostic]) -> list[tuple[int, str]]:
    return [(each.range.start.line, each.message) for each in diagnostics]


@pytest.mark.asyncio
@pytest.mark.parametrize("surroundings", ["full disk", "home and cache that are no folders"])
async def test_nothing_needs_the_disk(start, tmp_path: Path, surroundings: str) -> None:
    (tmp_path / "scale.h").write_text(HEADER)
    usual = await start()
    uri = usual.open("f.c", LOOP)
    expected = in_words(await usual.diagnostics(uri))
    await usual.settled()
    hover = await usual.hover(uri, "for (")
    if surroundings == "full disk":
        editor = await start(is_disk_full=True)
    else:
        editor = await start(environment={"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/cache"})
    shown = in_words(await editor.diagnostics(editor.open("f.c", LOOP)))
    if surroundings == "full disk":  # the compiler's output has no room: said once, and our own preprocessor is used
        (note,) = (message for line, message in shown if line == 0)
        assert "no temporary file can be written" in note
        shown = [each for each in shown if each[0]]
    assert shown == expected
    await editor.settled()
    assert await editor.hover(uri, "for (") == hover


@pytest.mark.asyncio
@pytest.mark.parametrize("name", ["größer 字-😀 100% #1 & 'so'", "a\\b;c [x] {y}"])
async def test_a_folder_may_have_any_name(start, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    (folder / "include").mkdir(parents=True)
    (folder / "include" / "scale.h").write_text(HEADER)
    (folder / ".warplens.toml").write_text('gpu = "k20"\ninclude_paths = ["include"]\n[sizes]\nn = 12345\n')
    editor = await start(folder=folder)
    uri = editor.open("wärme 1.c", LOOP)
    assert not [each for each in await editor.diagnostics(uri) if each.code == "input"]
    hover = await editor.hover(uri, "for (")
    assert "K20" in hover
    assert "12 345" in hover
    actions = await editor.actions(uri, "for (")
    (cuda,) = [action for action in actions if "CUDA" in action.title]
    await editor.apply(uri, cuda)
    assert "__global__" in (folder / "wärme 1_f.cu").read_text()


@pytest.mark.asyncio
async def test_an_analysis_process_killed_at_work_is_replaced_and_answers_the_same(start) -> None:
    usual = await start()
    expected = in_words(await usual.diagnostics(usual.open("f.c", MANY)))
    editor = await start()
    worker = await ready_worker(editor)
    uri = editor.open("f.c", MANY)
    await editor.ask("warplens/status")  # the document has arrived
    os.kill(worker, signal.SIGKILL)
    assert in_words(await editor.diagnostics(uri)) == expected
    assert (await editor.ask("warplens/status"))["analysisProcessId"] not in {None, worker}


@pytest.mark.asyncio
async def test_a_file_that_kills_the_process_twice_is_given_up_and_the_next_is_analysed(start) -> None:
    editor = await start()
    worker = await ready_worker(editor)
    uri = editor.open("f.c", MORE)
    await editor.ask("warplens/status")
    os.kill(worker, signal.SIGKILL)
    os.kill(await ready_worker(editor, worker), signal.SIGKILL)
    (ended,) = await editor.diagnostics(uri)
    assert ended.code == "analysis-ended"
    assert re.search("died twice|could not be started", ended.message)  # it may still have been starting
    assert await editor.diagnostics(editor.open("g.c", MANY))
    assert await editor.saved(uri)
    assert await editor.lenses(uri)


async def ready_worker(editor, before: int | None = None) -> int:
    """The analysis process as soon as there is one, and another than `before`."""
    async with asyncio.timeout(60):
        while True:
            worker = (await editor.ask("warplens/status"))["analysisProcessId"]
            if worker not in {None, before}:
                return int(worker)
            await asyncio.sleep(0.01)
