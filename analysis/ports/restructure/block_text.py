"""Statements of a block as they stand in the file, matched to those of the nest."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.ports.restructure.loop_text import EditRefusedError, ForText, has_directive
from warplens.analysis.text.span import Span
from warplens.analysis.text.statements import Statements
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives

_WORD = re.compile(r"[A-Za-z_]\w*")
_JUMPS = ("break", "continue", "goto", "return")
_TYPE_WORDS = frozenset(
    ("const", "volatile", "register", "static", "restrict", "signed", "unsigned", "char", "short", "int", "long")
) | frozenset(("float", "double", "_Bool", "_Complex", "struct", "union", "enum", "void"))


@dataclass(frozen=True, slots=True)
class BlockStatement:
    """A statement or declaration of a block by absolute span; `units` are places in the loop's body of the nest."""

    span: Span
    words: frozenset[str]
    units: tuple[int, ...]


def block_statements(context: FixContext, loop: Loop, text: ForText) -> tuple[BlockStatement, ...]:
    """The statements of a loop's block in order, each statement of the nest in one of them.

    Raises EditRefusedError where the body has no braces, jumps, preprocessor lines, or statements from macros.
    """
    if not text.has_braces:
        raise EditRefusedError("the loop's body is one statement")
    if has_directive(context.source, text.body):
        raise EditRefusedError("preprocessor lines stand in the loop's body")
    code = without_comments_and_directives(context.source[text.body.start : text.body.end])
    tokens = tokenise(code)
    jump = next((word for word in tokens.texts if word in _JUMPS), "")
    if jump:
        raise EditRefusedError(f"`{jump}` stands in the loop's body")
    structure = Statements(tokens.texts)
    spans: list[Span] = []
    at, last = 1, len(tokens.texts) - 1
    while at < last:
        end = structure.end(at)
        if end <= at or end > last:
            raise EditRefusedError("the statements of the loop's body can't be told apart")
        spans.append(Span(tokens.starts[at] + text.body.start, tokens.ends[end - 1] + text.body.start))
        at = end
    units: dict[int, list[int]] = {number: [] for number in range(len(spans))}
    nodes = dict((*context.spans.nodes, *context.spans.whole))
    for unit, statement in enumerate(loop.body):
        place = nodes.get(statement.id)
        if place is None or statement.id in context.spans.in_macro:
            raise EditRefusedError("a statement of the loop's body comes from a macro")
        start = place.start + context.spans.base
        within = [number for number, span in enumerate(spans) if span.start <= start < span.end]
        if len(within) != 1:
            raise EditRefusedError("a statement of the loop's body is not written out there")
        units[within[0]].append(unit)
    if [unit for number in range(len(spans)) for unit in units[number]] != list(range(len(loop.body))):
        raise EditRefusedError("the statements of the loop's body run in another order than they stand in")
    return tuple(
        BlockStatement(span, _words(context.source, span), tuple(units[number])) for number, span in enumerate(spans)
    )


def declared_words(statement: BlockStatement) -> frozenset[str]:
    """Names that a statement of which the nest knows nothing may declare; those of types are not told from them."""
    return frozenset() if statement.units else statement.words - _TYPE_WORDS


def _words(source: str, span: Span) -> frozenset[str]:
    return frozenset(_WORD.findall(without_comments_and_directives(source[span.start : span.end])))
