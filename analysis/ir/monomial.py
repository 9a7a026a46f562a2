"""Products of symbols: sorted tuples of names, a power is a repetition."""

from __future__ import annotations

from collections.abc import Iterable

from warplens.analysis.ir.symbol import as_operand
from warplens.analysis.ir.too_complex import TooLargeError

Monomial = tuple[str, ...]
Term = tuple[Monomial, int]
"""A monomial and its coefficient."""

HIGHEST_DEGREE = 32


def product(left: Monomial, right: Monomial) -> Monomial:
    """All factors of both. Raises TooLargeError."""
    if len(left) + len(right) > HIGHEST_DEGREE:
        raise TooLargeError(f"more than {HIGHEST_DEGREE} factors")
    return tuple(sorted(left + right))


def quotient(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """What is left of a product without the factor, None where it is none of it.

    >>> quotient(("i", "n", "n"), ("n",)), quotient(("i",), ("n",))
    (('i', 'n'), None)
    """
    left = list(monomial)
    for name in factor:
        if name not in left:
            return None
        left.remove(name)
    return tuple(left)


def order(term: Term) -> tuple[int, Monomial]:
    """Key of the graded lexicographic order."""
    return len(term[0]), term[0]


def sum_text(terms: Iterable[Term]) -> str:
    """The terms in C syntax, in the order in which they come; `0` where there is none."""
    listed = [*terms]
    if len(listed) == 1 and listed[0][1] == 1 and len(listed[0][0]) == 1:
        return listed[0][0][0]
    first, *parts = [_term(m, c) for m, c in listed] or ["0"]
    return first + "".join(f" - {part[1:]}" if part.startswith("-") else f" + {part}" for part in parts)


def _term(monomial: Monomial, coefficient: int) -> str:
    if not monomial:
        return str(coefficient)
    factors = "*".join(map(as_operand, monomial))
    if coefficient == 1:
        return factors
    return f"-{factors}" if coefficient == -1 else f"{coefficient}*{factors}"
