"""Diagnostics for a client that asks for them: the newest, once, never pushed too."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

SOURCE = """\
void prefix(int n, float *restrict x)
{
    for (int i = 1; i < n; i++)
        x[i] += x[i - 1];
}

void column(int n, float *restrict x)
{
    for (int i = 0; i < n; i++)
        x[i * 64] = 0;
}
"""
STUCK = "void stuck(int n, float *forever) {\n  for (int i = 0; i < n; i++)\n    forever[i] = 1;\n}\n"


def pulls(capabilities: types.ClientCapabilities) -> None:
    """As VS Code's client announces it."""
    assert capabilities.text_document
    assert capabilities.workspace
    capabilities.text_document.diagnostic = types.DiagnosticClientCapabilities(dynamic_registration=True)
    capabilities.workspace.diagnostics = types.DiagnosticWorkspaceClientCapabilities(refresh_support=True)


def asked(editor: Any, uri: str, previous: str | None = None) -> Any:
    """The pull, under way."""
    params = types.DocumentDiagnosticParams(types.TextDocumentIdentifier(uri), previous_result_id=previous)
    return editor.client.protocol.send_request(types.TEXT_DOCUMENT_DIAGNOSTIC, params)


async def pulled(editor: Any, uri: str, previous: str | None = None) -> Any:
    return await asyncio.wrap_future(asked(editor, uri, previous))


async def told(editor: Any, after: int) -> None:
    """Wait for the server to say that there is something new."""
    async with asyncio.timeout(60), editor.arrived:
        while editor.refreshed.count("diagnostics") <= after:
            await editor.arrived.wait()


@pytest.mark.asyncio
async def test_what_is_pulled_at_once_is_what_others_are_pushed_and_nothing_is_pushed(start) -> None:
    others = await start(client="neovim")
    assert others.client.capabilities.text_document.diagnostic is not None  # it pulls, but can't be told to pull again
    assert others.offered.diagnostic_provider is None
    pushed = await others.diagnostics(others.open("f.c", SOURCE))
    assert len(pushed) >= 2
    assert "diagnostics" not in others.refreshed
    editor = await start(adjust=pulls)
    assert editor.offered.diagnostic_provider is not None
    assert editor.offered.diagnostic_provider.workspace_diagnostics is False
    uri = editor.open("f.c", SOURCE)
    report = await pulled(editor, uri)  # nothing is known yet: it waits for the analysis
    assert report.kind == "full"
    assert list(report.items) == pushed
    await told(editor, 0)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(uri)))
    assert not (await pulled(editor, uri)).items
    assert not (await pulled(editor, editor.uri("unknown.c"))).items
    assert editor.published == []


@pytest.mark.asyncio
async def test_the_newest_is_pulled_and_what_has_not_changed_is_not_sent_again(start) -> None:
    editor = await start(adjust=pulls)
    uri = editor.open("f.c", SOURCE)
    first = await pulled(editor, uri)
    await told(editor, 0)
    again = await pulled(editor, uri, first.result_id)
    assert (again.kind, again.result_id) == ("unchanged", first.result_id)
    editor.save(uri)
    assert (await pulled(editor, uri, first.result_id)).kind == "unchanged"
    await told(editor, 1)
    editor.edit(uri, "void column", "\nvoid column")
    await told(editor, 2)
    moved = await pulled(editor, uri, first.result_id)
    assert (moved.kind, moved.result_id == first.result_id) == ("full", False)
    lines = [[d.range.start.line for d in report.items if d.range.start.line > 5] for report in (first, moved)]
    assert lines[1] == [line + 1 for line in lines[0]]
    editor.edit(uri, "x[i * 64] = 0;", "x[i] = 0;")
    await told(editor, 3)
    left = await pulled(editor, uri, moved.result_id)
    assert 0 < len(left.items) < len(moved.items)
    assert all(d.range.start.line < 6 for d in left.items)
    editor.edit(uri, "x[i] += x[i - 1];", "x[i] += 1;")
    editor.save(uri)
    newest = await pulled(editor, uri, left.result_id)  # right behind the save: it waits for that analysis
    assert newest.kind == "full"
    assert any(d.code == "WL101" for d in left.items)
    assert not [d for d in newest.items if d.code == "WL101"]


@pytest.mark.asyncio
async def test_a_pull_that_waits_holds_nothing_up_and_ends_when_it_is_not_wanted_any_more(start) -> None:
    editor = await start(settings={"analysisTimeLimitSeconds": 300}, worker="runaway_child.py", adjust=pulls)
    uri, other = editor.open("f.c", STUCK), editor.open("g.c", STUCK)
    waiting = asked(editor, uri)
    assert len((await editor.ask("warplens/status"))["documents"]) == 2
    assert not waiting.done()
    (number,) = [number for number, each in editor.client.protocol._request_futures.items() if each is waiting]
    editor.client.cancel_request(types.CancelParams(number))
    with pytest.raises(JsonRpcException) as cancelled:
        await asyncio.wrap_future(waiting)
    assert cancelled.value.code == types.LSPErrorCodes.RequestCancelled
    editor.edit(uri, "void stuck", "\nvoid stuck")
    assert not (await pulled(editor, uri)).items  # edited since that analysis began: what is known is said at once
    waiting = asked(editor, other)
    editor.client.text_document_did_close(types.DidCloseTextDocumentParams(types.TextDocumentIdentifier(other)))
    assert not (await asyncio.wrap_future(waiting)).items


@pytest.mark.asyncio
async def test_the_first_loops_of_a_file_that_takes_long_are_given_at_once(start, tmp_path: Path) -> None:
    environment = {"LOG": str(tmp_path / "log"), "GATE": str(tmp_path / "gate")}
    editor = await start(worker="patient_child.py", environment=environment, adjust=pulls)
    text = SOURCE.replace("*restrict x", "*slow").replace("x[", "slow[")
    uri = editor.open("f.c", text + STUCK.replace("forever", "gated").replace("[i]", "[i * 64]"))
    lines = {d.range.start.line for d in (await pulled(editor, uri)).items}
    assert lines
    assert max(lines) < 10
    known = editor.refreshed.count("diagnostics")
    (tmp_path / "gate").touch()
    while 13 not in {d.range.start.line for d in (await pulled(editor, uri)).items}:
        await told(editor, known)
        known += 1
