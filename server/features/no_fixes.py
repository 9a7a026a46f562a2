"""`warplens/noFixes`: why nothing is offered where the cursor is, in terms of the loop that stands there."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.text.span import Span
from warplens.server.features.fix_actions import touched_loops
from warplens.server.lsp.places import line_in
from warplens.server.render.loop_reasons import verdict_sentences
from warplens.server.session.documents import Document
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

if TYPE_CHECKING:
    from warplens.server.session.language_server import WarplensServer


def why_no_fixes(ls: WarplensServer, uri: str, position: types.Position) -> str:
    """Sentences for the user; asked where `warplens/fixes` has nothing."""
    document = ls.documents.get(uri)
    if document is None:
        return "The file is not open in the server."
    if document.answer is None:
        return f"{document.failure.message}." if document.failure else "The file is not analysed yet."
    at = document.positions.offset(position)
    for function in document.answer.functions:
        for nest in function.nests:
            touched = touched_loops(nest.spans, Span(at, at))
            if touched:
                return _why_none_of(document, nest, touched)
    return "No loop that was analysed stands at the cursor."


def _why_none_of(document: Document, nest: NestAnswer, touched: set[NodeId]) -> str:
    """Of the outermost of the loops around the cursor that can't run in parallel."""
    if not nest.packed:
        return f"The loop was not analysed: {nest.failure}."
    facts = unpack(nest.packed).facts
    line_of = partial(line_in, document.positions, nest.spans)
    for loop in loops_of(facts.nest):
        verdict = facts.verdict(loop.id)
        if loop.id in touched and not verdict.can_run_in_parallel:
            why = " ".join(verdict_sentences(facts.nest, verdict, line_of))
            return f"No fix for the loop over `{c_name(loop.iterator)}` in line {line_of(loop.id)}. Parallel? {why}"
    return "No fix is known for this loop."
