"""Loops that only overwrite what other iterations read before: parallel once they read that from a copy.

`x[i] = x[i + 1] + b[i]` reads of each element what it held before the loop. Read from a copy that was made before,
nothing orders the iterations.

Source: Padua, Wolfe, Advanced compiler optimizations for supercomputers, CACM 29(12), 1986 (node splitting, renaming).
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.dependence.transforms.dependence_graph import DependenceGraph
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class OldValues:
    """`reads` of `array` that must come from a copy made before the loop, ids of accesses."""

    array: str
    reads: frozenset[NodeId]


def old_values(graph: DependenceGraph, loop: NodeId) -> tuple[OldValues, ...]:
    """The copies that leave a loop without a carried dependence; empty where copies don't do, or none is needed.

    A read that any iteration of the loop may make after the write of its element stays as it is: if it is in the way
    too, no copy helps.
    """
    if graph.gap(loop):
        return ()
    private = graph.private(loop)
    within = graph.within(loop)
    carried = [d for d in within if d.carrier == loop and d.variable not in private and not d.accumulates]
    if not carried or any(d.kind != "anti" or d.source == d.source_statement for d in carried):
        return ()
    every = {r.id: r for r in graph.references if not r.is_write}
    reads: dict[str, set[NodeId]] = {}
    for dependence in carried:
        # The graph has one of all reads of a statement that touch the same.
        one = every[dependence.source]
        same = (r for r in every.values() if (r.statement, r.variable) == (one.statement, one.variable))
        reads.setdefault(dependence.variable, set()).update(r.id for r in same if r.positions == one.positions)
    if any(d.kind == "flow" and d.sink in reads.get(d.variable, ()) for d in within):
        return ()
    return tuple(OldValues(name, frozenset(ids)) for name, ids in sorted(reads.items()))
