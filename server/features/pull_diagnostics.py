"""Diagnostics for a client that asks for them (`textDocument/diagnostic`)."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.features.diagnostics import wanted_diagnostics
from warplens.server.features.to_lsp import SOURCE

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def can_pull(capabilities: types.ClientCapabilities) -> bool:
    """Whether a client pulls, and can be told when to pull again.

    One that can't (Neovim 0.11) would keep what it pulled before a save: it is served by push.
    """
    document, workspace = capabilities.text_document, capabilities.workspace
    refresh = workspace.diagnostics if workspace else None
    return bool(document and document.diagnostic and refresh and refresh.refresh_support)


def options() -> types.DiagnosticOptions:
    """What the server announces to such a client; an open header changes nothing elsewhere before it is saved."""
    return types.DiagnosticOptions(
        inter_file_dependencies=False, workspace_diagnostics=False, identifier=SOURCE, work_done_progress=False
    )


async def pull(ls: WarplensServer, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    """What is known of the document's current text, once an analysis of that text that is under way has ended."""
    document = ls.documents.get(params.text_document.uri)
    if document is not None:
        await document.analysed()
        document = ls.documents.get(params.text_document.uri)
    items = wanted_diagnostics(ls, document) if document is not None else []
    result_id = blake2b(repr(items).encode(errors="surrogatepass"), digest_size=8).hexdigest()
    if result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id)
    return types.RelatedFullDocumentDiagnosticReport(items, result_id=result_id)
