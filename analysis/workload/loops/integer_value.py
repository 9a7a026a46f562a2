"""What an integer expression of C gives for numbers: of iterations that are looked at one by one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import add, and_, eq, ge, gt, le, lshift, lt, mul, ne, or_, rshift, sub, xor

from warplens.analysis.ir.expression import Binary, Cast, Conditional, Constant, Expression, ScalarRef, Unary
from warplens.analysis.ir.types import Scalar

_DEEPEST = 40
_OPERATIONS: Mapping[str, Callable[[int, int], int]] = {
    "+": add, "-": sub, "*": mul, "<<": lshift, ">>": rshift, "&": and_, "|": or_, "^": xor,
    "<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne,
}  # fmt: skip
_LARGEST_SHIFT = 62


def integer_value(
    expression: Expression, numbers: Mapping[str, int], values: Mapping[str, Expression], depth: int = 0
) -> int | None:
    """The value with C's rounding and order; None where memory, a call or an unknown name decides.

    `values` are expressions of variables that have one; a comparison gives 0 or 1. Assumes: no value leaves its type.

    >>> from warplens.analysis.ir.types import INT
    >>> i = ScalarRef("i", INT)
    >>> integer_value(Binary("%", i, Constant(3, INT), INT), {"i": -4}, {})
    -1
    """
    if depth > _DEEPEST:
        return None
    match expression:
        case Constant(int() as value):
            return value
        case ScalarRef(name):
            if name in numbers:
                return numbers[name]
            return integer_value(values[name], numbers, values, depth + 1) if name in values else None
        case Cast(operand, Scalar(kind="int")) if isinstance(operand.type, Scalar) and operand.type.kind == "int":
            return integer_value(operand, numbers, values, depth + 1)
        case Unary(operator, operand):
            inner = integer_value(operand, numbers, values, depth + 1)
            return None if inner is None else {"-": -inner, "~": ~inner, "!": int(not inner)}[operator]
        case Conditional(condition, then, otherwise):
            test = integer_value(condition, numbers, values, depth + 1)
            return None if test is None else integer_value(then if test else otherwise, numbers, values, depth + 1)
        case Binary("&&" | "||" as operator, left, right):
            one = integer_value(left, numbers, values, depth + 1)
            if one is None or bool(one) == (operator == "||"):
                return None if one is None else int(bool(one))
            other = integer_value(right, numbers, values, depth + 1)
            return None if other is None else int(bool(other))
        case Binary(operator, left, right):
            one = integer_value(left, numbers, values, depth + 1)
            other = integer_value(right, numbers, values, depth + 1)
            return None if one is None or other is None else _combined(operator, one, other)
        case _:
            return None


def _combined(operator: str, one: int, other: int) -> int | None:
    if operator in {"/", "%"}:
        if not other:
            return None
        quotient = abs(one) // abs(other) * (1 if (one < 0) == (other < 0) else -1)
        return quotient if operator == "/" else one - quotient * other
    if operator in {"<<", ">>"} and not 0 <= other <= _LARGEST_SHIFT:
        return None
    return int(_OPERATIONS[operator](one, other))
