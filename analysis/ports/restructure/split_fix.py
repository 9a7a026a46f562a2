"""The quick fix that splits a loop so that its parallel part can go to the GPU.

A loop that some statements carry from iteration to iteration becomes several loops, one after the other, where no
statement of a later one feeds an earlier one; those without the carried dependence are parallel.

Not done: parts that share a scalar (it would need an array), sums that would be rounded in another order, statements
in another order than in the source.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.subscripts.iteration_domain import has_exact_bounds
from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph
from warplens.analysis.dependence.transforms.fission import Fission
from warplens.analysis.dependence.transforms.nest_legality import legality_of
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.fix import FixContext, FixEdits, FixRule, LaunchWish, OfferedFix, TextEdit
from warplens.analysis.ports.restructure.block_text import BlockStatement, block_statements, declared_words
from warplens.analysis.ports.restructure.loop_text import (
    EditRefusedError,
    for_text,
    header_names,
    require_no_directive,
    require_plain_header,
    require_statement_of_block,
)
from warplens.analysis.ports.restructure.predicted_gain import LEAST_GAIN, gain_of, predicted_s
from warplens.analysis.ports.restructure.proof import is_small, unproved
from warplens.analysis.ports.restructure.rebuilt_nest import with_loop
from warplens.analysis.ports.source_lines import line_end
from warplens.analysis.text.span import Span

CODE = "split"
_LINE_END = re.compile(r"\A(?>/\*.*?\*/|//[^\n]*|[^\n])*?\n", re.DOTALL)
"""Up to the end of the first line that does not end within a comment."""
_FINDINGS = ("WL101",)


@dataclass(frozen=True, slots=True)
class _Split:
    """A loop's statements in the file, and before which of them it is cut; `parts` are statements of the nest."""

    loop: Loop
    statements: tuple[BlockStatement, ...]
    cuts: tuple[int, ...]
    parts: tuple[tuple[int, ...], ...]


def offer(context: FixContext) -> tuple[OfferedFix, ...]:
    """One offer per carried loop that has a parallel part, and is not part of a kernel."""
    found = []
    for loop, graph, parts in _candidates(context):
        title = f"Split the loop over `{c_name(loop.iterator)}`: its parallel part can go to the GPU"
        if not _is_block(context, loop):
            continue
        try:
            split = _split(context, loop, graph, parts)
        except EditRefusedError as refused:
            found.append(OfferedFix(CODE, title, loop.id, refusal=str(refused), findings=_FINDINGS))
            continue
        nests = with_loop(context.evaluation.facts.nest, loop.id, _loops(context.evaluation.facts.nest, split))
        facts = [analyse_nest(nest) for nest in nests]
        after_s = predicted_s(context.evaluation, facts) if any(one.kernels for one in facts) else None
        gain = 1.0 if after_s is None else gain_of(context.evaluation, after_s)
        if gain >= LEAST_GAIN:
            found.append(OfferedFix(CODE, title, loop.id, findings=_FINDINGS, gain=gain))
    return tuple(found)


def edit(context: FixContext, offer: OfferedFix, _wish: LaunchWish) -> FixEdits:
    """A closing brace and the header again at each cut."""
    for loop, graph, parts in _candidates(context):
        if loop.id == offer.loop:
            try:
                split = _split(context, loop, graph, parts)
            except EditRefusedError as refused:
                return FixEdits(refusal=str(refused))
            note = (
                f"{len(split.parts)} loops over `{c_name(loop.iterator)}` in place of one; no part feeds an earlier one"
            )
            return FixEdits(tuple(_cut_edit(context, split, cut) for cut in split.cuts), note=note)
    return FixEdits()


FIX = FixRule(CODE, offer, edit).of_source_order


def _candidates(context: FixContext) -> Iterator[tuple[Loop, DependenceGraph, Fission]]:
    """Carried loops of which full fission would leave a parallel part, outermost first."""
    facts = context.evaluation.facts
    if all(verdict.kind != "carried" for verdict in facts.verdicts) or not is_small(facts.nest):
        return
    legality = legality_of(facts.nest, facts.verdicts)
    taken: set[NodeId] = set()
    for loop in loops_of(facts.nest):
        if loop.id in taken or facts.verdict(loop.id).kind != "carried" or len(loop.body) < 2:
            continue
        parts = legality.fission(loop.id)
        if parts.legality.is_legal and any(
            part.is_parallel and _has_work(loop, part.statements) for part in parts.parts
        ):
            taken.update(inner.id for inner in walk_statements(loop.body) if isinstance(inner, Loop))
            yield loop, legality.graph, parts


def _is_block(context: FixContext, loop: Loop) -> bool:
    """Whether the body has statements in braces: what the nest sees as several may be one in the text."""
    try:
        return for_text(context, loop).has_braces
    except EditRefusedError:
        return True  # the reason is worth more


def _has_work(loop: Loop, statements: Sequence[NodeId]) -> bool:
    """Whether statements touch memory: one that only sets a variable is no part worth a loop."""
    chosen = tuple(statement for statement in loop.body if statement.id in statements)
    return any(accesses_of(statement) for statement in walk_statements(chosen))


