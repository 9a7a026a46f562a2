"""The fixes of the catalogue as an editor sees them: offered, shown before they are written, applied, refused."""

import json
import re
import subprocess
from pathlib import Path
from urllib.parse import unquote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

PLAIN = "void f(int n, float *x) {\n  for (int i = 0; i < n; i++)\n    x[i] = 0;\n}\n"
BEHIND = (
    "void f(int n, double *restrict x, const double *restrict y) {\r\n"
    "\tif (n > 0) /* 😀é */ for (int i = 0; i < n; i++)\r\n\t\tx[i] = 2 * y[i];\r\n}"
)
"""CRLF, tabs, a loop behind characters of one, two and four units, no line end at the end."""


async def openmp(editor, uri: str, token: str = "for (") -> types.CodeAction:
    (action,) = [
        a for a in await editor.actions(uri, token) if a.data["action"] == "fix" and a.data["code"] == "openmp"
    ]
    return action


def compiles(folder: Path, text: str, *options: str) -> bool:
    (folder / "ported.c").write_bytes(text.encode())
    command = ["gcc", "-fopenmp", "-fsyntax-only", "-Wall", "-Wno-misleading-indentation", "-Werror", *options]
    return subprocess.run([*command, "ported.c"], cwd=folder, check=False).returncode == 0


@pytest.mark.asyncio
@pytest.mark.parametrize("encoding", list(types.PositionEncodingKind))
async def test_the_edit_is_in_the_file_s_style_and_the_client_s_units(start, encoding, tmp_path: Path) -> None:
    editor = await start(encodings=[encoding])
    assert editor.offered.position_encoding == encoding
    uri = editor.open("f.c", BEHIND)
    await editor.diagnostics(uri)
    edit = await editor.apply(uri, (await editor.actions_in(uri, whole(BEHIND)))[0])
    broken = editor.texts[uri]
    assert " \\\r\n\t\t" in broken  # a tab deeper
    text = broken.replace(" \\\r\n\t\t", " ")
    before, _, after = text.partition("#pragma omp")
    assert before.endswith("/* 😀é */\r\n\t")
    assert after.partition("\r\n")[2].startswith("\tfor (int i")
    assert text.count("\n") == text.count("\r\n") == BEHIND.count("\n") + 2
    assert text.replace(f"\r\n\t#pragma omp{after.partition(chr(10))[0]}\n\t", " ") == BEHIND
    assert compiles(tmp_path, broken)
    assert len(edit.document_changes) == 1  # undone in one step


def whole(text: str) -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(text.count("\n"), 0))


@pytest.mark.asyncio
async def test_an_action_of_another_version_of_the_text_is_refused(start) -> None:
    editor = await start()
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    action = await openmp(editor, uri)
    editor.edit(uri, "void f", "\nvoid f")
    with pytest.raises(JsonRpcException, match="changed since this was offered") as error:
        await editor.client.code_action_resolve_async(action)
    assert error.value.code == -32801
    moved = await openmp(editor, uri)  # the report has moved with its function and is still true
    await editor.apply(uri, moved)
    assert editor.texts[uri].splitlines()[2].startswith("  #pragma omp target ")
    editor.edit(uri, "x[i] = 0", "x[i] = 1")
    assert await editor.actions_in(uri, whole(editor.texts[uri])) == []


@pytest.mark.asyncio
async def test_nothing_is_written_that_an_edited_macro_made_wrong(start) -> None:
    editor = await start()
    uri = editor.open(
        "f.c", "#define N 100\nfloat x[200];\nvoid f(void) {\n  for (int i = 0; i < N; i++)\n    x[i] = 0;\n}\n"
    )
    await editor.diagnostics(uri)
    editor.edit(uri, "100", "200")
    with pytest.raises(JsonRpcException, match="was edited since the file was analysed: save it first"):
        await editor.client.code_action_resolve_async(await openmp(editor, uri))


@pytest.mark.asyncio
async def test_a_copy_of_a_function_is_changed_where_it_stands(start) -> None:
    editor = await start()
    uri = editor.open("f.c", PLAIN + PLAIN.replace("x[i] = 0", "x[i] = 1"))
    await editor.diagnostics(uri)
    at = types.Range(types.Position(5, 3), types.Position(5, 3))
    (action,) = [a for a in await editor.actions_in(uri, at) if a.data.get("code") == "openmp"]
    await editor.apply(uri, action)
    assert editor.texts[uri].startswith(PLAIN)
    assert "#pragma omp" in editor.texts[uri]


@pytest.mark.asyncio
async def test_edits_are_described_to_a_client_that_shows_it(start) -> None:
    editor = await start()
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    action = await openmp(editor, uri)
    edit = await editor.apply(uri, action)
    (annotation,) = edit.change_annotations.values()
    assert (annotation.label, annotation.needs_confirmation) == (action.title, False)
    (change,) = edit.document_changes
    assert {each.annotation_id for each in change.edits} == set(edit.change_annotations)


