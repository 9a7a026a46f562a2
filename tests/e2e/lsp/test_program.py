"""A file is analysed as part of its program: at once alone, then with what other files say, and after their saves."""

import asyncio
import os
import signal
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

GRID = """#include "grid.h"
void relax(double *a, int n, double w)
{
    for (int i = 0; i < n; i++)
        a[i] = w * a[i] * a[i];
}
"""
HEADER = """#define SIZE 40960
void relax(double *a, int n, double w);
void run(double *a);
"""
RUN = """#include "grid.h"
void run(double *a)
{
    relax(a, SIZE, 0.5);
}
"""
MAIN = """#include <stdlib.h>
#include "grid.h"
int main(void)
{
    run(malloc(SIZE * sizeof(double)));
    return 0;
}
"""
PROGRAM = {"grid.c": GRID, "grid.h": HEADER, "run.c": RUN, "main.c": MAIN}


def written(folder: Path, files: dict[str, str] = PROGRAM) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


async def until(asked: Callable[[], Awaitable[Any]]) -> Any:
    """What is answered, once that is anything."""
    async with asyncio.timeout(60):
        while not (found := await asked()):  # noqa: ASYNC110 - another process makes it so
            await asyncio.sleep(0.05)
    return found


async def size_of(editor: Any, uri: str, expected: str) -> str:
    """The hover of the loop, once it is for that size."""

    async def hover() -> str | None:
        text = await editor.hover(uri, "for (")
        return text if text and expected in text else None

    return str(await until(hover))


def changed(editor: Any, name: str, kind: types.FileChangeType) -> None:
    event = types.FileEvent(editor.uri(name), kind)
    editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([event]))


def written_by_others(editor: Any, name: str, text: str) -> None:
    is_new = not (editor.folder / name).exists()
    (editor.folder / name).write_text(text)
    changed(editor, name, types.FileChangeType.Created if is_new else types.FileChangeType.Changed)


@pytest.mark.asyncio
async def test_the_size_that_a_caller_passes_follows_its_file(start: Any, tmp_path: Path) -> None:
    editor = await start(folder=written(tmp_path))
    uri = editor.open("grid.c", GRID)
    await editor.diagnostics(uri)
    hover = await size_of(editor, uri, "40 960")
    assert "(run.c:4)" in hover
    written_by_others(editor, "run.c", "\n\n" + RUN)
    await size_of(editor, uri, "(run.c:6)")
    written_by_others(editor, "run.c", RUN.replace("SIZE", "50000"))
    await size_of(editor, uri, "50 000")
    written_by_others(editor, "run.c", RUN)
    await size_of(editor, uri, "40 960")
    written_by_others(editor, "grid.h", HEADER.replace("40960", "60000"))
    await size_of(editor, uri, "60 000")
    (tmp_path / "run.c").unlink()
    changed(editor, "run.c", types.FileChangeType.Deleted)
    await size_of(editor, uri, "1024")
    written_by_others(editor, "other.c", RUN.replace("SIZE", "70000"))
    await size_of(editor, uri, "70 000")


@pytest.mark.asyncio
async def test_a_save_of_the_caller_in_the_editor_is_enough(start: Any, tmp_path: Path) -> None:
    editor = await start(folder=written(tmp_path))
    uri, caller = editor.open("grid.c", GRID), editor.open("run.c", RUN)
    await size_of(editor, uri, "40 960")
    editor.edit(caller, "SIZE", "50000")
    (tmp_path / "run.c").write_text(editor.texts[caller])
    editor.save(caller)
    await size_of(editor, uri, "50 000")


@pytest.mark.asyncio
@pytest.mark.parametrize("others", [{}, {"main.c": MAIN}], ids=["alone", "with another"])
async def test_a_document_follows_its_own_header(start: Any, tmp_path: Path, others: dict[str, str]) -> None:
    text = '#include "grid.h"\nvoid run(double *a)\n{\n    for (int i = 0; i < SIZE; i++)\n        a[i] *= a[i];\n}\n'
    editor = await start(folder=written(tmp_path, {"run.c": text, "grid.h": HEADER, **others}))
    uri = editor.open("run.c", text)
    await size_of(editor, uri, "40 960")
    written_by_others(editor, "grid.h", HEADER.replace("40960", "60000"))
    await size_of(editor, uri, "60 000")


@pytest.mark.asyncio
async def test_a_file_joins_the_program_with_its_first_call(start: Any, tmp_path: Path) -> None:
    apart = "void rest(double *a)\n{\n    relax(a, 70000, 0.5);\n}\n"
    editor = await start(folder=written(tmp_path, {**PROGRAM, "run.c": RUN.replace("relax", "later"), "rest.c": ""}))
    uri = editor.open("grid.c", GRID)
    await editor.diagnostics(uri)
    written_by_others(editor, "rest.c", apart)
    await size_of(editor, uri, "70 000")
    written_by_others(editor, "rest.c", apart.replace("relax", "later"))
    await size_of(editor, uri, "1024")
    written_by_others(editor, "run.c", RUN)
    await size_of(editor, uri, "40 960")