def _split(context: FixContext, loop: Loop, graph: DependenceGraph, fission: Fission) -> _Split:
    """Where the loop is cut. Raises EditRefusedError where no cut leaves a parallel part."""
    name = f"the loop over `{c_name(loop.iterator)}`"
    if not has_exact_bounds(loop):
        raise EditRefusedError(f"how often {name} runs does not follow from its header")
    text = for_text(context, loop)
    require_no_directive(context, loop, text)
    require_plain_header(text, loop.iterator)
    require_statement_of_block(context, text, name)
    if c_name(loop.iterator) in header_names(replace(text, condition="", step="", start=text.start.partition("=")[2])):
        raise EditRefusedError(f"{name} starts at what `{c_name(loop.iterator)}` was before")
    statements = block_statements(context, loop, text)
    reasons: list[str] = []
    cuts = []
    for cut in range(1, len(statements)):
        reason = _why_not(context, fission, loop, statements, cut)
        if reason:
            reasons.append(reason)
        elif any(s.units for s in statements[:cut]) and any(s.units for s in statements[cut:]):
            cuts.append(cut)
    kept = _worth_it(graph, loop, statements, cuts)
    if not kept:
        raise EditRefusedError(next(filter(None, reasons), f"{name} can only be cut between serial statements"))
    return _Split(loop, statements, tuple(kept), _parts(statements, kept))


def _why_not(context: FixContext, fission: Fission, loop: Loop, statements: Sequence[BlockStatement], cut: int) -> str:
    """Why the loop can't be cut before a statement; empty if it can."""
    before = frozenset().union(*(s.words for s in statements[:cut]))
    behind = frozenset().union(*(s.words for s in statements[cut:]))
    nest = context.evaluation.facts.nest
    declared = {c_name(o) for o, where in _declared(nest) if where == loop.id}
    for statement in statements:
        declared |= declared_words(statement)
    shared = sorted(declared & before & behind - {c_name(loop.iterator)})
    if shared:
        return f"`{shared[0]}` is declared in the loop and used on both sides"
    at = sum(len(s.units) for s in statements[:cut])
    if not 0 < at < len(loop.body):
        return ""
    legality = fission.cuts[at - 1]
    if legality.is_legal and legality.private:
        return f"`{c_name(legality.private[0])}` is set on one side and used on the other: it would need an array"
    return unproved(context.evaluation.facts, legality)


def _declared(nest: LoopNest) -> list[tuple[str, NodeId | None]]:
    return [(o.name, o.declared_in) for o in nest.scalars] + [(o.name, o.declared_in) for o in nest.arrays]


def _parts(statements: Sequence[BlockStatement], cuts: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    edges = [0, *cuts, len(statements)]
    return tuple(tuple(unit for s in statements[a:b] for unit in s.units) for a, b in pairwise(edges))


def _worth_it(
    graph: DependenceGraph, loop: Loop, statements: Sequence[BlockStatement], cuts: Sequence[int]
) -> list[int]:
    """The cuts between parts of which one is parallel and the other is not, or both are only apart."""
    kept: list[int] = []
    for at, cut in enumerate(cuts):
        end = cuts[at + 1] if at + 1 < len(cuts) else len(statements)
        before, behind = (
            tuple(unit for s in statements[first:last] for unit in s.units)
            for first, last in ((kept[-1] if kept else 0, cut), (cut, end))
        )
        together = _is_parallel(graph, loop, (*before, *behind))
        if not together and (_is_parallel(graph, loop, before) or _is_parallel(graph, loop, behind)):
            kept.append(cut)
    return kept if any(_is_parallel(graph, loop, part) for part in _parts(statements, kept)) else []


def _is_parallel(graph: DependenceGraph, loop: Loop, units: Sequence[int]) -> bool:
    """Whether the loop with these statements alone carries nothing but sums and what each iteration may have itself."""
    inside = {s.id for unit in units for s in walk_statements((loop.body[unit],))}
    private = graph.private(loop.id)
    return not any(
        d.carrier == loop.id and not d.accumulates and d.variable not in private
        for d in graph.within(loop.id)
        if d.source_statement in inside and d.sink_statement in inside
    )


def _loops(nest: LoopNest, split: _Split) -> tuple[Loop, ...]:
    """The loops of the nest that the text is cut into; the first keeps its id."""
    free = 1 + max(
        number for s in walk_statements((nest.root,)) for number in (s.id, *(access.id for access in accesses_of(s)))
    )
    return tuple(
        replace(
            split.loop,
            id=split.loop.id if number == 0 else NodeId(free + number),
            body=tuple(split.loop.body[unit] for unit in part),
        )
        for number, part in enumerate(split.parts)
    )


def _cut_edit(context: FixContext, split: _Split, cut: int) -> TextEdit:
    """`}` and the header before a statement and the comments above it, in the style of the loop that is there."""
    source = context.source
    text = for_text(context, split.loop)
    eol = line_end(source)
    line = source.rfind("\n", 0, text.header.start) + 1
    before = source[line : text.header.start]
    indent = before[: len(before) - len(before.lstrip())]
    gap = source[text.header.end : text.body.start]
    gap = " " if gap.strip() or not gap else gap
    header = source[text.header.start : text.header.end]
    end, start = split.statements[cut - 1].span.end, split.statements[cut].span.start
    between = source[end:start]
    lines = f"{indent}}}{eol}{indent}{header}{gap}{{{eol}"
    line_after = _LINE_END.search(between)
    if line_after is None:  # both on one line, as a loop in one line has them
        return TextEdit(Span(end, start), f"{between.rstrip()} }}{eol}{indent}{header}{gap}{{ ")
    at = end + line_after.end()
    empty = re.match(r"(?:[ \t]*\r?\n)*", source[at:start])
    assert empty is not None
    return TextEdit(Span(at, at + empty.end()), lines)
