"""In a pause of typing the server works out what a save will need, and shows nothing of it."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import warplens.hwprofiles

LOOP = "void {0}(int n, double *{0})\n{{\n    for (int i = 0; i < n; i++)\n        {0}[i] = 0.5 * {0}[i];\n}}\n"
SOURCE = LOOP.format("first") + LOOP.format("second")


async def until(is_so: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while not is_so():  # noqa: ASYNC110 - another process makes it so
            await asyncio.sleep(0.02)


def analysed(folder: Path) -> list[str]:
    """The loops that were analysed, by their arrays."""
    return (folder / "log").read_text().split()


def files(folder: Path) -> dict[str, str]:
    return {name.upper(): str(folder / name) for name in ("log", "gate", "hold")}


async def opened(start: Any, folder: Path, settings: dict[str, Any] | None = None) -> tuple[Any, str]:
    editor = await start(worker="patient_child.py", environment=files(folder), settings=settings)
    uri = editor.open("two.c", SOURCE)
    await editor.diagnostics(uri)
    return editor, uri


@pytest.mark.asyncio
async def test_a_save_after_a_pause_finds_its_loops_analysed(start: Any, tmp_path: Path) -> None:
    editor, uri = await opened(start, tmp_path)
    editor.edit(uri, "0.5 * second", "0.25 * second")
    await editor.ask("warplens/status")
    seen = len(editor.published)
    await until(lambda: analysed(tmp_path) == ["first", "second", "second"])
    editor.edit(uri, "0.25 * second", "0.125 * second")
    await until(lambda: len(analysed(tmp_path)) == 4)
    assert all(lens.range.start.line != 7 for lens in await editor.lenses(uri))
    assert not [each for each in editor.published[seen:] if each.uri == uri]
    await editor.saved(uri)
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["nestsAnalysed"] == 0
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [2, 7]
    assert analysed(tmp_path) == ["first", "second", "second", "second"]


@pytest.mark.asyncio
async def test_what_was_prepared_is_shown_before_the_save_s_own_analysis(start: Any, tmp_path: Path) -> None:
    editor, uri = await opened(start, tmp_path)
    ends = tmp_path / "log.ends"
    before = len(ends.read_text().split())
    editor.edit(uri, "0.5 * second", "0.25 * second")
    await until(lambda: len(ends.read_text().split()) > before)
    (tmp_path / "hold").touch()
    await editor.ask("warplens/status")
    seen = len(editor.published)
    editor.save(uri)
    await editor.first_diagnostics(uri, seen)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [2, 7]
    assert "porting" in await editor.hover(uri, "for (", 1)
    (tmp_path / "hold").unlink()
    await editor.diagnostics(uri, seen)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [2, 7]


@pytest.mark.asyncio
async def test_what_was_prepared_of_an_older_text_is_never_shown(start: Any, tmp_path: Path) -> None:
    editor, uri = await opened(start, tmp_path)
    (tmp_path / "hold").touch()
    editor.edit(uri, "0.5 * second", "0.25 * second")
    await asyncio.sleep(0.1)  # it waits at `hold` then, or, where all is slow, is not begun: both show nothing
    editor.save(uri)
    await editor.ask("warplens/status")
    editor.edit(uri, "void first", "/* two lines\n   before it */\nvoid first")
    await editor.ask("warplens/status")
    seen = len(editor.published)
    (tmp_path / "hold").unlink()
    await editor.diagnostics(uri, seen)
    published = [each for each in editor.published[seen:] if each.uri == uri]
    assert [{d.range.start.line for d in each.diagnostics} for each in published] == [{4}] * len(published)
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [4, 9]


@pytest.mark.asyncio
async def test_what_is_typed_while_the_first_loops_are_shown_is_prepared_behind_the_others(
    start: Any, tmp_path: Path
) -> None:
    editor = await start(worker="patient_child.py", environment=files(tmp_path))
    uri = editor.open("two.c", LOOP.format("slow") + LOOP.format("gated"))
    await editor.first_diagnostics(uri)
    editor.edit(uri, "0.5 * slow", "0.25 * slow")
    await asyncio.sleep(0.1)
    (tmp_path / "gate").touch()
    await until(lambda: analysed(tmp_path) == ["slow", "gated", "slow"])


@pytest.mark.asyncio
async def test_a_profile_that_was_broken_meanwhile_is_said_with_the_save(start: Any, tmp_path: Path) -> None:
    profile = tmp_path / "own.toml"
    shipped = Path(warplens.hwprofiles.__path__[0]) / "gpu" / "nvidia" / "a4000.toml"
    profile.write_text(shipped.read_text(encoding="utf-8"), encoding="utf-8")
    editor, uri = await opened(start, tmp_path, {"gpu": str(profile)})
    ends = tmp_path / "log.ends"
    before = len(ends.read_text().split())
    editor.edit(uri, "0.5 * second", "0.25 * second")
    await until(lambda: len(ends.read_text().split()) > before)
    profile.write_text("no profile", encoding="utf-8")
    await editor.saved(uri)
    await editor.messages("own.toml")
    (document,) = (await editor.ask("warplens/status"))["documents"]
    assert document["gpu"] == "a100"


async def stuck(start: Any, folder: Path) -> tuple[Any, str]:
    """A file whose second loop was edited to one that never ends, and the limit of its preparation has passed."""
    editor, uri = await opened(start, folder, {"analysisTimeLimitSeconds": 1})
    for old, new in (("void second(int n, double *second)", "void second(int n, double *gated)"),
                     ("second[i] = 0.5 * second[i]", "gated[i] = 0.5 * gated[i]")):  # fmt: skip
        editor.edit(uri, old, new)
    await until(lambda: "gated" in analysed(folder))
    process = (await editor.ask("warplens/status"))["analysisProcessId"]
    while (await editor.ask("warplens/status"))["analysisProcessId"] == process:  # noqa: ASYNC110 - as above
        await asyncio.sleep(0.05)  # the limit ends the process
    await asyncio.sleep(0.5)  # another is there a moment before the server knows what the first one was at
    return editor, uri


@pytest.mark.asyncio
async def test_the_limit_is_not_waited_for_twice(start: Any, tmp_path: Path) -> None:
    editor, uri = await stuck(start, tmp_path)
    shown = await editor.saved(uri)
    assert [d.range.start.line for d in shown if "time limit" in d.message] == [7]
    assert analysed(tmp_path).count("gated") == 1


@pytest.mark.asyncio
async def test_a_loop_that_never_ends_is_not_tried_again_until_it_is_saved(start: Any, tmp_path: Path) -> None:
    editor, uri = await stuck(start, tmp_path)
    editor.edit(uri, "0.5 * gated", "0.25 * gated")
    await asyncio.sleep(0.5)
    assert analysed(tmp_path).count("gated") == 1
    shown = await editor.saved(uri)
    assert [d.range.start.line for d in shown if "time limit" in d.message] == [7]
    assert any(d.range.start.line == 2 for d in shown)
