"""Division of polynomials in parameters, as far as delinearisation needs it."""

from __future__ import annotations

from warplens.analysis.ir.polynomial import Monomial, Polynomial


def divide(dividend: Polynomial, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
    """Quotient and remainder: `dividend == quotient * divisor + remainder`, in the graded lexicographic order.

    Terms that the leading monomial of the divisor doesn't divide, or not by an integer, stay in the remainder.

    >>> n, m = Polynomial.symbol("n"), Polynomial.symbol("m")
    >>> [str(p) for p in divide((m + 2) * (n + 2) + n, n + 2)]
    ['m + 3', '-2']
    """
    quotient = remainder = Polynomial(())
    if not divisor.terms:
        return quotient, dividend
    lead, scale = max(divisor.terms, key=_order)
    rest = dividend
    while rest.terms:
        monomial, coefficient = max(rest.terms, key=_order)
        factor = _without(monomial, lead)
        if factor is None or coefficient % scale:
            term = Polynomial.of({monomial: coefficient})
            remainder, rest = remainder + term, rest - term
        else:
            term = Polynomial.of({factor: coefficient // scale})
            quotient, rest = quotient + term, rest - term * divisor
    return quotient, remainder


def _order(term: tuple[Monomial, int]) -> tuple[int, Monomial]:
    return len(term[0]), term[0]


def _without(monomial: Monomial, factor: Monomial) -> Monomial | None:
    left = list(monomial)
    for name in factor:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)
