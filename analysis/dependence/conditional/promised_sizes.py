"""Relations between sizes that somebody promises, as constraints of a nest, and those that would help a loop."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from itertools import combinations_with_replacement

from warplens.analysis.dependence.conditional.useful_sizes import are_useful
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver, TooComplexError
from warplens.analysis.dependence.integer_sets.offsets_in_rows import offsets_in_rows
from warplens.analysis.dependence.integer_sets.sizes_apart import Alternative
from warplens.analysis.dependence.subscripts.affine_condition import Disjunction
from warplens.analysis.dependence.subscripts.iteration_domain import Reference, assigned_scalars, constant_symbols
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.promises.comment import can_be_stated
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.size_holds import SizeHolds

_MOST_PAIRS = 24
"""Pairs of references to ask about together."""


def said_sizes(nest: LoopNest, promises: Iterable[Promise]) -> dict[SizeHolds, Disjunction]:
    """What is promised of numbers that the nest leaves alone."""
    constants = _left_alone(nest)
    sizes = (promise for promise in promises if isinstance(promise, SizeHolds))
    return {size: size.relation.cases for size in sizes if size.relation.value.symbols <= constants}


def _left_alone(nest: LoopNest) -> frozenset[str]:
    """Names with one value in all of the nest, for a reader too: `k += 2` leaves a `k` in it that is the first one."""
    moved = {induction.name for loop in loops_of(nest) for induction in loop.inductions}
    return constant_symbols(nest) - assigned_scalars((nest.root,)) - moved


def missing_sizes(
    nest: LoopNest, verdict: LoopVerdict, inside: Iterable[Reference], level: int, solver: ConflictSolver
) -> tuple[tuple[SizeHolds, ...], ...]:
    """Sets of promises about sizes, with any of which no two iterations meet in what is in the way of a verdict."""
    groups: dict[str, list[Reference]] = {}
    for reference in inside:
        if reference.id in verdict.blockers:
            groups.setdefault(reference.variable, []).append(reference)
    pairs = [
        (first, second)
        for group in groups.values()
        for first, second in combinations_with_replacement(dict.fromkeys(group), 2)
        if first.is_write or second.is_write
    ]
    if not pairs:
        return ()
    known = _left_alone(nest)
    found: list[Alternative] = []
    if len(pairs) <= _MOST_PAIRS:
        with suppress(TooComplexError):
            found += solver.sizes_apart(pairs, level, known)
    in_rows = offsets_in_rows((r for group in groups.values() for r in group), level, known)
    if in_rows is not None:  # more likely to be what somebody has in mind than one value of it, or one beyond all rows
        found = [in_rows, *(way for way in found if way != in_rows)]
    loop = next(one for one in loops_of(nest) if one.id == verdict.loop)
    ways = (tuple(map(SizeHolds, relations)) for relations in found if are_useful(loop, relations))
    return tuple(way for way in ways if all(map(can_be_stated, way)))
