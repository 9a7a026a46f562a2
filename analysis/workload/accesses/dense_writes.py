"""Writes that leave no element out: a box of indices, each subscript of which its loops fill."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.ranges import polynomial_bounds

_ONE = Polynomial.constant(1)


def fills(writes: Sequence[AccessSite]) -> bool:
    """Whether some site writes every element of the hull of all of them."""
    return any(
        not candidate.is_conditional
        and not candidate.access.member
        and are_dense(candidate.access.indices, candidate.loops)
        and all(lies_in(other.access, other.loops, candidate.access, candidate.loops) for other in writes)
        for candidate in writes
    )


def lies_in(inner: Access, inner_loops: tuple[Loop, ...], outer: Access, outer_loops: tuple[Loop, ...]) -> bool:
    """Whether the box of one access holds that of another, for equal values of all other iterators."""
    if len(inner.indices) != len(outer.indices):
        return False
    for a, b in zip(inner.indices, outer.indices, strict=True):
        if a is None or b is None:
            return False
        need, box = polynomial_bounds(a, inner_loops), polynomial_bounds(b, outer_loops)
        if need is None or box is None:
            return False
        below, above = need[0] - box[0], box[1] - need[1]
        if not (below.is_constant and above.is_constant and below.constant_term >= 0 and above.constant_term >= 0):
            return False
    return True


def are_dense(indices: Sequence[Polynomial | None], loops: Sequence[Loop]) -> bool:
    """Whether the loops, over rectangular ranges, lead each subscript to all values between its ends.

    Each loop leads one subscript. `y*w + x` has all values where x runs over at least w of them: `x < w`.
    """
    by_name = {loop.iterator: loop for loop in loops}
    used: set[str] = set()
    for index in indices:
        if index is None:
            return False
        moving = [by_name[name] for name in sorted(index.symbols & by_name.keys())]
        names = {loop.iterator for loop in moving}
        if not used.isdisjoint(names) or not _is_filled(index, moving, frozenset(by_name)):
            return False
        used |= names
    return True


def _is_filled(index: Polynomial, moving: Sequence[Loop], iterators: frozenset[str]) -> bool:
    """Whether a subscript has all values from its least to its largest one.

    The loops together reach `run` values without a gap; one that moves the subscript by at most `run` prolongs them.
    """
    run, left = _ONE, list(moving)
    while left:
        for loop in left:
            stride, trips = _stride(index, loop), _trips(loop, iterators)
            if stride is None or trips is None:
                return False
            if _is_at_most(stride, run):
                run = stride * (trips - 1) + run
                left.remove(loop)
                break
        else:
            return False
    return True


def _stride(index: Polynomial, loop: Loop) -> Polynomial | None:
    """How far an iteration moves the subscript, upwards; None where that is not the same for each, or its sign open."""
    slope = index.coefficient(loop.iterator)
    if index.degree_in((loop.iterator,)) != 1:
        return None
    if slope.is_constant:
        return Polynomial.constant(abs(slope.constant_term))
    return slope


def _trips(loop: Loop, iterators: frozenset[str]) -> Polynomial | None:
    """Iterations of a loop in steps of one whose bounds no other loop moves."""
    if loop.start is None or len(loop.limits) != 1 or loop.limit_reads or abs(loop.step) != 1:
        return None
    if not iterators.isdisjoint(loop.start.symbols | loop.limits[0].symbols):
        return None
    return (loop.limits[0] - loop.start) * loop.step


def _is_at_most(stride: Polynomial, run: Polynomial) -> bool:
    if stride in (run, _ONE):
        return True
    return stride.is_constant and run.is_constant and stride.constant_term <= run.constant_term