@pytest.mark.asyncio
async def test_a_fix_is_shown_before_it_is_written(start) -> None:
    editor = await start()
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    at = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 4}}
    listed = await editor.ask("warplens/fixes", at)
    (fix,) = [each for each in listed if each["fix"]["code"] == "openmp"]
    assert (fix["refusal"], fix["gain"]) == ("", None)
    preview = await editor.ask("warplens/previewFix", fix["fix"])
    assert (preview["title"], preview["problem"]) == (fix["title"], "")
    (file,) = preview["files"]
    assert (file["uri"], file["exists"]) == (uri, True)
    shown = await editor.client.workspace_text_document_content_async(
        types.TextDocumentContentParams(file["previewUri"])
    )
    await editor.apply(uri, await openmp(editor, uri))
    assert editor.texts[uri] == shown.text == file["text"]
    added = [line[1:] for line in preview["diff"].splitlines() if line.startswith("+") and not line.startswith("+++")]
    assert added == [line for line in shown.text.splitlines() if line not in PLAIN.splitlines()]
    for stale in (
        editor.ask("warplens/previewFix", fix["fix"]),
        editor.client.workspace_text_document_content_async(types.TextDocumentContentParams(file["previewUri"])),
        editor.client.workspace_text_document_content_async(types.TextDocumentContentParams("warplens-preview:/f.c?*")),
    ):
        with pytest.raises(JsonRpcException):
            await stale


@pytest.mark.asyncio
@pytest.mark.parametrize("client", ["visual-studio-code", "neovim"])
async def test_cuda_goes_into_a_file_beside_the_source_once(start, client: str) -> None:
    editor = await start(client=client)
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    (action,) = [a for a in await editor.actions(uri, "for (") if a.data.get("code") == "cuda"]
    shown = await editor.ask("warplens/previewFix", action.data)
    (file,) = shown["files"]
    assert not file["exists"]
    assert shown["diff"].startswith("--- /dev/null\n+++ b/f_f.cu\n")
    await editor.apply(uri, action)
    written = editor.folder / "f_f.cu"
    assert written.as_uri() == file["uri"]
    assert written.read_text() == file["text"]
    assert "__global__" in file["text"]
    assert editor.texts[uri] == PLAIN
    with pytest.raises(JsonRpcException, match=r"f_f\.cu holds this text already"):
        await editor.client.code_action_resolve_async(action)
    written.write_text("by hand\n")
    if client == "neovim":
        with pytest.raises(JsonRpcException, match=r"f_f\.cu exists and holds other text"):
            await editor.client.code_action_resolve_async(action)
    else:
        await editor.apply(uri, action)
        assert written.read_text() == file["text"]


@pytest.mark.asyncio
async def test_no_fix_is_listed_where_there_is_no_loop(start) -> None:
    editor = await start()
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    for line, wanted in ((0, uri), (1, editor.uri("other.c"))):
        asked = {"textDocument": {"uri": wanted}, "position": {"line": line, "character": 0}}
        assert await editor.ask("warplens/fixes", asked) == []


@pytest.mark.asyncio
@pytest.mark.parametrize("commands", [[], ["warplens.previewFix"]])
async def test_the_hover_of_a_header_names_the_fixes_and_leads_to_them(start, commands: list[str]) -> None:
    editor = await start(options={"commands": commands})
    uri = editor.open("f.c", PLAIN)
    await editor.diagnostics(uri)
    hover = await editor.hover(uri, "for (")
    (row,) = [line for line in hover.splitlines() if line.startswith("Quick fixes: ")]
    assert "OpenMP" in row
    links = re.findall(r"\[OpenMP\]\(command:warplens\.previewFix\?([^)|]*)\)", row)
    assert len(links) == len(commands)
    for link in links:
        (fix,) = json.loads(unquote(link))
        assert "#pragma omp" in (await editor.ask("warplens/previewFix", fix))["diff"]
    assert "Quick fixes" not in await editor.hover(uri, "x[i]")


@pytest.mark.asyncio
@pytest.mark.parametrize(
    ("token", "said"),
    [
        ("for (int k", r"^No fix for the loop over `k` in line 2\. Parallel\? No: `x\[k - 1\]` \(line 3\) reads what "),
        ("x[k] = ", r"^No fix for the loop over `k` in line 2\. Parallel\? No: "),
        ("void", r"^No loop that was analysed stands at the cursor\.$"),
    ],
)
async def test_where_no_fix_is_offered_the_loop_s_reason_is_known(start, token: str, said: str) -> None:
    editor = await start()
    text = "void f(int n, float *x) {\n  for (int k = 1; k < n; k++)\n    x[k] = x[k - 1] + 1;\n}\n"
    uri = editor.open("f.c", text)
    await editor.diagnostics(uri)
    before = text[: text.index(token)]
    position = {"line": before.count("\n"), "character": len(before) - before.rfind("\n") - 1}
    at = {"textDocument": {"uri": uri}, "position": position}
    assert await editor.ask("warplens/fixes", at) == []
    assert re.search(said, (await editor.ask("warplens/noFixes", at))["reason"])
    unknown = {"textDocument": {"uri": f"{uri}.none"}, "position": position}
    assert (await editor.ask("warplens/noFixes", unknown))["reason"] == "The file is not open in the server."
