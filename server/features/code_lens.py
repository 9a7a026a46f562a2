"""Code lens: one line above each nest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.server.lsp.places import header_span
from warplens.server.render.headline import lens_end

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer

SHOW_LOOP_COMMAND = "warplens.showLoop"
"""The client's command, with (uri, line, character)."""


def code_lenses(ls: WarplensServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    """The nests' headlines, with break-evens once known; pressing one shows its loop's hover, if the client can."""
    document = ls.documents.get(params.text_document.uri)
    if document is None or document.answer is None or not ls.configuration.known(document.uri).code_lens:
        return []
    return [
        _lens(document.uri, document.positions.range(span), f"{nest.lens}{lens_end(document.break_even_of(nest))}")
        for function in document.answer.functions
        for nest in function.nests
        if nest.lens and (span := header_span(nest.spans, NodeId(0)))
    ]


def _lens(uri: str, range_: types.Range, title: str) -> types.CodeLens:
    arguments = [uri, range_.start.line, range_.start.character]
    return types.CodeLens(range_, types.Command(title, SHOW_LOOP_COMMAND, arguments=arguments))
