"""What loops add up: sums of polynomials in their counters, with a division that leaves nothing over.

Equation: a polynomial p of degree d has sum of p(t) for 0 <= t < m equal to sum over k <= d of C(m, k + 1) times the
k-th forward difference of p at 0 (Newton; Graham, Knuth, Patashnik, Concrete Mathematics, 2nd edition, equation 5.45).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial

_LARGEST_DEGREE = 3
_MOST_TERMS = 60


@dataclass(frozen=True, slots=True)
class Counted:
    """A loop's counter: `first`, `first + step` .. and so on `trips` times; `lasts` are values that it doesn't pass."""

    counter: str
    first: Polynomial
    step: int
    trips: Polynomial | None
    lasts: tuple[Polynomial, ...]


def counted(
    counter: str, first: Polynomial, step: int, trips: Polynomial | None, limits: Sequence[Polynomial]
) -> Counted:
    """A loop's counter from the limits that it stays before."""
    return Counted(counter, first, step, trips, tuple(limit - (1 if step > 0 else -1) for limit in limits))


def summed(amount: RationalPolynomial, loop: Counted, trips: Polynomial) -> RationalPolynomial | None:
    """Sum of the amount over the first `trips` iterations of a loop; None where that is too long to write.

    Assumes: `trips` is at least 0.

    >>> i, n = Polynomial.symbol("i"), Polynomial.symbol("n")
    >>> total = summed(RationalPolynomial(i + 1), Counted("i", Polynomial(()), 1, n, ()), n)
    >>> str(total.numerator), total.divisor
    ('n*n + n', 2)
    """
    degree = amount.numerator.degree_in((loop.counter,))
    if degree > _LARGEST_DEGREE:
        return None
    point = Polynomial.symbol(loop.counter)
    start, difference = {loop.counter: loop.first}, amount.numerator
    total, chosen = RationalPolynomial(Polynomial(())), RationalPolynomial(Polynomial.constant(1))
    for k in range(degree + 1):
        chosen = chosen * RationalPolynomial.over(trips - k, k + 1)
        total = total + chosen * RationalPolynomial(difference.substitute(start))
        difference = difference.substitute({loop.counter: point + loop.step}) - difference
    found = RationalPolynomial.over(total.numerator, total.divisor * amount.divisor)
    return found if len(found.numerator.terms) <= _MOST_TERMS else None


def least(value: Polynomial, loops: Sequence[Counted]) -> Polynomial | None:
    """A value that this one is nowhere below in the loops (outer first), without their counters; None if not found."""
    for loop in reversed(loops):
        slope = value.coefficient(loop.counter)
        if not slope.terms:
            continue
        ends = (loop.first,) if slope.constant_term * loop.step > 0 else loop.lasts
        if not slope.is_constant or not ends:
            return None
        value = value.substitute({loop.counter: ends[0]})
    return value


def may_be_negative(trips: Polynomial, around: Sequence[Counted], moving: Sequence[Counted]) -> bool:
    """Whether a number of iterations, as a loop's bounds give it, may be below 0 though no size is.

    The loops `around` stand still, those in `moving` are inside of them; outer first.
    """
    if trips.symbols.isdisjoint(loop.counter for loop in moving):
        return False
    lowest = least(trips, [*around, *moving])
    return lowest is None or -1 in lowest.signs
