"""The smaller or the larger of two values: conditionals that select it, and variables that hold it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from warplens.analysis.ir.expression import Binary, Cast, Conditional, Expression, Load
from warplens.analysis.ir.polynomial import Polynomial

Settled = Callable[[Expression], Polynomial | None]
"""Value of an expression at this point, None where it is not known."""


@dataclass(frozen=True, slots=True)
class Smaller:
    """What a variable holds that was set to the "min" or the "max" of two values."""

    kind: str
    values: tuple[Polynomial, Polynomial]

    @property
    def symbols(self) -> frozenset[str]:
        """Names that it is said in terms of."""
        return self.values[0].symbols | self.values[1].symbols


def smaller_of(value: Expression, settled: Settled) -> Smaller | None:
    """The two values of which an expression is the smaller, or the larger, if it is and they are known."""
    pair = minimum_or_maximum(value)
    first, second = (None, None) if pair is None else map(settled, pair[1:])
    return None if pair is None or first is None or second is None else Smaller(pair[0], (first, second))


def minimum_or_maximum(expression: Expression) -> tuple[str, Expression, Expression] | None:
    """`("min" | "max", a, b)` for a conditional that selects the smaller or larger of two."""
    match expression:
        case Conditional(Binary(("<" | "<=" | ">" | ">=") as operator, left, right), then, otherwise):
            smaller_first = operator in {"<", "<="}
            if _same(left, then) and _same(right, otherwise):
                return ("min" if smaller_first else "max", left, right)
            if _same(left, otherwise) and _same(right, then):
                return ("max" if smaller_first else "min", left, right)
    return None


def _same(left: Expression, right: Expression) -> bool:
    """Equality but for access ids."""
    match left, right:
        case Load(a), Load(b):
            return (a.array, a.indices, a.member) == (b.array, b.indices, b.member) and None not in a.indices
        case Binary(), Binary():
            return left.operator == right.operator and _same(left.left, right.left) and _same(left.right, right.right)
        case Cast(a), Cast(b):
            return _same(a, b)
        case _:
            return left == right
