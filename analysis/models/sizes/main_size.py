"""The main parameter of a nest: the size that is varied when speedup is drawn against size."""

from __future__ import annotations

from collections.abc import Mapping
from math import log2, prod

from warplens.analysis.cpu.loop_tree import core_tree
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.simulation.grid import grid_extents
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

_DIGITS = 1
"""Growth to this many decimals: (n - 2)² and n² grow alike."""


def main_size(facts: NestFacts, sizes: Mapping[str, int]) -> str | None:
    """Return the parameter that the threads of the nest's kernels grow with most, then its iterations, when it doubles.

    Of equal ones (both sides of a matrix) it is that of the outermost loop. None where no parameter makes more
    iterations: all bounds are constants, or data decides them. `sizes` has a value for every parameter.
    Assumes: what people vary is the size of the data that threads share, not that of a filter each of them applies.
    """
    before = _amounts(facts, sizes)
    best: tuple[float, float] = (0.0, 0.0)
    found = None
    for name in _by_loop(facts):
        doubled = _amounts(facts, {**sizes, name: 2 * max(1, sizes.get(name, 0))})
        threads, iterations = (_growth(old, new) for old, new in zip(before, doubled, strict=True))
        if max(threads, iterations) > 0 and (threads, iterations) > best:
            best, found = (threads, iterations), name
    return found


def _amounts(facts: NestFacts, sizes: Mapping[str, int]) -> tuple[float, float]:
    """Threads of one launch of every kernel, and iterations of all loops on one core."""
    values = extend_sizes(sizes, facts.nest)
    threads = sum(prod(map(float, grid_extents(kernel, values))) for kernel in facts.kernels)
    return threads, sum(node.iterations for node in core_tree(facts.sequential, values).walk() if node.loop is not None)


def _growth(old: float, new: float) -> float:
    """Exponent of the growth; 0 of what doesn't grow, or was nothing before."""
    return max(0.0, round(log2(new / old), _DIGITS)) if old > 0 and new > 0 else 0.0


def _by_loop(facts: NestFacts) -> list[str]:
    """Parameters in the order in which loops depend on them, outer loops first."""
    order: dict[str, None] = {}
    for loop in loops_of(facts.nest):
        trip_count = facts.trip_count(loop.id)
        order.update(dict.fromkeys(sorted(trip_count.average.parameters)))
    return [name for name in order if name in facts.parameters]
