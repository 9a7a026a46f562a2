"""Integer expressions of C as formulas, for counts alone."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from warplens.analysis.frontend.values.smaller_values import minimum_or_maximum
from warplens.analysis.ir.expression import Binary, Cast, Conditional, Constant, Expression, ScalarRef, Unary
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.types import Scalar

_LONGEST = 200
"""Operations of one expression: nobody would read a count of more."""
_DEEPEST = 40
_LARGEST_SHIFT = 62
_LARGEST_NUMBER = 2**64

Named = Callable[[Expression], str]
"""The parameter that an expression without a formula is, empty for none."""


def no_name(_: Expression) -> str:
    """None is."""
    return ""


def expression_formula(
    expression: Expression, values: Mapping[str, Formula | None], named: Named = no_name, depth: int = 0
) -> Formula | None:
    """What an integer expression gives, as C rounds; None where a name has no formula or an operation has none.

    Assumes: no value leaves its type.

    >>> from warplens.analysis.ir.types import INT
    >>> n = ScalarRef("n", INT)
    >>> half = Binary("/", n, Constant(2, INT), INT)
    >>> str(expression_formula(half, {"n": Formula.parameter("n")}))
    'trunc(n/2)'
    """
    if depth > _DEEPEST:
        return None
    found = _formula(expression, values, named, depth)
    return None if found is None or found.is_longer_than(_LONGEST) or _has_large_number(found) else found


def _has_large_number(formula: Formula) -> bool:
    """Whether it has a number that no integer of C holds: squares of squares take as long as one likes."""
    todo = [formula]
    while todo:
        part = todo.pop()
        if part.value is not None and abs(part.value) > _LARGEST_NUMBER:
            return True
        todo += part.operands
    return False


def _formula(expression: Expression, values: Mapping[str, Formula | None], named: Named, depth: int) -> Formula | None:
    match expression:
        case Constant(int() as value):
            return Formula.constant(value)
        case ScalarRef(name, Scalar(kind="int")):
            return values.get(name)
        case Cast(operand, Scalar(kind="int")) if isinstance(operand.type, Scalar) and operand.type.kind == "int":
            return expression_formula(operand, values, named, depth + 1)
        case Unary("-", operand):
            inner = expression_formula(operand, values, named, depth + 1)
            return None if inner is None else inner * -1
        case Binary(operator, left, right, Scalar(kind="int")):
            one = expression_formula(left, values, named, depth + 1)
            other = expression_formula(right, values, named, depth + 1)
            return None if one is None or other is None else _combined(operator, one, other)
        case Conditional():
            pair = minimum_or_maximum(expression)
            if pair is None:
                return None
            sides = [expression_formula(side, values, named, depth + 1) for side in pair[1:]]
            known = [side for side in sides if side is not None]
            if len(known) < len(sides):
                return None
            return known[0].at_most(known[1]) if pair[0] == "min" else known[0].at_least(known[1])
        case _:
            name = named(expression.operand if isinstance(expression, Cast) else expression)
            return Formula.parameter(name) if name else None


def _combined(operator: str, one: Formula, other: Formula) -> Formula | None:
    """A shift to the right and a mask of low bits round down, also what is below zero."""
    number = None if other.value is None else int(other.value)
    match operator:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case "<<" if number is not None and 0 <= number <= _LARGEST_SHIFT:
            return one * (1 << number)
        case ">>" if number is not None and 0 <= number <= _LARGEST_SHIFT:
            return (one / (1 << number)).floor()
        case "/" if number != 0:
            return (one / other).truncated()
        case "%" if number != 0:
            return one - (one / other).truncated() * other
        case "&" if number is not None and number > 0 and number & (number + 1) == 0:
            return one - (one / (number + 1)).floor() * (number + 1)
        case _:
            return None
