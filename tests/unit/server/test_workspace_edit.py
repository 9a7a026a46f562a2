"""A fix's edits as what a client applies: files that are new, the same, other; clients that can do more or less."""

import os
from pathlib import Path

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from warplens.analysis.ports.fix import FixEdits, NewFile, TextEdit
from warplens.analysis.text.span import Span
from warplens.server.features.workspace_edit import workspace_edit
from warplens.server.lsp.client_support import ClientSupport, client_support
from warplens.server.lsp.positions import PositionMap
from warplens.server.session.documents import Document

TEXT = "/* 😀 */ for (;;) ;\n"
ALL = ClientSupport(
    resolves_actions=True, shows_disabled=True, takes_document_changes=True, creates_files=True, shows_annotations=True
)
BARE = ClientSupport(
    resolves_actions=True,
    shows_disabled=False,
    takes_document_changes=True,
    creates_files=False,
    shows_annotations=False,
)
INSERTION = TextEdit(Span(8, 8), "#pragma x\n")
PORT = FixEdits(new_files=(NewFile("f.cu", "kernel\n"),), note="a kernel")


@pytest.fixture
def document(tmp_path: Path) -> Document:
    path = tmp_path / "f.c"
    return Document(path.as_uri(), str(path), 7, PositionMap(TEXT, "utf-16"), "utf-16")


def test_a_new_file_is_created_then_filled_and_asked_about(document: Document) -> None:
    edit = workspace_edit(ALL, document, "Port", PORT)
    create, fill = edit.document_changes or ()
    assert isinstance(create, types.CreateFile)
    assert isinstance(fill, types.TextDocumentEdit)
    assert create.uri == fill.text_document.uri == document.uri.replace("f.c", "f.cu")
    assert create.options == types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
    assert [each.new_text for each in fill.edits if isinstance(each, types.AnnotatedTextEdit)] == ["kernel\n"]
    (annotation,) = (edit.change_annotations or {}).values()
    assert annotation.needs_confirmation
    assert annotation.label == "Create f.cu"


@pytest.mark.parametrize("written", ["kernel\n", "kernel\r\n"])
def test_a_file_with_the_same_lines_stays(document: Document, written: str) -> None:
    Path(document.path).with_name("f.cu").write_bytes(written.encode())
    with pytest.raises(JsonRpcException, match=r"nothing to change: f\.cu holds this text already"):
        workspace_edit(ALL, document, "Port", PORT)
    both = FixEdits((INSERTION,), PORT.new_files)
    (change,) = workspace_edit(BARE, document, "Port", both).document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    assert change.text_document.version == 7


def test_a_file_with_other_text_is_replaced_only_when_the_user_can_be_asked(document: Document) -> None:
    Path(document.path).with_name("f.cu").write_text("by hand\n")
    edit = workspace_edit(ALL, document, "Port", PORT)
    (change,) = edit.document_changes or ()
    assert isinstance(change, types.TextDocumentEdit)
    (text,) = change.edits
    assert isinstance(text, types.AnnotatedTextEdit)
    assert text.range.end.line > 1000  # all of it, whatever an editor holds unsaved
    (annotation,) = (edit.change_annotations or {}).values()
    assert (annotation.label, annotation.needs_confirmation) == ("Replace f.cu", True)
    unasked = ClientSupport(
        resolves_actions=True,
        shows_disabled=True,
        takes_document_changes=True,
        creates_files=True,
        shows_annotations=False,
    )
    with pytest.raises(JsonRpcException, match=r"f\.cu exists and holds other text"):
        workspace_edit(unasked, document, "Port", PORT)


def test_what_is_no_text_file_is_never_replaced(document: Document) -> None:
    place = Path(document.path).with_name("f.cu")
    place.symlink_to("nowhere")
    with pytest.raises(JsonRpcException, match=r"f\.cu is there and is no text file"):
        workspace_edit(ALL, document, "Port", PORT)
    place.unlink()
    os.mkfifo(place)  # to read it would wait for ever
    with pytest.raises(JsonRpcException, match=r"f\.cu is there and is no text file"):
        workspace_edit(ALL, document, "Port", PORT)


def test_a_client_that_creates_no_files_is_told_the_command(document: Document) -> None:
    with pytest.raises(JsonRpcException, match="warplens port --write"):
        workspace_edit(BARE, document, "Port", PORT)


def test_a_client_that_only_says_that_it_creates_files_gets_them(document: Document) -> None:
    """As Neovim: file operations exist in `documentChanges` alone."""
    edits = types.WorkspaceEditClientCapabilities(resource_operations=[types.ResourceOperationKind.Create])
    neovim = client_support(types.ClientCapabilities(types.WorkspaceClientCapabilities(workspace_edit=edits)))
    edit = workspace_edit(neovim, document, "Port", PORT)
    create, fill = edit.document_changes or ()
    assert isinstance(create, types.CreateFile)
    assert create.annotation_id is None
    assert isinstance(fill, types.TextDocumentEdit)
    assert fill.edits == [types.TextEdit(types.Range(types.Position(0, 0), types.Position(0, 0)), "kernel\n")]
    assert edit.change_annotations is None


def test_no_file_goes_beside_a_document_that_has_no_place(document: Document) -> None:
    document.uri = "untitled:Untitled-1"
    with pytest.raises(JsonRpcException, match="save that first"):
        workspace_edit(ALL, document, "Port", PORT)


def test_a_promise_is_asked_about(document: Document) -> None:
    edit = workspace_edit(ALL, document, "Say it", FixEdits((INSERTION,), promise="`a` and `b` do not overlap"))
    (annotation,) = (edit.change_annotations or {}).values()
    assert (annotation.needs_confirmation, annotation.description) == (True, "`a` and `b` do not overlap")


def test_an_old_client_gets_plain_changes_in_its_units(document: Document) -> None:
    old = client_support(types.ClientCapabilities())
    edit = workspace_edit(old, document, "Port", FixEdits((INSERTION,)))
    assert edit.document_changes is None
    (change,) = (edit.changes or {})[document.uri]
    assert change.range.start == types.Position(0, 9)  # the face counts twice
    with pytest.raises(JsonRpcException, match="can't create files"):
        workspace_edit(old, document, "Port", PORT)
