"""The first hover waits for nothing that the ones after it find ready."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.server.documents import Document
from warplens.server.features.hover import hover
from warplens.server.to_lsp import header_span

if TYPE_CHECKING:
    from warplens.server.language_server import WarplensServer


def warm_up(server: WarplensServer, document: Document) -> None:
    """Serve one hover to no one, through the converter, which builds its code on first use; once per server."""
    answer = document.answer
    if answer is None or server.is_warm:
        return
    packed = (nest for function in answer.functions for nest in function.nests if nest.packed)
    span = next((s for nest in packed if (s := header_span(nest.spans, NodeId(0)))), None)
    if span is None:
        return
    position = document.positions.position(span.start)
    request = types.HoverRequest(0, types.HoverParams(types.TextDocumentIdentifier(document.uri), position))
    received = server.converter.structure(server.converter.unstructure(request), types.HoverRequest)
    server.converter.unstructure(types.HoverResponse(0, hover(server, received.params)))
    server.is_warm = True
