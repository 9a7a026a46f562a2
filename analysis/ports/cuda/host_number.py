"""Sizes and conditions that the host computes, in 64 bits where `int` might not do."""

from __future__ import annotations

from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText


def number_text(polynomial: Polynomial, printer: PolynomialText) -> str:
    """The value, to initialise or be compared with a `long`; one symbol alone needs no conversion.

    >>> printer = PolynomialText(str, {}, {})
    >>> n = Polynomial.symbol("n")
    >>> number_text(n, printer), number_text(n * n + 1, printer)
    ('n', '(long)n * n + 1')
    """
    if len(polynomial.terms) == 1 and polynomial.degree == 1 and polynomial.terms[0][1] == 1:
        return printer.text(polynomial)
    return printer.text(polynomial, wide=bool(polynomial.symbols))


def failed_text(condition: Polynomial, printer: PolynomialText) -> str:
    """`condition < 0` as people write it, the opposite of `holds_text`.

    >>> printer = PolynomialText(str, {}, {})
    >>> n, m = Polynomial.symbol("n"), Polynomial.symbol("m")
    >>> failed_text(n - 1, printer), failed_text(n - m, printer), failed_text(n - 3, printer)
    ('n <= 0', 'n < m', 'n < 3')
    """
    return " ".join(_sides(condition, printer, ("<", "<=")))


def holds_text(condition: Polynomial, printer: PolynomialText) -> str:
    """`condition >= 0`: what is added stands on one side, what is taken away on the other.

    >>> printer = PolynomialText(str, {}, {})
    >>> n, m = Polynomial.symbol("n"), Polynomial.symbol("m")
    >>> holds_text(n - 1, printer), holds_text(n - m - 1, printer), holds_text(n * m - 7, printer)
    ('n > 0', 'n > m', '(long)m * n >= 7')
    """
    return " ".join(_sides(condition, printer, (">=", ">")))


def _sides(condition: Polynomial, printer: PolynomialText, operators: tuple[str, str]) -> tuple[str, str, str]:
    constant = condition.constant_term
    left, right = (condition - constant).added_and_taken
    operator = operators[0]
    if constant == -1:
        operator, constant = operators[1], 0
    if constant > 0:
        left = left + constant
    else:
        right = right - constant
    return number_text(left, printer), operator, number_text(right, printer)
