"""A fix's edits as the one WorkspaceEdit that a client applies, and takes back, in one step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.uris import from_fs_path
from warplens.analysis.ports.fix import FixEdits, NewFile
from warplens.server.files.sibling_file import Sibling, sibling
from warplens.server.lsp.client_support import ClientSupport
from warplens.server.session.documents import Document

_REQUEST_FAILED = -32803
_EDIT, _FILE = "edit", "file"
_START = types.Position(0, 0)
_LAST = types.Position(2**31 - 1, 0)

Change = types.TextDocumentEdit | types.CreateFile | types.RenameFile | types.DeleteFile


def refused(message: str) -> JsonRpcException:
    """The error that clients show the user."""
    return JsonRpcException(message, _REQUEST_FAILED)


def workspace_edit(client: ClientSupport, document: Document, title: str, edits: FixEdits) -> types.WorkspaceEdit:
    """The edit as this client can take it; raises the error of `refused`.

    A new file, a replaced one and a promise wait for the user's confirmation where the client can ask for it. A file
    that holds other text is replaced by such a client only.
    """
    places = [(file, *_place(client, document, file)) for file in edits.new_files]
    files = [(file, path, found) for file, path, found in places if found is not Sibling.SAME]
    if not edits.edits and not files:
        there = " and ".join(file.name for file in edits.new_files)
        raise refused(f"there is nothing to change{f': {there} holds this text already' if there else ''}")
    plain = [types.TextEdit(document.positions.range(edit.span), edit.text) for edit in edits.edits]
    if not client.takes_document_changes:
        return types.WorkspaceEdit(changes={document.uri: plain})
    annotations: dict[str, types.ChangeAnnotation] = {}
    changes: list[Change] = []
    if plain:
        promise = edits.promise or None
        annotations[_EDIT] = types.ChangeAnnotation(title, bool(promise), promise or _said(edits) or None)
        identifier = types.OptionalVersionedTextDocumentIdentifier(document.uri, document.version)
        changes.append(types.TextDocumentEdit(identifier, _annotated(client, plain, _EDIT)))
    for file, path, found in files:
        changes += _file_changes(client, file, path, annotations, exists=found is Sibling.OTHER)
    return types.WorkspaceEdit(
        document_changes=changes, change_annotations=annotations if client.shows_annotations else None
    )


def _said(edits: FixEdits) -> str:
    """What a client shows beside the edit: the fix in a few words, and what its result takes for granted."""
    return ". ".join(part.rstrip(".") for part in (edits.note, *edits.rests_on) if part)


def _place(client: ClientSupport, document: Document, file: NewFile) -> tuple[Path, Sibling]:
    """Where a new file goes and what is there; raises the error of `refused`."""
    if not document.uri.startswith("file:"):
        raise refused(f"{file.name} goes beside the C file: save that first")
    path = Path(document.path).with_name(file.name)
    found = sibling(path, file.text)
    if found is Sibling.NO_TEXT:
        raise refused(f"{file.name} is there and is no text file that could be replaced: move it away first")
    if found is not Sibling.SAME and not client.creates_files:
        raise refused(f"this editor can't create files: `warplens port --write` puts {file.name} there")
    if found is Sibling.OTHER and not client.shows_annotations:
        raise refused(f"{file.name} exists and holds other text: move it away first")
    return path, found


def _file_changes(
    client: ClientSupport, file: NewFile, path: Path, annotations: dict[str, types.ChangeAnnotation], *, exists: bool
) -> list[Change]:
    uri = from_fs_path(str(path)) or path.as_uri()
    name = f"{_FILE} {file.name}"
    label = f"Replace {file.name}" if exists else f"Create {file.name}"
    why = "a file of this name holds other text" if exists else "a new file beside the C file"
    annotations[name] = types.ChangeAnnotation(label, needs_confirmation=True, description=why)
    whole = types.Range(_START, _LAST if exists else _START)
    content = types.TextDocumentEdit(
        types.OptionalVersionedTextDocumentIdentifier(uri, None),
        _annotated(client, [types.TextEdit(whole, file.text)], name),
    )
    if exists:
        return [content]
    options = types.CreateFileOptions(overwrite=False, ignore_if_exists=False)
    return [types.CreateFile(uri, options=options, annotation_id=name if client.shows_annotations else None), content]


def _annotated(
    client: ClientSupport, edits: Sequence[types.TextEdit], annotation: str
) -> list[types.TextEdit | types.AnnotatedTextEdit | types.SnippetTextEdit]:
    if not client.shows_annotations:
        return [*edits]
    return [types.AnnotatedTextEdit(annotation, edit.range, edit.new_text) for edit in edits]
