"""A loop whose count is a function of the counters of the loops around it."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop around: its counter's name, the counts (one per limit) over outer counters, and its trip count."""

    counter: str
    distances: tuple[Polynomial, ...]
    """Limit minus start in the direction of the step, over counters and parameters; one per limit."""
    step: int
    """Magnitude of the loop's step."""
    depends: frozenset[str]
    """Counters of loops around that the distances hold."""
    average: Formula

    @property
    def polynomial(self) -> Polynomial | None:
        """The count as a polynomial, None when several limits or a rounded division make it none."""
        return _divided(self.distances[0], self.step) if len(self.distances) == 1 else None


def relevant_loops(own: Counted, around: tuple[Counted, ...]) -> tuple[Counted, ...]:
    """Loops around over which the count must be averaged: those it depends on and those whose counts weigh them."""
    names = set(own.depends)
    while True:
        more = set(names)
        for outer in around:
            if outer.counter in names:
                more |= outer.depends
            elif outer.depends & names:
                more.add(outer.counter)
        if more == names:
            return tuple(outer for outer in around if outer.counter in names) if names else ()
        names = more


def is_tile(own: Counted, outer: Counted) -> bool:
    """Whether the loop runs over `outer.step` elements or what is left of the outer loop's range."""
    if own.step != 1 or len(own.distances) != 2 or len(outer.distances) != 1:
        return False
    left = outer.distances[0] - Polynomial.symbol(outer.counter) * outer.step
    return set(own.distances) == {Polynomial.constant(outer.step), left}


def never_negative(count: Polynomial, around: tuple[Counted, ...]) -> bool:
    """Whether an affine count is provably at least 0 wherever the loops around run."""
    for outer in reversed(around):
        slope = count.coefficient(outer.counter)
        if not slope.terms:
            continue
        outer_count = outer.polynomial
        if not slope.is_constant or outer_count is None:
            return False
        last = outer_count - 1 if slope.constant_term < 0 else Polynomial(())
        count = count.substitute({outer.counter: last})
    root_count = around[0].polynomial
    candidates = [count]
    if root_count is not None:  # the body runs only where the outermost count is at least 1
        candidates += [count - (root_count - 1) * k for k in (1, 2, 3)]
    return any(c.is_constant and c.constant_term >= 0 for c in candidates)


def _divided(distance: Polynomial, step: int) -> Polynomial | None:
    """`ceil(distance / step)` as a polynomial where all but the constant term divide."""
    if step == 1:
        return distance
    up, rest = (-distance).split(step)
    return -up if rest.is_constant else None
