"""Diagnostics, pushed when an analysis ends and when an edit moves or drops what was shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.documents import Document
from warplens.server.to_lsp import diagnostics_of

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer


def publish(server: WarplensServer, document: Document) -> None:
    """Send what is known of the document's current text."""
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(document.uri, diagnostics_of(document), document.version)
    )


def clear(server: WarplensServer, uri: str) -> None:
    """Take back what was shown for a document that is no longer open."""
    server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
