"""Bounds of a band's loops in another order, by Fourier-Motzkin elimination on its affine bounds.

With coefficients of 1 and -1 elimination is exact on integers; a band with others is refused.

Source: Ancourt, Irigoin, Scanning polyhedra with DO loops, PPoPP 1991; Banerjee, Loop Transformations for
Restructuring Compilers, 1993, section 3.6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name

_MOST_CONSTRAINTS = 32


@dataclass(frozen=True, slots=True)
class LoopBounds:
    """Header of a loop in its new place.

    Ascending it starts at the largest of `starts` and ends before the smallest of `limits`; descending it starts at the
    smallest and ends after the largest.
    """

    loop: NodeId
    iterator: str
    starts: tuple[Polynomial, ...]
    limits: tuple[Polynomial, ...]
    step: int


def permuted_bounds(band: Sequence[Loop], order: Sequence[Loop]) -> tuple[LoopBounds, ...] | str:
    """New headers, outermost first, or why there are none; each loop has a start and limits.

    Where no loop's bounds mention another's iterator nothing changes but the order.
    """
    iterators = frozenset(loop.iterator for loop in band)
    if all(bound.symbols.isdisjoint(iterators) for loop in band for bound in _bounds(loop)):
        return tuple(LoopBounds(p.id, p.iterator, _bounds(p)[:1], p.limits, p.step) for p in order)
    for loop in band:
        if abs(loop.step) != 1:
            steps = f"has steps of {abs(loop.step)} and the bounds depend on iterators"
            return f"the loop over `{c_name(loop.iterator)}` {steps}"
    constraints = [constraint for loop in band for constraint in _constraints(loop)]
    found: list[LoopBounds] = []
    for loop in reversed(order):
        solved = _solved(constraints, loop, iterators)
        if solved is None:
            return f"the loop over `{c_name(loop.iterator)}` would need a division in its bounds"
        lower, upper, constraints = solved
        if loop.step > 0:
            starts, limits = lower, tuple(bound + 1 for bound in upper)
        else:
            starts, limits = upper, tuple(bound - 1 for bound in lower)
        found.append(LoopBounds(loop.id, loop.iterator, starts, limits, loop.step))
    return tuple(reversed(found))


def _bounds(loop: Loop) -> tuple[Polynomial, ...]:
    return loop.limits if loop.start is None else (loop.start, *loop.limits)


def _constraints(loop: Loop) -> list[Polynomial]:
    """Polynomials that are >= 0 in each iteration."""
    own = Polynomial.symbol(loop.iterator)
    sign = 1 if loop.step > 0 else -1
    from_start = [] if loop.start is None else [(own - loop.start) * sign]
    return [*from_start, *((limit - own) * sign - 1 for limit in loop.limits)]


def _solved(
    constraints: list[Polynomial], loop: Loop, iterators: frozenset[str]
) -> tuple[tuple[Polynomial, ...], tuple[Polynomial, ...], list[Polynomial]] | None:
    """Least values, greatest values of the loop's iterator, and what is left of the constraints without it."""
    constraints = _without_implied(constraints)
    own = Polynomial.symbol(loop.iterator)
    lower, upper, rest = [], [], []
    for constraint in constraints:
        slope = constraint.coefficient(loop.iterator)
        if slope == Polynomial.constant(1):
            lower.append(own - constraint)
        elif slope == Polynomial.constant(-1):
            upper.append(own + constraint)
        elif slope.terms:
            return None
        else:
            rest.append(constraint)
    rest += [high - low for low in lower for high in upper]
    # What holds no iterator says that the nest runs at all: where it doesn't hold, a loop inside runs zero times.
    rest = [constraint for constraint in dict.fromkeys(rest) if not constraint.symbols.isdisjoint(iterators)]
    return None if len(rest) > _MOST_CONSTRAINTS else (tuple(lower), tuple(upper), rest)


def _without_implied(constraints: list[Polynomial]) -> list[Polynomial]:
    """Without those that are another, or the sum of two others, plus a constant that is not negative."""
    kept = list(dict.fromkeys(constraints))
    for constraint in tuple(kept):
        others = [c for c in kept if c is not constraint]
        sums = [*others, *(a + b for a, b in combinations(others, 2))]
        if any((gap := constraint - s).is_constant and gap.constant_term >= 0 for s in sums):
            kept = others
    return kept
