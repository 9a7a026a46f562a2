"""Workspaces of several folders: each file has the settings and files of its own, also after folders come and go."""

import asyncio
import json
from pathlib import Path

import pytest
from lsprotocol import types

SOURCE = "void f(int n, float *restrict x) {\n  for (int i = 0; i < n; i++)\n    x[i] *= SCALE;\n}\n"


def folder(path: Path, toml: str = "", scale: str = "") -> Path:
    path.mkdir(parents=True)
    if toml:
        (path / ".warplens.toml").write_text(toml)
    if scale:
        entry = {"directory": str(path), "file": "f.c", "arguments": ["cc", f"-DSCALE={scale}", "f.c"]}
        (path / "compile_commands.json").write_text(json.dumps([entry]))
        (path / "f.c").write_text(SOURCE)
    return path


def change(editor, added: tuple[Path, ...] = (), removed: tuple[Path, ...] = ()) -> None:
    folders = [[types.WorkspaceFolder(each.as_uri(), each.name) for each in which] for which in (added, removed)]
    event = types.WorkspaceFoldersChangeEvent(*folders)
    editor.client.workspace_did_change_workspace_folders(types.DidChangeWorkspaceFoldersParams(event))


async def hover_with(editor, uri: str, *words: str) -> str:
    """The hover of the loop once it holds these words: an analysis may be under way."""
    async with asyncio.timeout(60):
        while True:
            text = await editor.hover(uri, "for (") or ""
            if all(word in text for word in words):
                return text
            await asyncio.sleep(0.05)


