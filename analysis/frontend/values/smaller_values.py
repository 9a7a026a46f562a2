"""The smaller or the larger of two values: conditionals that select it, and variables that hold it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from warplens.analysis.algebra.polynomial_expression import expression_of
from warplens.analysis.ir.expression import Binary, Cast, Conditional, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT

Settled = Callable[[Expression], Polynomial | None]
"""Value of an expression at this point, None where it is not known."""


@dataclass(frozen=True, slots=True)
class Smaller:
    """A variable that holds the "min" or "max" of two expressions, which had these values when it was set."""

    kind: str
    sides: tuple[Expression, Expression]
    values: tuple[Polynomial, Polynomial]


def smaller_of(value: Expression, name: str, settled: Settled) -> Smaller | None:
    """The two values of which a variable is about to be set to the smaller, or the larger, if it is."""
    pair = minimum_or_maximum(value)
    if pair is None:
        return None
    kind, one, other = pair
    first, second = settled(one), settled(other)
    if first is None or second is None:
        return None
    return Smaller(kind, (_beside(one, name, first), _beside(other, name, second)), (first, second))


def one_of_two(
    expression: Expression, held: Mapping[str, Smaller], settled: Settled
) -> tuple[str, Expression, Expression] | None:
    """`("min" | "max", a, b)` of which the expression is one: it says so, or its variable was set so."""
    known = held.get(expression.name) if isinstance(expression, ScalarRef) else None
    if known is None or settled(expression) is not None:
        return minimum_or_maximum(expression)
    return (known.kind, *known.sides) if tuple(map(settled, known.sides)) == known.values else None


def _beside(side: Expression, name: str, value: Polynomial) -> Expression:
    """A side that does not speak of the variable itself: `end = end < n ? end : n`."""
    speaks = any(isinstance(part, ScalarRef) and part.name == name for part in walk(side))
    return expression_of(value, INT) if speaks else side


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
