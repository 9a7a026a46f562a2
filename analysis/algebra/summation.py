"""Sums of polynomials over a counter (Faulhaber), with rational coefficients: the totals of triangular loops."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from math import comb

from warplens.analysis.ir.formula import ZERO, Formula
from warplens.analysis.ir.polynomial import Monomial, Polynomial

RationalPolynomial = Mapping[Monomial, Fraction]
"""Monomial (sorted symbol names) -> coefficient."""

_MOST_PRODUCTS = 3000
"""Products of terms in one sum: each triangular loop multiplies how many there are."""


class TooManyTermsError(Exception):
    """A sum that nobody would read, and that takes long to write."""


def rational(polynomial: Polynomial) -> RationalPolynomial:
    """Same polynomial with rational coefficients."""
    return {monomial: Fraction(c) for monomial, c in polynomial.terms}


def multiply(left: RationalPolynomial, right: RationalPolynomial) -> RationalPolynomial:
    """Product."""
    terms: dict[Monomial, Fraction] = {}
    for a, x in left.items():
        for b, y in right.items():
            monomial = tuple(sorted(a + b))
            terms[monomial] = terms.get(monomial, Fraction(0)) + x * y
    return terms


def sum_over(polynomial: RationalPolynomial, counter: str, count: RationalPolynomial) -> RationalPolynomial:
    """`sum(polynomial for counter in range(count))`, right wherever count >= 0.

    Equation: sum of t**p for t < N is the Faulhaber polynomial of degree p + 1 in N. Raises TooManyTermsError.
    """
    products = 0
    total: dict[Monomial, Fraction] = {}
    powers: list[RationalPolynomial] = [{(): Fraction(1)}]
    for monomial, c in polynomial.items():
        power = monomial.count(counter)
        rest = {tuple(name for name in monomial if name != counter): c}
        while len(powers) < power + 2:
            products += len(powers[-1]) * len(count)
            if products > _MOST_PRODUCTS:
                raise TooManyTermsError
            powers.append(multiply(powers[-1], count))
        for exponent, coefficient in enumerate(_faulhaber(power)):
            if not coefficient:
                continue
            products += len(powers[exponent])
            if products > _MOST_PRODUCTS:
                raise TooManyTermsError
            for m, x in multiply(rest, powers[exponent]).items():
                total[m] = total.get(m, Fraction(0)) + x * coefficient
    return {m: x for m, x in total.items() if x}


def substitute(polynomial: RationalPolynomial, name: str, value: RationalPolynomial) -> RationalPolynomial:
    """Polynomial with a symbol replaced by another polynomial."""
    total: dict[Monomial, Fraction] = {}
    for monomial, c in polynomial.items():
        term: RationalPolynomial = {tuple(factor for factor in monomial if factor != name): c}
        for _ in range(monomial.count(name)):
            term = multiply(term, value)
        for m, x in term.items():
            total[m] = total.get(m, Fraction(0)) + x
    return {m: x for m, x in total.items() if x}


def to_formula(polynomial: RationalPolynomial, symbols: Mapping[str, Formula]) -> Formula:
    """Formula of the polynomial; `symbols` replaces names, the others are parameters."""
    total = ZERO
    for monomial, c in sorted(polynomial.items()):
        term = Formula.constant(c)
        for name in monomial:
            term = term * symbols.get(name, Formula.parameter(name))
        total = total + term
    return total


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
