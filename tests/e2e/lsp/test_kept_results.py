"""Results kept from one session to the next, in real servers."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

SOURCE = """void transpose(int n, float a[n][n], const float b[n][n])
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            a[j][i] = b[i][j];
}
"""


def results(kept: Path) -> list[Path]:
    return list(kept.glob("results/*.result"))


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - another process makes it so
            await asyncio.sleep(0.05)


async def opened(editor: Any, kept: Path | None = None) -> tuple[list[types.Diagnostic], int]:
    """What is shown of the file, and how many loops were analysed for it; waits until a result lies in `kept`."""
    uri = editor.open("t.c", SOURCE)
    shown = await editor.diagnostics(uri)
    (document,) = (await editor.ask("warplens/status"))["documents"]
    if kept is not None:
        await until(lambda: bool(results(kept)))
    return shown, document["nestsAnalysed"]


@pytest.mark.asyncio
async def test_another_session_shows_the_same_without_an_analysis(start: Any, tmp_path: Path) -> None:
    environment = {"WARPLENS_CACHE": str(tmp_path / "cache")}
    first = await start(environment=environment)
    shown, analysed = await opened(first, tmp_path / "cache")
    assert (len(shown) > 0, analysed) == (True, 1)
    second = await start(environment=environment)  # while the first one runs
    assert await opened(second) == (shown, 0)
    uri = second.uri("t.c")
    hovers = [await editor.hover(uri, "for") for editor in (first, second)]
    headlines = [hover.partition("\n")[0] for hover in hovers if hover]
    assert len(headlines) == 2
    assert headlines[0] == headlines[1]
    (fix, *_) = await second.actions(uri, "for", only=["refactor"])
    edit = await second.apply(uri, fix)
    assert edit.document_changes
    assert second.texts[uri] != SOURCE


@pytest.mark.asyncio
async def test_the_first_edit_of_a_session_begins_the_work_that_a_save_needs(start: Any, tmp_path: Path) -> None:
    environment = {"WARPLENS_CACHE": str(tmp_path / "cache"), "LOG": str(tmp_path / "log"), "GATE": str(tmp_path)}
    await opened(await start(environment=environment, worker="patient_child.py"), tmp_path / "cache")
    editor = await start(environment=environment, worker="patient_child.py")
    await opened(editor)
    uri = editor.uri("t.c")
    log = tmp_path / "log"
    assert log.read_text().split() == ["a", "b"]
    editor.edit(uri, "void transpose", "\nvoid transpose")
    await until(lambda: log.read_text().split() != ["a", "b"])
    await editor.saved(uri)
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["nestsAnalysed"] == 0  # it was remembered
    assert log.read_text().split() == ["a", "b"] * 2


@pytest.mark.asyncio
async def test_a_damaged_file_costs_an_analysis_and_nothing_else(start: Any, tmp_path: Path) -> None:
    environment = {"WARPLENS_CACHE": str(tmp_path / "cache")}
    shown, _ = await opened(await start(environment=environment), tmp_path / "cache")
    (file,) = results(tmp_path / "cache")
    file.write_bytes(b"\x80\x04cos\nsystem\n.")
    assert await opened(await start(environment=environment), tmp_path / "cache") == (shown, 1)
    assert await opened(await start(environment=environment)) == (shown, 0)


@pytest.mark.asyncio
async def test_the_setting_turns_it_off(start: Any, tmp_path: Path) -> None:
    environment = {"WARPLENS_CACHE": str(tmp_path / "cache")}
    for _ in range(2):
        editor = await start(settings={"cache": {"enabled": False}}, environment=environment)
        assert (await opened(editor))[1] == 1
    assert not (tmp_path / "cache").exists()


@pytest.mark.asyncio
async def test_the_command_takes_everything_away(start: Any, tmp_path: Path) -> None:
    editor = await start(environment={"WARPLENS_CACHE": str(tmp_path / "cache")})
    assert "warplens.clearCache" in editor.offered.execute_command_provider.commands
    await opened(editor, tmp_path / "cache")
    said = await editor.client.workspace_execute_command_async(types.ExecuteCommandParams("warplens.clearCache"))
    assert said.startswith("removed 1 result, ")
    assert await editor.messages("removed 1 result")
    assert list((tmp_path / "cache" / "results").iterdir()) == []


@pytest.mark.asyncio
async def test_a_full_disk_costs_only_the_cache(start: Any, tmp_path: Path) -> None:
    editor = await start(environment={"WARPLENS_CACHE": str(tmp_path / "cache")}, is_disk_full=True)
    shown, analysed = await opened(editor)
    assert (len(shown) > 0, analysed) == (True, 1)
    assert list((tmp_path / "cache" / "results").iterdir()) == []
