"""All direction vectors of a pair of references, with the distances that go with them, decided by isl.

A set of differences is split loop by loop into "later", "same" and "earlier", and parts without a point are dropped.

Shape: `[n, m] -> { [d0, d1, ..] : d = iteration of the sink - iteration of the source }` over the common loops from
the carrier on, in the direction of each loop's step. No isl object leaves this file.

Source: Burke, Cytron, Interprocedural dependence analysis and parallelization, CC 1986 (the hierarchy of directions);
Wolfe, Optimizing Supercompilers for Supercomputers, 1989, chapter 2.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import islpy as isl
from warplens.analysis.dependence.integer_sets.bounded_sets import QUICK_TEST_OPERATIONS, BoundedSets
from warplens.analysis.dependence.integer_sets.long_loops import meets_for_all_long_loops
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.integer_sets.pair_rows import PairRows
from warplens.analysis.dependence.integer_sets.quick_tests import members_differ, never_meet
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.facts.verdict import Direction
from warplens.analysis.ir.nest import Loop

_SIGNS: tuple[Direction, ...] = ("<", "=", ">")

Range = tuple[int | None, int | None]
"""Smallest and largest distance in iterations, None where it is not bounded for all sizes."""


@dataclass(frozen=True, slots=True)
class Vector:
    """Distances between source and sink, per common loop from the outermost.

    A direction is `<` where the sink's iteration is later, `>` where it is earlier. `is_exact`
    says that two executions at such a distance do meet for all sizes whose loops are long enough.
    """

    directions: tuple[Direction, ...]
    ranges: tuple[Range, ...]
    is_exact: bool

    @property
    def distances(self) -> tuple[int | None, ...]:
        """Distance per loop in iterations, None where it is not one number."""
        return tuple(low if low == high else None for low, high in self.ranges)


def common_loops(source: Reference, sink: Reference) -> tuple[Loop, ...]:
    """Loops around both, outermost first."""
    pairs = zip(source.place.loops, sink.place.loops, strict=False)
    return tuple(left for left, right in pairs if left.id == right.id)


class VectorSolver:
    """Answers for one nest, within one limit on the work of all its questions."""

    def __init__(self) -> None:
        self._sets = BoundedSets(NestBudget())

    @property
    def operations(self) -> int:
        """Operations used so far, of the limit of one nest."""
        return self._sets.operations

    def carried(self, source: Reference, sink: Reference, level: int) -> tuple[Vector, ...]:
        """Vectors of the meetings in which loop number `level` is the outermost whose iterations differ.

        One per combination of directions inside. Raises TooComplexError.
        """
        self._sets.use(QUICK_TEST_OPERATIONS)
        if never_meet(source, sink, level):
            return ()
        rows = self._sets.pair(source, sink, level)
        places = (source.place, sink.place)
        is_exact = rows.is_exact and rows.lost_depth <= level and all(p.is_exact_for(level) for p in places)
        return self._sets.within_limits(lambda: self._vectors(rows, level, is_exact=is_exact))

    def _vectors(self, rows: PairRows, level: int, *, is_exact: bool) -> tuple[Vector, ...]:
        inner = rows.common[level:]
        whole = self._sets.points(rows.distances())
        if whole.is_empty():
            return ()
        found = []
        for directions, part in self._parts_of(whole, 1, len(inner), ("<",)):
            self._sets.charge(part, 4 * len(inner))
            ranges = tuple(_iterations(part, d, loop.step) for d, loop in enumerate(inner))
            always = not rows.has_parameters
            if is_exact and not always:
                always = meets_for_all_long_loops(part, rows, self._sets)
            found.append(Vector((*_same(level), *directions), (*((0, 0),) * level, *ranges), is_exact and always))
        return tuple(found)

    def in_one_iteration(self, source: Reference, sink: Reference) -> Vector | None:
        """Vector of zeros when the two meet in one iteration of all common loops. Raises TooComplexError."""
        if members_differ(source, sink):
            return None
        depth = len(common_loops(source, sink))
        rows = self._sets.pair(source, sink, depth - 1, in_one_iteration=True)
        meets, always = self._sets.within_limits(lambda: self._meets(rows))
        places = (source.place, sink.place)
        is_exact = rows.is_exact and rows.lost_depth <= depth and all(p.is_exact_for(depth) for p in places)
        return Vector(_same(depth), ((0, 0),) * depth, is_exact and always) if meets else None

    def _meets(self, rows: PairRows) -> tuple[bool, bool]:
        """Whether the two meet for some sizes, and whether they do for all but a few."""
        meeting = self._sets.points(rows.meetings())
        if meeting.is_empty():
            return False, False
        self._sets.charge(meeting)
        return True, not rows.has_parameters or _has_volume(meeting.params())

    def _parts_of(
        self, part: isl.Set, dim: int, dims: int, directions: tuple[Direction, ...]
    ) -> Iterator[tuple[tuple[Direction, ...], isl.Set]]:
        if dim == dims:
            yield directions, part
            return
        for sign in _SIGNS:
            self._sets.charge(part)
            half = _half(part, dim, sign)
            if not half.is_empty():
                yield from self._parts_of(half, dim + 1, dims, (*directions, sign))


def _half(part: isl.Set, dim: int, sign: Direction) -> isl.Set:
    kind, context = isl.dim_type.set, part.get_ctx()
    if sign == "=":
        return part.fix_val(kind, dim, isl.Val.int_from_si(context, 0))
    one = isl.Val.int_from_si(context, 1 if sign == "<" else -1)
    return part.lower_bound_val(kind, dim, one) if sign == "<" else part.upper_bound_val(kind, dim, one)


def _same(depth: int) -> tuple[Direction, ...]:
    return tuple("=" for _ in range(depth))


def _has_volume(sizes: isl.Set) -> bool:
    return bool(sizes.affine_hull().is_universe())


def _iterations(part: isl.Set, dim: int, step: int) -> Range:
    """Least and greatest difference in iterations: between two of them it is a multiple of the step."""
    low, high = part.dim_min_val(dim), part.dim_max_val(dim)
    return (
        -(-int(low.get_num_si()) // abs(step)) if low.is_int() else None,
        int(high.get_num_si()) // abs(step) if high.is_int() else None,
    )
