"""Hover: a loop's header, a statement or an access says what was predicted for it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING
from urllib.parse import quote

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.span import Span
from warplens.server.background.measured_kernels import static_times_of
from warplens.server.features.fix_reference import fix_reference
from warplens.server.lsp.client_support import (
    COMPARE_COMMAND,
    PREVIEW_COMMAND,
    REPORT_COMMAND,
    client_support,
    shows_markdown,
)
from warplens.server.lsp.places import line_in
from warplens.server.render.access_card import node_card
from warplens.server.render.brief_card import brief_card
from warplens.server.render.card import Card, Section, as_markdown, as_plain_text
from warplens.server.render.elsewhere_rows import elsewhere_rows
from warplens.server.render.fix_title import WRITES_FILE, fix_name
from warplens.server.render.glossary import glossary_links
from warplens.server.render.hidden_text import hidden_rows
from warplens.server.render.macro_rows import macro_rows
from warplens.server.render.measured_kernel import kernel_sections
from warplens.server.render.measured_times import timing_rows
from warplens.server.render.pictures.loop_pictures import loop_pictures
from warplens.server.render.size_places import place_text
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def hover(ls: WarplensServer, params: types.HoverParams) -> types.Hover | None:
    """Card of what stands under the cursor; None where nothing was analysed."""
    document = ls.documents.get(params.text_document.uri)
    if document is None:
        return None
    found = _card_at(ls, document, document.positions.offset(params.position))
    if found is None:
        return None
    card, span = found
    return types.Hover(_content(ls, card), document.positions.range(span))


def _card_at(ls: WarplensServer, document: Document, offset: int) -> tuple[Card, Span] | None:
    """Card and place of the innermost thing at an offset: an access before its statement, a header before both."""
    for function in document.answer.functions if document.answer else ():
        if not function.span.contains(offset):
            continue
        for nest in function.nests:
            for node, span, is_loop in nodes_at(nest.spans, offset):
                if not nest.packed:
                    is_pending = nest.hidden is not None and nest.hidden.reason == "pending"
                    return (Card("This loop is still being analysed."), span) if is_pending and is_loop else None
                evaluation = unpack(nest.packed)
                card = _loop_card(ls, document, nest, evaluation, node) if is_loop else _node_card(document, nest, node)
                if card is not None:
                    return replace(card, more=_more(ls, document, span)), span
    return None


def _node_card(document: Document, nest: NestAnswer, node: NodeId) -> Card | None:
    card = node_card(unpack(nest.packed), node)
    if card is None:
        return None
    return replace(card, rows=(*card.rows, *macro_rows(nest.macros, node, document.positions.line_of)))


def _loop_card(
    ls: WarplensServer, document: Document, nest: NestAnswer, evaluation: NestEvaluation, loop: NodeId
) -> Card:
    """A loop's card with what is known beside its evaluation: measurements, quick fixes, pictures."""
    line_of, break_even = partial(line_in, document.positions, nest.spans), document.break_even_of(nest)
    root = document.answer.program_root if document.answer else ""
    places = {name: place_text(listed[0], root) for name, listed in nest.size_sources if listed}
    card = brief_card(evaluation, loop, line_of, nest.fixes, places, break_even)
    return replace(
        card,
        rows=(
            *card.rows,
            *hidden_rows(nest.hidden),
            *timing_rows(nest.timings, evaluation),
            *macro_rows(nest.macros, loop, document.positions.line_of),
            *(elsewhere_rows(nest.elsewhere) if evaluation.facts.nest.root.id == loop else ()),
        ),
        links=_links(ls, document, nest, loop),
        sections=_measured_kernels(ls, document, nest, evaluation),
        pictures=loop_pictures(evaluation, loop, break_even, ls.pictures) if ls.pictures else (),
    )


def _measured_kernels(
    ls: WarplensServer, document: Document, nest: NestAnswer, evaluation: NestEvaluation
) -> tuple[Section, ...]:
    """The measured kernels that the nest is linked to; the first hover asks for what is predicted for their runs."""
    if not nest.kernels:
        return ()
    return kernel_sections(nest.kernels, static_times_of(ls, document, nest), evaluation.gpu.id)


def _more(ls: WarplensServer, document: Document, span: Span) -> tuple[tuple[str, str], ...]:
    """Where all else is: in the client's views where it has them, else on the command line."""
    start = document.positions.position(span.start)

    def uri(command: str) -> str:
        arguments = [document.uri, start.line, start.character]
        return f"command:{command}?{quote(json.dumps(arguments))}"

    views = ((REPORT_COMMAND, "the whole report"), (COMPARE_COMMAND, "other GPUs"))
    links = tuple((text, uri(command)) for command, text in views if command in ls.client_commands)
    name = PurePath(document.path).name
    return links or ((f"`warplens check {name}:{start.line + 1}`", ""),)


def _links(ls: WarplensServer, document: Document, nest: NestAnswer, loop: NodeId) -> tuple[tuple[str, str], ...]:
    """The fixes of a loop that this client can apply, each with the command that shows what it would write."""

    def uri(offer: OfferedFix) -> str:
        return f"command:{PREVIEW_COMMAND}?{quote(json.dumps([fix_reference(document, nest, offer)]))}"

    creates_files = client_support(ls.client_capabilities).creates_files
    offers = (
        offer
        for offer in nest.fixes
        if offer.loop == loop and not offer.refusal and (creates_files or offer.code != WRITES_FILE)
    )
    return tuple((fix_name(offer), uri(offer) if PREVIEW_COMMAND in ls.client_commands else "") for offer in offers)


def nodes_at(spans: NestSpans, offset: int) -> list[tuple[NodeId, Span, bool]]:
    """Loops whose header holds the offset, then statements and accesses, smallest first."""
    at = offset - spans.base
    headers = [(node, span.shifted(spans.base), True) for node, span in spans.header if span.contains(at)]
    inner = [(node, span.shifted(spans.base), False) for node, span in spans.nodes if span.contains(at)]
    return sorted(headers, key=_size) + sorted(inner, key=_size)


def _size(entry: tuple[NodeId, Span, bool]) -> int:
    return entry[1].end - entry[1].start


def _content(ls: WarplensServer, card: Card) -> types.MarkupContent:
    if not shows_markdown(ls.client_capabilities):
        return types.MarkupContent(types.MarkupKind.PlainText, as_plain_text(card))
    return types.MarkupContent(types.MarkupKind.Markdown, glossary_links(as_markdown(card)))
