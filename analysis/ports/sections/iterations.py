"""What sizes decide whether loops run at all."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, loops_of, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.sections.touched_range import (
    HostValues,
    NeverTouchedError,
    RangeUnknownError,
    touched_range,
)


def iteration_conditions(loops: Iterable[Loop], known: frozenset[str], values: HostValues) -> frozenset[Polynomial]:
    """What is >= 0 wherever loops (outer first) have an iteration, as far as it is known.

    `known` are the symbols whose value is known before, `values` takes the numbers that are made of them.
    """
    try:
        return touched_range(Polynomial(()), tuple(loops), (), known, values).conditions
    except (RangeUnknownError, NeverTouchedError):
        return frozenset()


def loops_around(nest: LoopNest, root: NodeId, inside: Iterable[NodeId]) -> tuple[Loop, ...]:
    """The loops around a kernel's outermost one, `root`, and those of its loops that are in `inside`, outer first."""
    ids = frozenset(inside)
    return tuple(
        loop for loop in loops_of(nest) if loop.id in ids or any(s.id == root for s in walk_statements(loop.body))
    )


def within_iterations(loops: Iterable[Loop], known: frozenset[str]) -> frozenset[Polynomial]:
    """What is >= 0 in every iteration of loops (outer first) whose bounds say it in `known` symbols and iterators."""
    found: set[Polynomial] = set()
    for loop in loops:
        if loop.start is None or loop.bound_reads:
            continue
        iterator, sign = Polynomial.symbol(loop.iterator), 1 if loop.step > 0 else -1
        known |= {loop.iterator}
        bounds = ((iterator - loop.start) * sign, *((limit - iterator) * sign - 1 for limit in loop.limits))
        found |= {bound for bound in bounds if bound.symbols <= known}
    return frozenset(found)
