"""A person pins a mapping: by a quick fix, then by typing another name; hover, messages and the port follow."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

SOURCE = """\
void rows(float *restrict y, const float *restrict x)
{
    for (int i = 0; i < 256; i++) {
        float s = 0.0f;
        for (int j = 0; j < 6144; j++) s += x[i * 6144 + j];
        y[i] = s;
    }
}

void fills(float *restrict y)
{
    for (int i = 0; i < 4096 * 4096; i++) y[i] = 1.0f;
}
"""
KIND = "refactor.rewrite.mapping"
FIRST = "    for (int i = 0; i < 256"


def pinned(said: str) -> str:
    """The source with a comment above its first nest."""
    return SOURCE.replace(FIRST, f"    // warplens: {said}\n{FIRST}")


def pins(actions: list[types.CodeAction]) -> list[str]:
    return [action.title for action in actions if action.title.startswith("Pin ")]


async def mapping_row(editor: Any, uri: str) -> str:
    """What the hover says of it, in one line."""
    words = " ".join((await editor.hover(uri, "for (int i")).split())
    return words[words.index(" mapping ") :].partition(" this loop ")[0]


@pytest.mark.asyncio
async def test_the_hover_follows_the_comment(start) -> None:
    editor = await start(client="neovim")
    uri = editor.open("f.c", SOURCE)
    assert not [each for each in await editor.diagnostics(uri) if each.code == "input"]
    assert "a block of" in await mapping_row(editor, uri)
    assert "pinned" not in await mapping_row(editor, uri)

    actions = await editor.actions(uri, "for (int i")
    offered = pins(actions)
    assert len(offered) == 4
    assert sum(title.startswith("Pin the source's own order (") for title in offered) == 1
    assert not any("recommended" in title for title in offered)
    assert [action.title for action in actions][-4:] == offered
    action = next(action for action in actions if action.title.startswith("Pin mapping `block"))
    name = action.title.split("`")[1]
    await editor.apply(uri, action)
    assert f"\n    // warplens: mapping = {name}\n    for (int i = 0; i < 256" in editor.texts[uri]
    await editor.saved(uri)
    threads = name.removeprefix("block").removesuffix(":j")
    assert f"a block of {threads} threads per iteration of `i`" in await mapping_row(editor, uri)
    editor.edit(uri, name, "warp:j")
    shown = await editor.saved(uri)
    row = await mapping_row(editor, uri)
    assert "a warp per iteration of `i`: its lanes share `j`" in row
    assert "pinned by a comment; recommended: `block" in row
    assert not [each for each in shown if each.code == "input"]

    editor.edit(uri, "= warp:j", "= source")
    await editor.saved(uri)
    assert "the source's own order; pinned by a comment; recommended: `block" in await mapping_row(editor, uri)

    editor.edit(uri, "= source", "= warp:k")
    (note,) = [each for each in await editor.saved(uri) if each.code == "input"]
    assert note.message.startswith("there is no mapping `warp:k` here: there are `block")
    assert note.severity == types.DiagnosticSeverity.Warning
    assert (note.range.start.line, note.range.start.character) == (2, len("    // warplens: "))
    assert "pinned" not in await mapping_row(editor, uri)

    editor.edit(uri, "    // warplens: mapping = warp:k\n", "")
    await editor.saved(uri)
    assert "pinned" not in await mapping_row(editor, uri)


@pytest.mark.asyncio
async def test_a_pin_is_changed_in_the_comment_that_is_there(start) -> None:
    editor = await start(client="neovim")
    uri = editor.open(
        "f.c",
        pinned("mapping = warp:j, off WL901"),
    )
    await editor.diagnostics(uri)
    actions = await editor.actions(uri, "for (int i")
    recommended = next(action for action in actions if action.title.endswith(", recommended)"))
    assert not any("`warp:j`" in title for title in pins(actions))
    await editor.apply(uri, recommended)
    name = recommended.title.split("`")[1]
    assert f"    // warplens: mapping = {name}, off WL901\n    for (int i" in editor.texts[uri]
    assert editor.texts[uri].count("warplens:") == 1
    await editor.saved(uri)
    assert "pinned by a comment, as recommended" in await mapping_row(editor, uri)


@pytest.mark.asyncio
async def test_the_port_writes_the_pinned_mapping(start, tmp_path: Path) -> None:
    editor = await start()
    text = pinned("mapping = warp:j")
    (tmp_path / "f.c").write_text(text)
    uri = editor.open("f.c", text)
    await editor.diagnostics(uri)
    (port,) = [each for each in await editor.actions(uri, "for (int i") if "CUDA" in each.title]
    await editor.apply(uri, port)
    written = "".join(file.read_text() for file in tmp_path.glob("*.cu"))  # noqa: ASYNC240 - a test waits for it
    assert "__shfl" in written
    assert "pinned by a comment; recommended: `block" in " ".join(written.replace("*", " ").split())


@pytest.mark.asyncio
async def test_a_client_with_a_list_of_its_own_has_one_action_and_asks_for_all(start) -> None:
    editor = await start(options={"commands": ["warplens.pinMapping"]})
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    at = types.Range(types.Position(2, 4), types.Position(2, 4))
    params = types.CodeActionParams(types.TextDocumentIdentifier(uri), at, types.CodeActionContext(diagnostics=[]))
    found = await editor.client.text_document_code_action_async(params) or ()
    (one,) = [
        each for each in found if isinstance(each, types.Command)
    ]  # so the library reads an action with a command
    assert "warplens.pinMapping" in one.command
    command = types.Command(one.title, "warplens.pinMapping", arguments=(uri, 2, 4))
    action = types.CodeAction(one.title, KIND, command=command)
    assert await editor.client.code_action_resolve_async(action) == action
    assert pins([each for each in found if isinstance(each, types.CodeAction)]) == []
    every = await editor.actions(uri, "for (int i", only=[KIND])
    assert len(every) > 4
    assert all(each.title.startswith("Pin ") and each.command is None for each in every)
    assert [each for each in await editor.actions(uri, "for (int i", only=["quickfix"]) if each.kind == KIND] == []
    assert await editor.actions(uri, "for (int i = 0; i < 4096", only=[KIND]) == []


@pytest.mark.asyncio
async def test_a_nest_with_one_mapping_offers_none(start) -> None:
    editor = await start(client="neovim")
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    assert pins(await editor.actions(uri, "for (int i = 0; i < 4096")) == []


@pytest.mark.asyncio
async def test_a_kept_result_is_that_of_its_comment(start, tmp_path: Path) -> None:
    environment = {"WARPLENS_CACHE": str(tmp_path / "cache")}
    rows = []
    for name in ("warp:j", "block64:j", "warp:j"):
        editor = await start(environment=environment, client="neovim")
        uri = editor.open(
            "f.c",
            pinned(f"mapping = {name}"),
        )
        await editor.diagnostics(uri)
        rows.append(await mapping_row(editor, uri))
    assert rows[0] == rows[2] != rows[1]
    assert "a block of 64 threads" in rows[1]


@pytest.mark.asyncio
async def test_a_what_if_starts_from_the_pin_and_keeps_it(start) -> None:
    editor = await start()
    uri = editor.open(
        "f.c",
        pinned("mapping = warp:j"),
    )
    await editor.diagnostics(uri)
    nest = {"function": "rows", "ordinal": 0}
    ask = {"textDocument": {"uri": uri}, "nest": nest}
    answer = await editor.ask("warplens/whatIf", ask)
    assert answer["base"]["pin"]["name"] == "warp:j"
    listed = answer["choices"]["mappings"]
    assert [each["name"] for each in listed if each["is_pinned"]] == ["warp:j"]
    assert [each["time_s"] for each in listed] == sorted(each["time_s"] for each in listed)
    moved = await editor.ask("warplens/whatIf", {**ask, "changes": {"gpu": "h100"}})
    assert moved["result"]["pin"]["name"] == "warp:j"
    other = await editor.ask("warplens/whatIf", {**ask, "changes": {"mapping": "source"}})
    assert (other["result"]["pin"], other["result"]["mapping"], other["problems"]) == (None, None, [])
    assert any(text.startswith("Mapping: the source's own order instead of a warp") for text in other["differences"])
