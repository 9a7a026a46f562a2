"""Documents that are opened, typed into, saved and closed."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server import scheduler
from warplens.server.features import config_diagnostics, diagnostics
from warplens.server.lsp.document_language import may_be_c
from warplens.server.lsp.positions import PositionMap
from warplens.server.lsp.uri_path import path_of
from warplens.server.session.documents import Document, Failure

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

_LONGEST_NAME = 200
"""Of a buffer without a file, for people."""


def register(server: WarplensServer) -> None:
    """The notifications of text documents."""

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def _opened(ls: WarplensServer, params: types.DidOpenTextDocumentParams) -> None:
        item = params.text_document
        path = path_of(item.uri) or item.uri[-_LONGEST_NAME:]
        if not may_be_c(item.language_id, path):
            return
        encoding = str(getattr(ls.workspace.position_encoding, "value", ls.workspace.position_encoding))
        document = Document(item.uri, path, item.version, PositionMap(item.text, encoding), encoding)
        ls.documents[item.uri] = document
        scheduler.request_analysis(ls, document)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def _changed(ls: WarplensServer, params: types.DidChangeTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is None:
            return
        if document.change(params.text_document.version, params.content_changes):
            diagnostics.publish(ls, document)
        if ls.configuration.known(document.uri).analyse_while_typing:
            scheduler.analyse_after_pause(ls, document)
        else:
            scheduler.prepare_after_pause(ls, document)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    def _saved(ls: WarplensServer, params: types.DidSaveTextDocumentParams) -> None:
        document = ls.documents.get(params.text_document.uri)
        if document is not None:
            scheduler.request_analysis(ls, document)
            scheduler.files_changed(ls, [document.path])

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def _closed(ls: WarplensServer, params: types.DidCloseTextDocumentParams) -> None:
        document = ls.documents.pop(params.text_document.uri, None)
        if document is not None:
            scheduler.forget(document)
            config_diagnostics.publish(ls, document.uri, ())
        diagnostics.clear(ls, params.text_document.uri)


def seen(server: WarplensServer, uri: str) -> None:
    """The client asks for something of a document: it is visible, and analysed before those that are not."""
    document = server.documents.get(uri)
    if document is not None:
        document.seen_s = monotonic()


def give_up(server: WarplensServer, uri: str) -> None:
    """Close a document whose text is no longer the client's, until it is opened again."""
    document = server.documents.pop(uri, None)
    if document is not None:
        scheduler.forget(document)
        document.answer = None
        document.failure = Failure("the editor sent a change that makes no sense: close the file and open it again")
        diagnostics.publish(server, document)
