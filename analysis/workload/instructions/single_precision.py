"""Double arithmetic that compilers do in float, since the result is the same.

In C `1.0 / x` of a float is a division of doubles, and `sqrt(x)` a root of one. Where the result is converted to float
at once, one operation of doubles that were floats rounds as the operation of floats does; so do comparisons with them.

Source: LLVM, InstCombine's visitFPTrunc and foldFPtoI, SimplifyLibCalls' shrinking of `sqrt` and of roundings. Only one
operation is narrowed: of two the first would round.
"""

from __future__ import annotations

from dataclasses import replace
from struct import error, pack, unpack

from warplens.analysis.ir.expression import Binary, Call, Cast, Constant, Expression, Unary
from warplens.analysis.ir.types import CType, Scalar

_ARITHMETIC = frozenset("+-*/")
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_EXACT_CALLS = frozenset({"sqrt", "fabs", "floor", "ceil", "trunc", "rint", "round", "nearbyint"})


def narrowed(expression: Expression) -> Expression:
    """The expression in float if it is a conversion to float, or a comparison, whose result is the same then."""
    match expression:
        case Cast(operand, type_) if _is_float(type_, 4) and _is_float(operand.type, 8):
            return _in_float(operand, type_) or expression
        case Binary(operator, left, right, type_) if operator in _COMPARISONS and _is_float(left.type, 8):
            was_float = [side for side in (left, right) if isinstance(side, Cast)]
            first, second = _single(left), _single(right)
            if was_float and first is not None and second is not None:
                return Binary(operator, first, second, type_)
    return expression


def _in_float(expression: Expression, type_: CType) -> Expression | None:
    """One operation on doubles as that on floats; None where an operand is a true double."""
    match expression:
        case Binary(operator, left, right) if operator in _ARITHMETIC:
            first, second = _single(left), _single(right)
            return None if first is None or second is None else Binary(operator, first, second, type_)
        case Unary("-", operand):
            inner = _single(operand) or _in_float(operand, type_)
            return None if inner is None else Unary("-", inner, type_)
        case Call(function, (argument,)) if function.removeprefix("__builtin_") in _EXACT_CALLS:
            inner = _single(argument)
            return None if inner is None else replace(expression, function=function, arguments=(inner,), type=type_)
    return _single(expression)


def _single(expression: Expression) -> Expression | None:
    """The float that a double was converted from, or equals."""
    match expression:
        case Cast(operand) if _is_float(operand.type, 4) and _is_float(expression.type, 8):
            return operand
        case Constant(value, type_) if _is_float(type_, 8) and _is_exact(float(value)):
            return Constant(value, Scalar("float", "float", 4))
    return None


def _is_exact(value: float) -> bool:
    try:
        (rounded,) = unpack("f", pack("f", value))
    except (OverflowError, error):
        return False
    return bool(rounded == value)


def _is_float(type_: CType, size_bytes: int) -> bool:
    return isinstance(type_, Scalar) and type_.kind == "float" and type_.size_bytes == size_bytes and type_.lanes == 1
