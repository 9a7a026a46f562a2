"""Sums of polynomials over a counter (Faulhaber), with rational coefficients: the totals of triangular loops."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.rational_polynomial import RationalPolynomial
from warplens.analysis.ir.too_complex import TooLargeError

_MOST_PRODUCTS = 3000
"""Products of terms in one sum: each triangular loop multiplies how many there are. Nobody would read more."""


def sum_over(polynomial: RationalPolynomial, counter: str, count: Polynomial) -> RationalPolynomial:
    """`sum(polynomial for counter in range(count))`, right wherever count >= 0.

    Equation: sum of t**p for t < N is the Faulhaber polynomial of degree p + 1 in N. Raises TooLargeError.

    >>> t, n = Polynomial.symbol("t"), Polynomial.symbol("n")
    >>> total = sum_over(RationalPolynomial(t), "t", n)
    >>> str(total.numerator), total.divisor
    ('n*n - n', 2)
    """
    products = 0
    total = RationalPolynomial(Polynomial(()))
    powers = [Polynomial.constant(1)]
    for power_of_counter, cofactor in polynomial.numerator.collect((counter,)).items():
        power = len(power_of_counter)
        while len(powers) < power + 2:
            products += len(powers[-1].terms) * len(count.terms)
            if products > _MOST_PRODUCTS:
                raise TooLargeError(f"more than {_MOST_PRODUCTS} terms")
            powers.append(powers[-1] * count)
        for exponent, coefficient in enumerate(_faulhaber(power)):
            if not coefficient:
                continue
            products += len(cofactor.terms) * len(powers[exponent].terms)
            if products > _MOST_PRODUCTS:
                raise TooLargeError(f"more than {_MOST_PRODUCTS} terms")
            total = total + RationalPolynomial(cofactor * powers[exponent]).scaled(coefficient)
    return total.scaled(Fraction(1, polynomial.divisor))


@cache
def _faulhaber(power: int) -> tuple[Fraction, ...]:
    """Coefficients, by exponent of N, of `sum(t**power for t in range(N))`."""
    bernoulli = [Fraction(1)]
    for m in range(1, power + 1):
        bernoulli.append(-sum((comb(m + 1, k) * bernoulli[k] for k in range(m)), Fraction(0)) / (m + 1))
    coefficients = [Fraction(0)] * (power + 2)
    for k in range(power + 1):
        coefficients[power + 1 - k] = comb(power + 1, k) * bernoulli[k] / (power + 1)
    return tuple(coefficients)