@pytest.mark.asyncio
async def test_files_of_one_name_have_what_their_own_folder_says(start, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", "[sizes]\nn = 1111\n", "3")
    two = folder(tmp_path / "two", 'gpu = "k20"\n[sizes]\nn = 2222\n', "5")
    editor = await start(folder=one)
    change(editor, added=(two,))
    strided = SOURCE.replace("x[i] *= SCALE", "x[i * SCALE] *= 2")
    first, second = editor.open("f.c", strided), editor.open(str(two / "f.c"), strided)
    in_one = await hover_with(editor, first, "1111", "A100")
    in_two = await hover_with(editor, second, "2222", "K20")
    assert "K20" not in in_one
    assert "A100" not in in_two
    assert "threads are 12 B apart" in await editor.hover(first, "x[i")  # what its compile_commands.json defines
    assert "threads are 20 B apart" in await editor.hover(second, "x[i")


@pytest.mark.asyncio
async def test_settings_are_asked_for_by_folder(start, tmp_path: Path) -> None:
    one, two = folder(tmp_path / "one"), folder(tmp_path / "two")
    editor = await start(folder=one, settings={"sizes": {"n": 1111}})
    change(editor, added=(two,))
    editor.client.set_configuration({"warplens": {"sizes": {"n": 2222}}}, scope_uri=(two / "g.c").as_uri())
    first, second = editor.open("g.c", SOURCE), editor.open(str(two / "g.c"), SOURCE)
    await hover_with(editor, first, "1111")
    await hover_with(editor, second, "2222")


@pytest.mark.asyncio
async def test_folders_come_and_go_at_run_time(start, tmp_path: Path) -> None:
    one = folder(tmp_path / "one", "[sizes]\nn = 1111\n")
    deep = folder(tmp_path / "two" / "deep")
    (tmp_path / "two" / ".warplens.toml").write_text("[sizes]\nn = 2222\n")
    editor = await start(folder=one)
    uri = editor.open(str(deep / "f.c"), SOURCE)
    await hover_with(editor, uri, "1024")  # outside of every folder: only the file's own is looked at
    change(editor, added=(tmp_path / "two",))
    await hover_with(editor, uri, "2222")
    change(editor, removed=(tmp_path / "two",))
    await hover_with(editor, uri, "1024")
    (deep / ".warplens.toml").write_text("[sizes]\nn = 3333\n")
    editor.save(uri)
    await hover_with(editor, uri, "3333")
    change(editor, removed=(one,))  # the folder that the client began with: none is left
    inner = folder(one / "inner")
    assert inner
    other = editor.open("inner/f.c", SOURCE)
    assert "1111" not in await hover_with(editor, other, "1024")


@pytest.mark.asyncio
async def test_a_nested_root_inherits_and_has_its_own(start, tmp_path: Path) -> None:
    outer = folder(tmp_path / "outer", 'gpu = "k20"\n[sizes]\nn = 1111\n')
    inner = folder(outer / "inner")
    editor = await start(folder=outer)
    change(editor, added=(inner,))
    uri = editor.open("inner/f.c", SOURCE)
    await hover_with(editor, uri, "1111")
    (inner / ".warplens.toml").write_text("[sizes]\nn = 2222\n")
    editor.save(uri)
    await hover_with(editor, uri, "2222")


@pytest.mark.asyncio
async def test_a_relative_include_path_starts_at_the_innermost_folder(start, tmp_path: Path) -> None:
    outer, inner = folder(tmp_path / "outer"), folder(tmp_path / "outer" / "inner")
    for root, scale in ((outer, "(wrong"), (inner, "2.0f")):
        (root / "include").mkdir()
        (root / "include" / "scale.h").write_text(f"#define SCALE {scale}\n")
    editor = await start(folder=outer, settings={"includePaths": ["include"]})
    change(editor, added=(inner,))
    uri = editor.open("inner/f.c", '#include "scale.h"\n' + SOURCE)
    await hover_with(editor, uri, "1024")


@pytest.mark.asyncio
async def test_mistakes_in_a_folders_file_are_diagnostics_there_until_they_are_mended(start, tmp_path: Path) -> None:
    path = tmp_path / ".warplens.toml"
    path.write_text('noise = "loud"\ngpu = "a1000"\n\n[sizes]\nn = "many"\n')
    editor = await start()
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    shown = await told_of(editor, path.as_uri(), 3)
    assert [(each.range.start.line, str(each.code)) for each in shown] == [
        (0, "configuration"),
        (1, "configuration"),
        (4, "configuration"),
    ]
    assert "did you mean a100" in shown[1].message
    said = [message for message in await editor.messages(".warplens.toml") if "noise" in message]
    assert said == [f'Warplens: {path}:1: `noise` must be one of "quiet", "normal", "all"']
    path.write_text('noise = "all"\n')
    editor.save(uri)
    assert await told_of(editor, path.as_uri(), 0) == []


@pytest.mark.asyncio
async def test_wrong_settings_of_the_client_are_said_once_with_the_nearest_name(start) -> None:
    wrong = {
        "gpu": "a10",
        "noize": "all",
        "disabledRules": ["WL210"],
        "codeLens": {"enable": True},
        "server": {"path": "x"},
    }
    editor = await start(settings=wrong)
    uri = editor.open("f.c", SOURCE)
    await editor.diagnostics(uri)
    await editor.saved(uri)
    for said in (
        "there is no setting `warplens.noize`: did you mean `noise`?",
        "there is no setting `warplens.codeLens.enable`: did you mean `codeLens.enabled`?",
        "setting `warplens.disabledRules`: there is no rule `WL210`: did you mean WL2",
        "setting `warplens.gpu`: a10: no GPU profile of that name; did you mean a100",
    ):
        assert len([message for message in await editor.messages(said.split(":")[0]) if said in message]) == 1, said
    assert not [message for message in editor.shown if "server.path" in message]


async def told_of(editor, uri: str, count: int) -> list[types.Diagnostic]:
    """The newest diagnostics of a file that is not open, once there are as many."""
    async with asyncio.timeout(60), editor.arrived:
        while True:
            newest = [params for params in editor.published if params.uri == uri][-1:]
            if newest and len(newest[0].diagnostics) == count:
                return list(newest[0].diagnostics)
            await editor.arrived.wait()
