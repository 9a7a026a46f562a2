"""What the loops inside a loop make of a subscript in one of its iterations: bounds, and what holds where they run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import product

from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.defined_values import DefinedValues, Terms
from warplens.analysis.dependence.subscripts.iteration_domain import Place, Reference
from warplens.analysis.dependence.subscripts.quasi_affine import Quotient
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial

_MOST_BOUNDS = 8
"""Bounds of one subscript."""

_TERM_OPERATIONS = 10
"""What it counts as to put a loop's bound into one term."""


class Stretch:
    """What the loops inside the carrier make of a subscript."""

    def __init__(self, place: Place, level: int, values: DefinedValues, solver: ConflictSolver) -> None:
        self.loops = place.loops[level + 1 :]
        self.iterators = frozenset(loop.iterator for loop in self.loops)
        self._place = place
        self._level = level
        self._values = values
        self._solver = solver

    def extremes(self, index: Polynomial, sign: int) -> tuple[Polynomial, ...]:
        """Bounds above (`sign` 1) or below (-1) of the subscript, one or more; none where it has none."""
        found = [index]
        for depth, loop in reversed(list(enumerate(self.loops, self._level + 1))):
            above: list[Polynomial] = []
            for value in found:
                self._solver.budget.use(_TERM_OPERATIONS * len(value.terms))
                slope = value.coefficient(loop.iterator)
                if not slope.terms:
                    above.append(value)
                elif slope.is_constant:
                    at_end = (slope.constant_term * sign > 0) == (loop.step > 0)
                    above += [value.substitute({loop.iterator: bound}) for bound in end_of(loop, at_end=at_end)]
                elif loop.iterator in slope.symbols:
                    above += self._ends_of_curve(value, depth, sign)
            found = above[:_MOST_BOUNDS]
        return tuple(value for value in found if self.iterators.isdisjoint(self._values.basis(value)))

    def _ends_of_curve(self, value: Polynomial, depth: int, sign: int) -> Terms:
        """Bounds of a polynomial that grows, or falls, with each step of the loop at that depth."""
        loop = self._place.loops[depth]
        if abs(loop.step) != 1 or loop.start is None:
            return ()
        place, point = self._around(depth), Polynomial.symbol(loop.iterator)
        found: list[Polynomial] = []
        for limit in loop.limits:
            step = (value.substitute({loop.iterator: point + loop.step}) - value) * sign
            # between the start and this limit alone, whichever of the limits ends the loop
            until = replace(place, loops=(*place.loops, replace(loop, limits=(limit - loop.step,))))
            if self._solver.holds(until, step):
                found.append(value.substitute({loop.iterator: limit - loop.step}))
            elif self._solver.holds(until, -step):
                return (value.substitute({loop.iterator: loop.start}),)
        return tuple(found)

    def _around(self, depth: int) -> Place:
        """The loops around one, and the guards that don't depend on it."""
        loops = self._place.loops[:depth]
        inner = {loop.iterator for loop in self._place.loops[depth:]}
        guards = tuple(
            guard
            for guard in self._place.guards
            if all(inner.isdisjoint(self._values.basis(term)) for conjunction in guard for term in conjunction)
        )
        return replace(self._place, loops=loops, guards=guards)

    def bounds(self) -> Terms:
        """What is at least zero where the inner loops run, whatever their iterators are."""
        terms: list[Polynomial] = []
        for loop in self.loops:
            starts, ends = end_of(loop, at_end=False), end_of(loop, at_end=True)
            terms += [(end - start) * (1 if loop.step > 0 else -1) for start, end in product(starts, ends)]
        return self._of_all(terms)

    def runs(self) -> Terms:
        """The same where a statement in them runs, under its guards."""
        found = [guard[0] for guard in self._place.guards if len(guard) == 1]
        return (*self.bounds(), *self._of_all(term for conjunction in found for term in conjunction))

    def lasting(self, carrier: Loop) -> frozenset[Polynomial]:
        """Of these, those that hold in all iterations between two in which they do: they change evenly."""
        moving = self.iterators | {carrier.iterator}
        return frozenset(
            term
            for term in self.runs()
            if term.is_affine_in(moving) and self._values.known.keys().isdisjoint(term.symbols)
        )

    def _of_all(self, terms: Iterable[Polynomial]) -> Terms:
        return tuple(term for term in terms if self.iterators.isdisjoint(self._values.basis(term)))


def is_curved(reference: Reference, level: int) -> bool:
    """Whether a subscript has a product of iterators from loop number `level` on, perhaps divided."""
    moving = {loop.iterator for loop in reference.place.loops[level:]}
    divided = [d.numerator for d in reference.definitions if isinstance(d, Quotient)]
    known = (position for position in (*reference.positions, *divided) if position is not None)
    return any(position.degree_in(moving) > 1 for position in known)


def end_of(loop: Loop, *, at_end: bool) -> Terms:
    """Values that the iterator doesn't pass."""
    if not at_end:
        return () if loop.start is None else (loop.start,)
    return tuple(limit - (1 if loop.step > 0 else -1) for limit in loop.limits)
