"""The first hover waits for nothing that the ones after it find ready."""

from __future__ import annotations

from cattrs import Converter
from lsprotocol import types
from warplens.server.glossary import glossary_links


def warm_up(converter: Converter) -> None:
    """Read the glossary; take one hover through the converter, which builds its code for a type when it meets it."""
    at = types.Position(0, 0)
    request = types.HoverRequest(0, types.HoverParams(types.TextDocumentIdentifier(""), at))
    converter.structure(converter.unstructure(request), types.HoverRequest)
    hover = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, ""), types.Range(at, at))
    converter.unstructure(types.HoverResponse(0, hover))
    glossary_links("warp")
