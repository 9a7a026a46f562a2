"""Ends of subscripts with quotients and remainders: `x[i / 2]`, `x[(i + 1) % n]`, `x[i & 7]`.

Each such value is replaced by its least and by its largest value, of numerators that are certainly not negative.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from warplens.analysis.dependence.subscripts.affine_condition import Conjunction
from warplens.analysis.dependence.subscripts.quasi_affine import Definition, Quotient, Remainder
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.sections.hull import is_implied
from warplens.analysis.ports.sections.size_order import is_at_least
from warplens.analysis.ports.sections.touched_range import (
    HostValues,
    RangeUnknownError,
    TouchedRange,
    least_values,
    touched_range,
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a reference stands: loops around it, conditions that hold (each >= 0), and those that hold anyway."""

    loops: tuple[Loop, ...]
    said: Sequence[Conjunction]
    granted: Collection[Polynomial]
    known: frozenset[str]
    values: HostValues

    def range(self, index: Polynomial) -> TouchedRange:
        """Range of a polynomial; raises as `touched_range`."""
        return touched_range(index, self.loops, self.said, self.known, self.values)


def range_of_rounded(index: Polynomial, definitions: Sequence[Definition], place: Place) -> TouchedRange:
    """Range of an index with symbols of quotients and remainders; raises as `touched_range`.

    It is exact where the rounded value runs through all of its values, whatever the rest of the index is.
    """
    low = high = index
    is_exact = True
    for definition in definitions:
        if definition.name not in index.symbols:
            continue
        if not isinstance(definition, Quotient | Remainder):
            raise RangeUnknownError("")
        one = _Rounded(definition, index, place)
        low, high = one.replaced(low, largest=False), one.replaced(high, largest=True)
        is_exact &= one.is_exact
    if low == high:
        return place.range(index)
    first, last = place.range(low), place.range(high)
    return TouchedRange(
        first.firsts,
        last.lasts,
        first.conditions | last.conditions,
        first.is_exact and last.is_exact and is_exact,
        first.is_guarded or last.is_guarded,
    )


class _Rounded:
    """One rounded value in an index: what stands for it, with its least and largest value."""

    def __init__(self, definition: Quotient | Remainder, index: Polynomial, place: Place) -> None:
        self._place = place
        self._name = definition.name
        factor = index.coefficient(definition.name)
        rest = index - factor * Polynomial.symbol(definition.name)
        numerator = definition.numerator
        self._of = place.range(numerator)
        self._here = (*place.granted, *self._of.conditions)
        if definition.name in rest.symbols or not all(is_implied(first, self._here) for first in self._of.firsts):
            raise RangeUnknownError("")
        self._added = Polynomial(())
        if isinstance(definition, Remainder):
            modulus = definition.modulus
            self._ends = Polynomial(()), modulus - 1
            self.is_exact = self._covers(numerator, modulus, rest)
        elif (
            factor.is_constant
            and factor.constant_term % definition.divisor == 0
            and not self._moves(rest + numerator * (factor.constant_term // definition.divisor), numerator)
        ):  # value - value / 8 * 8
            times = -(factor.constant_term // definition.divisor)
            self._added = numerator * -times
            factor = Polynomial.constant(times)
            modulus = Polynomial.constant(definition.divisor)
            self._ends = Polynomial(()), modulus - 1
            self.is_exact = self._covers(numerator, modulus, rest + self._added)
        else:
            self._ends = self._quotient(self._of.firsts, definition), self._quotient(self._of.lasts, definition)
            self.is_exact = self._of.is_exact and not self._moves(rest, numerator)
        self._old, self._factor = index.coefficient(definition.name), factor

    def replaced(self, index: Polynomial, *, largest: bool) -> Polynomial:
        """The index with the value at its end."""
        least = least_values(self._here)
        if is_at_least(self._factor, 0, least):
            end = self._ends[1 if largest else 0]
        elif is_at_least(-self._factor, 0, least):
            end = self._ends[0 if largest else 1]
        else:
            raise RangeUnknownError("")
        return index - self._old * Polynomial.symbol(self._name) + self._added + self._factor * end

    def _moves(self, rest: Polynomial, numerator: Polynomial) -> bool:
        iterators = {loop.iterator for loop in self._place.loops}
        return not iterators.isdisjoint(rest.symbols & numerator.symbols)

    def _quotient(self, ends: tuple[Polynomial, ...], quotient: Quotient) -> Polynomial:
        if len(ends) != 1:
            raise RangeUnknownError("")
        (end,) = ends
        if end.is_constant:
            return Polynomial.constant(end.constant_term // quotient.divisor)
        return self._place.values.symbol("quotient", "quotient", (end, Polynomial.constant(quotient.divisor)))

    def _covers(self, numerator: Polynomial, modulus: Polynomial, rest: Polynomial) -> bool:
        """Whether one loop alone takes the remainder through all of its values."""
        return any(self._is_through(loop, numerator, modulus) for loop in self._place.loops
                   if loop.iterator not in rest.symbols)  # fmt: skip

    def _is_through(self, loop: Loop, numerator: Polynomial, modulus: Polynomial) -> bool:
        slope = numerator.coefficient(loop.iterator)
        if not slope.is_constant or abs(slope.constant_term) != 1 or abs(loop.step) != 1:
            return False
        if loop.start is None or len(loop.limits) != 1 or self._is_guarded(loop):
            return False
        count = (loop.limits[0] - loop.start) * loop.step
        return count.symbols <= self._place.known and is_implied(count - modulus, self._here)

    def _is_guarded(self, loop: Loop) -> bool:
        return any(loop.iterator in value.symbols for part in self._place.said for value in part)
