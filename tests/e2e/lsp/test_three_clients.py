"""One whole story with the capabilities of VS Code, Neovim and Emacs, in every encoding of positions.

The text has letters of two, three and four bytes before the loops, on their lines and in comments; each position that
the server sends is turned into an offset by the test's own arithmetic, and what stands there is compared.
"""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

HEADER = "for (int i = 0; i < n; i++)"
SOURCE = """\
/* Größe in µm, 𝕊 = 😀 */
void skalieren(int n, float *restrict x) // warplens: n = 1000000
{
    /* 😀é */ for (int i = 0; i < n; i++) /* 🚀€ */ x[i * 8] = 2.0f * x[i * 8]; /* ∑𝒙 */
}

void summe(int n, float *restrict y) { /* ä𝄞 */ // warplens: n = 100000
    /* ß */ for (int i = 1; i < n; i++) /* 𐍈 */ y[i] += y[i - 1]; // ← 𝕪
}
"""
STRIDED = "WL201"
CARRIED = "WL101"


def hears_refreshes(capabilities: types.ClientCapabilities) -> None:
    if capabilities.workspace:
        capabilities.workspace.inlay_hint = types.InlayHintWorkspaceClientCapabilities(refresh_support=True)


def at_offset(text: str, position: types.Position, encoding: str) -> int:
    """Offset of a position, by counting the units of one character after the other."""
    lines = text.splitlines(keepends=True)
    units = 0
    for at, character in enumerate(lines[position.line]):
        if units == position.character:
            return sum(map(len, lines[: position.line])) + at
        units += units_of(character, encoding)
    raise AssertionError(f"{position} is inside a character or behind the line")


def units_of(character: str, encoding: str) -> int:
    code = ord(character)
    if encoding == "utf-32":
        return 1
    if encoding == "utf-16":
        return 2 if code > 0xFFFF else 1
    return 1 if code < 0x80 else 2 if code < 0x800 else 3 if code < 0x10000 else 4


def there(editor: Any, uri: str, range_: types.Range) -> str:
    """What stands in a range."""
    text = editor.texts[uri]
    return text[at_offset(text, range_.start, editor.encoding) : at_offset(text, range_.end, editor.encoding)]


async def hovered(editor: Any, uri: str, line: int) -> set[str]:
    """What the hovers of a whole line are about, asked at each of its characters, and in the middle of none."""
    text = editor.texts[uri].splitlines()[line]
    found, column = set(), 0
    for character in text:
        params = types.HoverParams(types.TextDocumentIdentifier(uri), types.Position(line, column))
        hover = await editor.client.text_document_hover_async(params)
        if hover is not None:
            assert hover.range.start.line == hover.range.end.line == line
            assert hover.range.start.character <= column <= hover.range.end.character
            found.add(there(editor, uri, hover.range))
        column += units_of(character, editor.encoding)
    return found


async def compiles(folder: Path, text: str) -> bool:
    (folder / "ported.c").write_text(text)
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Werror", "ported.c"]
    return await (await asyncio.create_subprocess_exec(*command, cwd=folder)).wait() == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", list(types.PositionEncodingKind), ids=lambda kind: kind.value)
@pytest.mark.parametrize("client", ["visual-studio-code", "neovim", "emacs"])
async def test_a_story(start, tmp_path: Path, client: str, encoding: types.PositionEncodingKind) -> None:
    editor = await start(client=client, encodings=[encoding], adjust=hears_refreshes)
    assert editor.encoding == encoding.value
    uri = editor.open("maße.c", SOURCE)

    diagnostics = await editor.diagnostics(uri)
    places = {(d.code, there(editor, uri, d.range)) for d in diagnostics}
    assert (STRIDED, "x[i * 8]") in places
    assert (CARRIED, HEADER.replace("= 0", "= 1")) in places
    (carried,) = [d for d in diagnostics if d.code == CARRIED]
    related = {there(editor, uri, each.location.range) for each in carried.related_information}
    assert related == {"y[i]", "y[i - 1]"}

    assert await hovered(editor, uri, 3) == {HEADER, "x[i * 8]", "x[i * 8] = 2.0f * x[i * 8];"}
    assert await hovered(editor, uri, 0) == set()
    card = await editor.hover(uri, HEADER)
    assert card is not None
    renders_markdown = client == "visual-studio-code"
    assert [sign in card for sign in ("**", "| takes |")] == [renders_markdown, renders_markdown]

    first, second = await editor.lenses(uri)
    assert [there(editor, uri, lens.range) for lens in (first, second)] == [HEADER, HEADER.replace("= 0", "= 1")]
    hints = [(SOURCE[: at_offset(SOURCE, h.position, encoding.value)], h.label) for h in await editor.hints(uri)]
    assert any(before.endswith("x[i * 8]") and label.startswith("hotspot") for before, label in hints)
    assert any(before.endswith("i++)") and label.startswith("sequential") for before, label in hints)

    action = next(a for a in await editor.actions(uri, HEADER) if "with OpenMP" in a.title)
    assert (action.edit is None) == (client != "emacs")  # Emacs wants it at once
    await editor.apply(uri, action)
    before, header, after = SOURCE.partition(HEADER)
    assert editor.texts[uri].startswith(f"{before.rstrip()}\n    #pragma omp target")
    assert editor.texts[uri].endswith(f")\n    {header}{after}")
    assert await compiles(tmp_path, editor.texts[uri])

    editor.edit(uri, "/* ∑𝒙 */", "/* 😀😀 */ x[i * 8] += 1.0f;")
    editor.edit(uri, "/* 🚀€ */ x[i * 8]", "{ /* 🚀🚀𝄞 */ x[i * 8]")
    editor.edit(uri, "+= 1.0f;", "+= 1.0f; }")
    after_edits = {(d.code, there(editor, uri, d.range)) for d in await editor.saved(uri)}
    assert (STRIDED, "x[i * 8]") in after_edits
    line = next(at for at, text in enumerate(editor.texts[uri].splitlines()) if HEADER in text)
    assert await hovered(editor, uri, line) == {
        HEADER, "x[i * 8]", "x[i * 8] = 2.0f * x[i * 8];", "x[i * 8] += 1.0f;"
    }  # fmt: skip
    assert "hints" in editor.refreshed
