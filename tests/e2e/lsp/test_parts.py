"""A file that takes long shows its first loops before the last ones are analysed."""

import asyncio
from pathlib import Path

import pytest
import pytest_asyncio

LOOP = (
    "void {0}(int n, double *{1}) {{\n    for (int i = 0; i < n; i++)\n        {1}[i * 64] = 0.5 * {1}[i * 64];\n}}\n"
)
SOURCE = "".join(LOOP.format(f"f{at}", name) for at, name in enumerate(["slow", "plain", "gated", "last"]))


@pytest_asyncio.fixture
async def editor(start, tmp_path: Path):
    environment = {"LOG": str(tmp_path / "log"), "GATE": str(tmp_path / "gate")}
    return await start(worker="patient_child.py", environment=environment)


@pytest.mark.asyncio
async def test_the_first_loops_are_shown_while_the_others_are_analysed(editor, tmp_path: Path) -> None:
    uri = editor.open("many.c", SOURCE)
    first = await editor.first_diagnostics(uri)
    assert {d.range.start.line for d in first} == {1, 2}
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1]
    assert await editor.hover(uri, "for (", 3) == "**This loop is still being analysed.**"
    assert "still being analysed" not in await editor.hover(uri, "for (", 0)
    (tmp_path / "gate").touch()
    whole = await editor.diagnostics(uri)
    assert {d.range.start.line for d in whole} == {1, 2, 6, 10, 14}
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1, 5, 9, 13]
    assert "still being analysed" not in await editor.hover(uri, "for (", 3)


@pytest.mark.asyncio
async def test_an_edit_meanwhile_does_not_wait_for_the_rest_of_the_old_text(editor, tmp_path: Path) -> None:
    uri = editor.open("many.c", SOURCE)
    await editor.first_diagnostics(uri)
    editor.edit(uri, "*last", "*newest")
    editor.edit(uri, "last[i * 64] = 0.5 * last", "newest[i * 64] = 0.5 * newest")
    editor.save(uri)
    await editor.ask("warplens/status")
    (tmp_path / "gate").touch()
    await editor.diagnostics(uri)
    assert (tmp_path / "log").read_text().split() == ["slow", "plain", "gated", "newest"]
    assert [lens.range.start.line for lens in await editor.lenses(uri)] == [1, 5, 9, 13]


@pytest.mark.asyncio
async def test_what_is_shown_stays_until_all_is_known_anew(editor, tmp_path: Path) -> None:
    (tmp_path / "gate").touch()
    uri = editor.open("many.c", SOURCE)
    await editor.diagnostics(uri)
    (tmp_path / "gate").unlink()
    editor.edit(uri, "0.5 * slow", "0.25 * slow")
    editor.edit(uri, "0.5 * gated", "0.25 * gated")
    await editor.ask("warplens/status")
    seen = len(editor.published)
    editor.save(uri)
    while (tmp_path / "log").read_text().split().count("gated") < 2:
        await editor.ask("warplens/status")
    assert not [each for each in editor.published[seen:] if each.uri == uri]
    (tmp_path / "gate").touch()
    assert {d.range.start.line for d in await editor.diagnostics(uri, seen)} == {1, 2, 6, 10, 14}


@pytest.mark.asyncio
async def test_who_can_not_be_told_to_ask_for_hints_again_gets_those_of_all_loops(start, tmp_path: Path) -> None:
    environment = {"LOG": str(tmp_path / "log"), "GATE": str(tmp_path / "gate")}
    settings = {"inlayHints": {"everyLoop": True}}
    editor = await start(worker="patient_child.py", environment=environment, settings=settings)
    uri = editor.open("many.c", SOURCE)
    asked = asyncio.ensure_future(editor.hints(uri))
    await editor.first_diagnostics(uri)
    (tmp_path / "gate").touch()
    assert {hint.position.line for hint in await asked} == {1, 5, 9, 13}
