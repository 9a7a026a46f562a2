"""Polynomials with rational coefficients: one with integers over a common divisor, as people write `(n*n + n)/2`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from warplens.analysis.ir.monomial import Monomial
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class RationalPolynomial:
    """`numerator / divisor` in lowest terms, the divisor at least 1: equal ones are equal values. Build with `over`."""

    numerator: Polynomial
    divisor: int = 1

    @staticmethod
    def over(numerator: Polynomial, divisor: int) -> RationalPolynomial:
        """Build from a positive divisor.

        >>> RationalPolynomial.over(4 * Polynomial.symbol("n") + 2, 4)
        RationalPolynomial(numerator=Polynomial(terms=(((), 1), (('n',), 2))), divisor=2)
        """
        shared = gcd(divisor, numerator.content)
        if shared == 1:
            return RationalPolynomial(numerator, divisor)
        return RationalPolynomial(Polynomial(tuple((m, c // shared) for m, c in numerator.terms)), divisor // shared)

    @staticmethod
    def of(terms: Mapping[Monomial, Fraction]) -> RationalPolynomial:
        """Build from monomial -> coefficient; zero coefficients are dropped."""
        divisor = lcm(*(c.denominator for c in terms.values()))
        return RationalPolynomial(Polynomial.of({m: int(c * divisor) for m, c in terms.items()}), divisor)

    def __add__(self, other: RationalPolynomial) -> RationalPolynomial:
        common = lcm(self.divisor, other.divisor)
        one, another = self.numerator * (common // self.divisor), other.numerator * (common // other.divisor)
        return RationalPolynomial.over(one + another, common)

    def __mul__(self, other: RationalPolynomial) -> RationalPolynomial:
        return RationalPolynomial.over(self.numerator * other.numerator, self.divisor * other.divisor)

    def scaled(self, factor: Fraction) -> RationalPolynomial:
        """Product with a number."""
        return RationalPolynomial.over(self.numerator * factor.numerator, self.divisor * factor.denominator)

    def split(self) -> tuple[Polynomial, RationalPolynomial]:
        """The polynomial and what is left to divide, its coefficients below the divisor: equal sums are split alike.

        >>> i = Polynomial.symbol("i")
        >>> whole, rest = RationalPolynomial(3 * i * i - i, 2).split()
        >>> str(whole), str(rest.numerator)
        ('i*i - i', 'i*i + i')
        """
        whole, rest = self.numerator.split(self.divisor)
        return whole, RationalPolynomial.over(rest, self.divisor)

    def evaluate(self, values: Mapping[str, int]) -> Fraction:
        """Value at a point; raises KeyError for a symbol without value."""
        return Fraction(self.numerator.evaluate(values), self.divisor)
