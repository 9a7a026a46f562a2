"""Counts of a real run in the editor: in the hover, and again when another run is imported."""

import json

import pytest
from lsprotocol import types
from warplens.server.cli.main import main

LOOP = "void f(int n, float *x)\n{\n    for (int i = 0; i < n; i++)\n        x[i] = 0;\n}\n"


def imported(folder, iterations: int) -> None:
    """A run in which the loop had so many iterations, the only one in the profile."""
    line = {"line_number": 3, "count": iterations + 1, "branches": [{"count": iterations}, {"count": 1}]}
    functions = [{"name": "f", "start_line": 1, "execution_count": 1}]
    document = {"format_version": "1", "files": [{"file": "f.c", "functions": functions, "lines": [line]}]}
    (folder / "f.gcov.json").write_text(json.dumps(document))
    assert main(["profile", "import", "--replace", "--root", str(folder), str(folder / "f.gcov.json")]) == 0


@pytest.mark.asyncio
async def test_the_hover_says_what_was_measured_and_follows_the_profile(start) -> None:
    editor = await start()
    (editor.folder / "f.c").write_text(LOOP)
    uri = editor.open("f.c", LOOP)
    await editor.diagnostics(uri)
    assert "| measured |" not in await editor.hover(uri, "for")
    for iterations, text in ((1048576, "1 048 576"), (50000, "50 000")):
        imported(editor.folder, iterations)
        seen = len(editor.published)
        profile = types.FileEvent(editor.uri(".warplens/profile.json"), types.FileChangeType.Changed)
        editor.client.workspace_did_change_watched_files(types.DidChangeWatchedFilesParams([profile]))
        shown = await editor.diagnostics(uri, seen)
        assert all(diagnostic.code != "WL901" for diagnostic in shown)
        hover = await editor.hover(uri, "for")
        assert f"| measured | {text} iterations, 100 % of the program's line executions |" in hover
        assert f"`n` = {text} (a run)" in hover
        (document,) = (await editor.ask("warplens/status"))["documents"]
        assert (document["nestsAnalysed"], document["nestsEvaluated"]) == (0, 1)

    editor.edit(uri, "x[i] = 0", "x[i] = 1")
    (stale,) = [d for d in await editor.saved(uri) if d.code == "input"]
    assert "older text: `f` changed since then" in stale.message
    assert "| measured |" not in await editor.hover(uri, "for")
