"""Inlay hints: at most one a nest, unless the user wants to see where every loop goes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.server.lsp.client_support import hears_of_hints, shows_markdown
from warplens.server.lsp.places import node_span
from warplens.server.render.card import as_markdown_text
from warplens.server.render.loop_hints import LoopHint
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


async def inlay_hints(ls: WarplensServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    """The hints that stand in the range, as the settings want them.

    A client that can't be told to ask again (Emacs) is answered once an analysis that is under way has ended.
    """
    document = ls.documents.get(params.text_document.uri)
    if document is not None and not hears_of_hints(ls.client_capabilities):
        await document.analysed(whole=True)
    settings = ls.configuration.known(params.text_document.uri)
    if document is None or document.answer is None or not settings.inlay_hints:
        return []
    wanted = document.positions.span(params.range)
    shown: dict[int, LoopHint] = {}
    for function in document.answer.functions:
        if wanted.start <= function.span.end and function.span.start <= wanted.end:
            for nest in function.nests:
                for hint in nest.hints:
                    offset = _place(nest, hint) if hint.is_main or settings.hints_on_every_loop else None
                    if offset is not None and wanted.start <= offset <= wanted.end:
                        shown.setdefault(offset, hint)  # all loops of a called function stand at its call
    with_markdown = shows_markdown(ls.client_capabilities)
    return [_hint(document, offset, shown[offset], with_markdown=with_markdown) for offset in sorted(shown)]


def _place(nest: NestAnswer, hint: LoopHint) -> int | None:
    """None for what stands nowhere in the file."""
    span = node_span(nest.spans, hint.node)
    return None if span is None else span.end


def _hint(document: Document, offset: int, hint: LoopHint, *, with_markdown: bool) -> types.InlayHint:
    tooltip = types.MarkupContent(types.MarkupKind.Markdown, as_markdown_text(hint.tooltip)) if with_markdown else None
    return types.InlayHint(
        document.positions.position(offset), hint.label, tooltip=tooltip or hint.tooltip, padding_left=True
    )
