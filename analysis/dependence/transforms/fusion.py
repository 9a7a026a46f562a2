"""Fusion of two loops that stand next to each other and run over the same iterations.

Source: Kennedy, McKinley, Maximizing loop parallelism and improving data locality via loop fusion and distribution,
LCPC 1993: what the first loop does for all iterations must not meet, later, what the second did in an earlier one.
Not modelled: loops with different iterators, bounds or steps; peeling; loops that are not in a loop (two nests).
"""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from warplens.analysis.dependence.scalars.privatization import is_read_before_written
from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph, dependence_graph
from warplens.analysis.dependence.transforms.legality import Legality, assumptions, band
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, LoopNest, Statement, loops_of, walk_statements


def fusion(graph: DependenceGraph, first: NodeId, second: NodeId) -> Legality:
    """Whether two loops, the second right after the first in one body, may become one."""
    by_id = {loop.id: loop for loop in loops_of(graph.nest)}
    pair = (by_id.get(first), by_id.get(second))
    if pair[0] is None or pair[1] is None or not _are_neighbours(graph.nest, pair[0], pair[1]):
        return Legality(is_legal=False, reason="the loops do not stand next to each other")
    before, after = pair[0], pair[1]
    reason = band(graph, [first]).reason or band(graph, [second]).reason or _difference(before, after)
    if reason:
        return Legality(is_legal=False, reason=reason)
    fused = replace(before, body=(*before.body, *after.body))
    root = _with_fused(graph.nest.root, fused, second)
    together = dependence_graph(replace(graph.nest, root=root), ())
    if together.gap(first):
        return Legality(is_legal=False, reason=together.gap(first))
    own = {s.id for s in walk_statements(before.body)}
    others = {s.id for s in walk_statements(after.body)}
    turned = [
        d
        for d in together.dependences
        if d.carrier == first and d.source_statement in others and d.sink_statement in own
    ]
    may_be_private = graph.private(first) & graph.private(second)
    blocking = [d for d in turned if not d.accumulates and d.variable not in may_be_private]
    if blocking:
        return Legality(is_legal=False, because=tuple(sorted(blocking, key=lambda d: not d.vector.is_exact)))
    private = {d.variable for d in turned if not d.accumulates}
    return Legality(
        is_legal=True,
        private=tuple(sorted(private)),
        reordered=tuple(sorted({d.variable for d in turned if d.accumulates})),
        assumptions=assumptions(together, fused, private),
    )


def _are_neighbours(nest: LoopNest, first: Loop, second: Loop) -> bool:
    bodies: list[tuple[Statement, ...]] = []
    for statement in walk_statements((nest.root,)):
        if isinstance(statement, Loop):
            bodies.append(statement.body)
        elif isinstance(statement, If):
            bodies += [statement.then, statement.otherwise]
    return any(a is first and b is second for body in bodies for a, b in pairwise(body))


def _difference(first: Loop, second: Loop) -> str:
    if first.iterator != second.iterator:
        return f"the loops count with `{first.iterator}` and `{second.iterator}`"
    if (first.start, set(first.limits), first.step) != (second.start, set(second.limits), second.step):
        return "the loops do not run over the same iterations"
    for statement in walk_statements(first.body):
        if isinstance(statement, Loop) and is_read_before_written((second,), statement.iterator):
            return f"the second loop reads `{statement.iterator}`, which a loop in the first leaves"
    return ""


def _with_fused(root: Loop, fused: Loop, gone: NodeId) -> Loop:
    def body(statements: tuple[Statement, ...]) -> tuple[Statement, ...]:
        return tuple(changed(s) for s in statements if s.id != gone)

    def changed(statement: Statement) -> Statement:
        if statement.id == fused.id:
            return fused
        if isinstance(statement, Loop):
            return replace(statement, body=body(statement.body))
        if isinstance(statement, If):
            return replace(statement, then=body(statement.then), otherwise=body(statement.otherwise))
        return statement

    return replace(root, body=body(root.body))
