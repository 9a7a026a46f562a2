"""How often the bodies of a nest's innermost loops run in all: its work as one formula."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, Statement


def innermost_iterations(facts: NestFacts) -> Formula:
    """Iterations of all innermost loops per run of the nest. Assumes: no condition keeps a loop from running."""
    return _in((facts.nest.root,), {count.loop: count.average for count in facts.trip_counts})


def _in(body: Sequence[Statement], counts: Mapping[NodeId, Formula]) -> Formula:
    """Of the innermost loops in a body, per run of it; 0 without a loop."""
    total = ZERO
    for statement in body:
        if isinstance(statement, Loop):
            inner = _in(statement.body, counts)
            total = total + counts[statement.id] * (ONE if inner == ZERO else inner)
        elif isinstance(statement, If):
            total = total + _in((*statement.then, *statement.otherwise), counts)
    return total
