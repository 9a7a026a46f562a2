"""Diagnostics, shown when an analysis ends and when an edit moves or drops what was shown.

They are pushed, or the client is asked to pull them: which of the two is settled when it connects, never both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.documents import Document
from warplens.server.to_lsp import diagnostics_of

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer


def publish(server: WarplensServer, document: Document) -> None:
    """Have the client show what is known of the document's current text."""
    if server.is_pulled:
        server.workspace_diagnostic_refresh(None)
        return
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(document.uri, diagnostics_of(document), document.version)
    )


def clear(server: WarplensServer, uri: str) -> None:
    """Take back what was shown for a document that is no longer open; a client that pulls does that itself."""
    if not server.is_pulled:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
