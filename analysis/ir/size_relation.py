"""A relation between sizes: `ld >= n`, `k != 0`, `m == 2*n`; between integers that a nest leaves alone.

One text for one relation: what is subtracted stands on the other side, and `n > 0` is `n >= 1`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.ir.polynomial import Polynomial

_NAME = r"[^\W\d]\w*(?:(?:->|\.)\w+|\[\w+\])*"
_FACTOR = rf"(?:\d{{1,18}}|{_NAME})"
_TERM = rf"{_FACTOR}(?:\s*\*\s*{_FACTOR})*"
_SIDE = rf"[-+]?\s*{_TERM}(?:\s*[-+]\s*{_TERM})*"
_RELATION = re.compile(rf"({_SIDE})\s*(>=|<=|==|!=|>|<)\s*({_SIDE})")
_SIGNED_TERM = re.compile(rf"([-+]?)\s*({_TERM})")


@dataclass(frozen=True, slots=True)
class SizeRelation:
    """`value >= 0`, `value == 0` or `value != 0`, all in integers."""

    value: Polynomial
    sign: str = ">="

    @property
    def cases(self) -> tuple[tuple[Polynomial, ...], ...]:
        """The same as conjunctions of `... >= 0`, one of which holds."""
        match self.sign:
            case ">=":
                return ((self.value,),)
            case "==":
                return ((self.value, -self.value),)
            case _:
                return ((self.value - 1,), (-self.value - 1,))

    @property
    def canonical(self) -> SizeRelation:
        """The same relation, one for each text: either side of `==` and `!=` may stand first."""
        if self.sign == ">=":
            return self
        return SizeRelation(min(self.value, -self.value, key=_length), self.sign)

    def __str__(self) -> str:
        value = self.canonical.value
        left = _left(value)
        right = left - value
        if not left.terms:  # `-n >= -3` is `n <= 3`
            constant = Polynomial.constant(value.constant_term)
            return f"{constant - value} {'<=' if self.sign == '>=' else self.sign} {constant}"
        if self.sign == ">=" and not right.is_constant and value.constant_term == -1:
            return f"{left} > {right - 1}"
        return f"{left} {self.sign} {right}"


def size_relation(text: str) -> SizeRelation | None:
    """Read a relation of sums of products of names and integers; None where the text is none, or is of no name.

    >>> str(size_relation("n > 0")), str(size_relation("2*m + 1 <= p->ld"))
    ('n >= 1', 'p->ld > 2*m')
    """
    found = _RELATION.fullmatch(text.strip())
    if found is None:
        return None
    left, right = _polynomial(found[1]), _polynomial(found[3])
    match found[2]:
        case ">=":
            relation = SizeRelation(left - right)
        case "<=":
            relation = SizeRelation(right - left)
        case ">":
            relation = SizeRelation(left - right - 1)
        case "<":
            relation = SizeRelation(right - left - 1)
        case sign:
            relation = SizeRelation(left - right, sign)
    return None if relation.value.is_constant else relation


def _left(value: Polynomial) -> Polynomial:
    return (value - value.constant_term).added_and_taken[0]


def _length(value: Polynomial) -> tuple[bool, int, bool, str]:
    """How long the side of what is added is: `k == 2*n + 1` rather than `2*n == k - 1`."""
    left = _left(value)
    return not left.terms, sum(c for _, c in left.terms), value.constant_term > 0, str(left)


def _polynomial(side: str) -> Polynomial:
    total = Polynomial(())
    for sign, term in _SIGNED_TERM.findall(side):
        product = Polynomial.constant(-1 if sign == "-" else 1)
        for factor in term.split("*"):
            name = factor.strip()
            product = product * (Polynomial.constant(int(name)) if name.isdecimal() else Polynomial.symbol(name))
        total = total + product
    return total
