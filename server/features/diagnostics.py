"""Diagnostics, shown when an analysis ends and when an edit moves or drops what was shown.

They are pushed, or the client is asked to pull them: which of the two is settled when it connects, never both.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.features.to_lsp import diagnostics_of
from warplens.server.session.documents import Document

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def publish(server: WarplensServer, document: Document) -> None:
    """Have the client show what is known of the document's current text."""
    if server.is_pulled:
        server.workspace_diagnostic_refresh(None)
        return
    server.text_document_publish_diagnostics(
        types.PublishDiagnosticsParams(document.uri, wanted_diagnostics(server, document), document.version)
    )


def wanted_diagnostics(server: WarplensServer, document: Document) -> list[types.Diagnostic]:
    """What is shown of a document; that an analysis ended is switched off here, since it has no result to say so."""
    disabled = server.configuration.known(document.uri).disabled_rules
    shown = diagnostics_of(document)
    if not disabled:
        return shown
    from warplens.analysis.engine.switched_off import ENDED  # noqa: PLC0415 - loads the rules: a start waits for it

    return [each for each in shown if each.code != ENDED] if ENDED in disabled else shown


def clear(server: WarplensServer, uri: str) -> None:
    """Take back what was shown for a document that is no longer open; a client that pulls does that itself."""
    if not server.is_pulled:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, []))
