"""Hover: a loop's header, a statement or an access says what was predicted for it."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import OfferedFix
from warplens.analysis.text.span import Span
from warplens.server.background.gpu_comparisons import find_comparison
from warplens.server.background.measured_kernels import static_times_of
from warplens.server.features.fix_reference import fix_reference
from warplens.server.lsp.client_support import PREVIEW_COMMAND, client_support, shows_markdown
from warplens.server.lsp.places import line_in
from warplens.server.render.access_card import node_card
from warplens.server.render.card import Card, Section, as_markdown, as_plain_text
from warplens.server.render.compared_table import brief_table, compared_notes
from warplens.server.render.elsewhere_rows import elsewhere_rows
from warplens.server.render.fix_title import WRITES_FILE, fix_name, refused_fixes
from warplens.server.render.glossary import glossary_links
from warplens.server.render.hidden_text import hidden_rows
from warplens.server.render.loop_card import loop_card
from warplens.server.render.macro_rows import macro_rows
from warplens.server.render.measured_kernel import kernel_sections
from warplens.server.render.measured_times import timing_rows
from warplens.server.render.pictures.loop_pictures import loop_pictures
from warplens.server.render.size_places import with_places
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


OTHER_GPUS = "On other GPUs"
"""Title of the section that compares them."""


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
                line_of = partial(line_in, document.positions, nest.spans)
                if is_loop:
                    break_even = document.break_even_of(nest)
                    card: Card | None = loop_card(evaluation, node, line_of, is_brief=True, break_even=break_even)
                else:
                    card = node_card(evaluation, node)
                if card is not None:
                    if is_loop:
                        return _with_nest(ls, document, nest, evaluation, node, card), span
                    macros = macro_rows(nest.macros, node, document.positions.line_of)
                    return replace(card, rows=(*card.rows, *macros)), span
    return None


def _with_nest(
    ls: WarplensServer, document: Document, nest: NestAnswer, evaluation: NestEvaluation, loop: NodeId, card: Card
) -> Card:
    """A loop's card with what is known beside its evaluation: measurements, quick fixes, pictures."""
    card = with_places(card, evaluation, nest.size_sources, document.answer.program_root if document.answer else "")
    line_of = document.positions.line_of
    return replace(
        card,
        rows=(
            *hidden_rows(nest.hidden),
            *card.rows,
            *timing_rows(nest.timings, evaluation),
            *macro_rows(nest.macros, loop, line_of),
            *(elsewhere_rows(nest.elsewhere) if evaluation.facts.nest.root.id == loop else ()),
        ),
        links=_links(ls, document, nest, loop),
        sections=(
            *card.sections,
            *_measured_kernels(ls, document, nest, evaluation),
            _other_gpus(ls, document, nest, evaluation),
            refused_fixes(nest.fixes, loop),
        ),
        pictures=loop_pictures(evaluation, loop, document.break_even_of(nest), ls.pictures) if ls.pictures else (),
    )


def _measured_kernels(
    ls: WarplensServer, document: Document, nest: NestAnswer, evaluation: NestEvaluation
) -> tuple[Section, ...]:
    """The measured kernels that the nest is linked to; the first hover asks for what is predicted for their runs."""
    if not nest.kernels:
        return ()
    return kernel_sections(nest.kernels, static_times_of(ls, document, nest), evaluation.gpu.id)


def _other_gpus(ls: WarplensServer, document: Document, nest: NestAnswer, evaluation: NestEvaluation) -> Section:
    """The nest on other GPUs where that is known; the first hover of a nest asks for it."""
    if evaluation.offload is not None and evaluation.offload.has_work:
        find_comparison(ls, document, nest.packed)
    rows = document.comparisons.get(nest.packed) or ()
    if not rows:
        return Section(OTHER_GPUS, ())
    return Section(OTHER_GPUS, compared_notes(rows), brief_table(rows))


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
    return tuple((fix_name(offer), uri(offer) if ls.previews_fixes else "") for offer in offers)


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