@pytest.mark.asyncio
async def test_a_second_document_brings_its_own_program(start: Any, tmp_path: Path) -> None:
    other = {
        f"other/{name}": text.replace("40960", "50000").replace("relax", "smooth").replace("run", "go")
        for name, text in PROGRAM.items()
    }
    editor = await start(folder=written(tmp_path, {**PROGRAM, **other}))
    first = editor.open("grid.c", GRID)
    await size_of(editor, first, "40 960")
    second = editor.open("other/grid.c", other["other/grid.c"])
    await size_of(editor, second, "50 000")
    await size_of(editor, first, "40 960")


@pytest.mark.asyncio
async def test_the_first_answer_does_not_wait_for_the_program(start: Any, tmp_path: Path) -> None:
    many = {f"part{number}.c": RUN.replace("run", f"run{number}") for number in range(300)}
    editor = await start(folder=written(tmp_path, {**PROGRAM, **many}))
    uri = editor.open("grid.c", GRID)
    await editor.diagnostics(uri)
    first = await editor.hover(uri, "for (")
    assert first is not None
    assert "1024" in first


@pytest.mark.asyncio
async def test_an_untrusted_program_is_read_without_a_compiler(start: Any, tmp_path: Path) -> None:
    folder = written(tmp_path / "workspace")
    (tmp_path / "outside.c").write_text(RUN.replace("SIZE", "50000"))
    (folder / "link.c").symlink_to(tmp_path / "outside.c")
    editor = await start(folder=folder, options={"trusted": False})
    uri = editor.open("grid.c", GRID)
    hover = await size_of(editor, uri, "40 960")
    assert "50 000" not in hover


@pytest.mark.asyncio
async def test_another_session_has_the_program_at_once(start: Any, tmp_path: Path) -> None:
    kept = tmp_path / "cache"
    folder = written(tmp_path / "program")
    for _ in range(2):
        editor = await start(folder=folder, environment={"WARPLENS_CACHE": str(kept)})
        uri = editor.open("grid.c", GRID)
        await editor.diagnostics(uri)
        first = await editor.hover(uri, "for (")
        await size_of(editor, uri, "40 960")
        await until(lambda: asyncio.sleep(0, [*kept.glob("results/*.result")]))
    assert "40 960" in first
    for file in kept.glob("results/*.result"):  # damaged: as if there were none
        file.write_bytes(file.read_bytes()[:-9])
    editor = await start(folder=folder, environment={"WARPLENS_CACHE": str(kept)})
    await size_of(editor, editor.open("grid.c", GRID), "40 960")


@pytest.mark.asyncio
async def test_without_the_program_a_file_is_analysed_alone(start: Any, tmp_path: Path) -> None:
    editor = await start(folder=written(tmp_path), settings={"program": {"enabled": False}})
    uri = editor.open("grid.c", GRID)
    await editor.diagnostics(uri)
    await editor.settled()
    assert "40 960" not in (await editor.hover(uri, "for (") or "")


@pytest.mark.asyncio
async def test_a_new_analysis_process_gets_the_program_again(start: Any, tmp_path: Path) -> None:
    editor = await start(folder=written(tmp_path))
    uri = editor.open("grid.c", GRID)
    await size_of(editor, uri, "40 960")
    await editor.settled()
    worker = (await editor.ask("warplens/status"))["analysisProcessId"]
    os.kill(worker, signal.SIGKILL)
    editor.edit(uri, "w * a[i]", "w + a[i]")
    await editor.saved(uri)
    assert "40 960" in (await editor.hover(uri, "for (") or "")
    assert (await editor.ask("warplens/status"))["analysisProcessId"] != worker


OPEN_SIZES = """#include <stdio.h>
struct config { int dim; };
void read_config(struct config *c, FILE *file) { fread(c, sizeof *c, 1, file); }
void scale(const struct config *p, double *x)
{
    for (int i = 0; i < p->dim; i++)
        x[i] *= 2.0;
}
void shift(struct config c, double *x)
{
    int half = c.dim / 2;
    for (int i = 0; i < half; i++)
        x[i] += 1.0;
}
"""


@pytest.mark.asyncio
async def test_a_size_is_said_once_for_the_program(start: Any, tmp_path: Path) -> None:
    """What no statement tells: the quick fix writes the member into the folder's file, and other loops follow."""
    (tmp_path / "use.c").write_text(OPEN_SIZES)
    (tmp_path / ".warplens.toml").write_text('gpu = "v100"\n')
    editor = await start()
    uri = editor.open("use.c", OPEN_SIZES)
    await editor.diagnostics(uri)
    title = f"Set the size `config.dim` for the program in {tmp_path.name}/.warplens.toml (assumed 1024)"
    (action,) = [one for one in await editor.actions(uri, "for (int i = 0; i < p->dim") if one.title == title]
    await editor.apply(uri, action)
    text = (tmp_path / ".warplens.toml").read_text()
    assert text == 'gpu = "v100"\n\n[sizes]\n"config.dim" = 1024\n'
    (tmp_path / ".warplens.toml").write_text(text.replace("1024", "640000"))
    await editor.saved(uri)
    assert "640 000" in await editor.hover(uri, "for (int i = 0; i < p->dim")
    assert "320 000" in await editor.hover(uri, "for (int i = 0; i < half")
