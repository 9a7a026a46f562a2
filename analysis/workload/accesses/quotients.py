"""Quotients in a subscript: `id / n * n + id % n` is `id`, and what does not cancel moves along by its average.

`e % m` is `e - m * (e / m)`, so that quotients are all that polynomials can't hold. Where many neighbours share one, as
for a long row, it stands still; where few do and little hangs on it, it moves evenly, but for rounding.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed

_MANY = 32
"""Neighbours with one quotient from which on nearly all of a group have it in common; elements that lie near."""


@dataclass(slots=True)
class Quotients:
    """Symbols for quotients, each with what is divided and by what; `iterators` are what moves."""

    iterators: frozenset[str]
    found: dict[str, tuple[Polynomial, Polynomial]] = field(default_factory=dict)

    def of(self, value: Polynomial, divisor: Polynomial) -> Polynomial | None:
        """`value / divisor` with the divisor's multiples taken out; None for divisors that move or are not positive.

        Assumes: nothing is negative, but for few values at the ends of a range.
        """
        is_positive = divisor.constant_term > 0 if divisor.is_constant else divisor.signs == {1}
        if not is_positive or not divisor.symbols.isdisjoint({*self.iterators, *self.found}):
            return None
        whole, rest = divmod(value, divisor)
        if divisor.is_constant:
            whole, rest = value.split(divisor.constant_term)
        if not rest.terms:
            return whole
        name = computed("quotient", rest, divisor)
        self.found[name] = rest, divisor
        return whole + Polynomial.symbol(name)

    def moving(self, value: Polynomial) -> frozenset[str]:
        """Iterators that a value depends on, through quotients too."""
        moved = value.symbols & self.iterators
        for name in value.symbols & self.found.keys():
            moved |= self.moving(self.found[name][0])
        return moved

    def is_in(self, value: Polynomial) -> bool:
        """Whether a quotient occurs in a value."""
        return not value.symbols.isdisjoint(self.found)

    def folded(self, value: Polynomial) -> tuple[Polynomial, frozenset[str] | None]:
        """A value without quotients, and the iterators along which it does not move as that says.

        None where there was no quotient; no iterators where all that is left out is an offset.
        """
        scattered: frozenset[str] | None = None
        while self.is_in(value):
            name = max(value.symbols & self.found.keys(), key=lambda n: (len(n), n))  # outer ones first
            share, rest = value.coefficient(name), value.without((name,))
            numerator, divisor = self.found[name]
            scattered = scattered or frozenset()
            if name in share.symbols:
                scattered |= self.moving(value)
                value = value.without({*self.iterators, *self.found})
            elif self._is_held(numerator, divisor):
                value = rest
            elif share.is_constant and divisor.is_constant and abs(share.constant_term) <= _MANY:
                each = -(-abs(share.constant_term) // divisor.constant_term)
                value = rest + numerator * (each if share.constant_term > 0 else -each)
            else:
                scattered |= self.moving(numerator)
                average = share.exact_div(divisor)
                value = rest if average is None else rest + numerator * average
        return value, scattered

    def _is_held(self, numerator: Polynomial, divisor: Polynomial) -> bool:
        """Whether many neighbours along each iterator have the quotient in common."""
        moving: Collection[str] = numerator.symbols & self.iterators
        if not moving and self.is_in(numerator):
            return False
        for name in moving:
            slope = numerator.coefficient(name)
            if not slope.is_constant:
                return False
            if divisor.is_constant and divisor.constant_term < _MANY * abs(slope.constant_term):
                return False
        return True
