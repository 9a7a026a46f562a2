"""What an expression of C gives for many iterations at once: of those that a warp's lanes are in, a number for each."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.ir.expression import (
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
)
from warplens.analysis.ir.types import CType, Scalar

Numbers = NDArray[Any]
"""Of 64-bit integers or of doubles."""

_DEEPEST = 60
_LARGEST_SHIFT = 62
_BITS_THAT_HOLD = 32
_DATA = np.int64(0x9E3779B97F4A7C15 - 2**64)
"""Odd, so that no two elements of a table are led to one place. Source: Knuth, volume 3, section 6.4."""
_DATA_BITS = 24
_OF_NUMBERS: Mapping[str, Callable[..., Numbers]] = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "round": np.round, "rint": np.rint, "sqrt": np.sqrt,
    "fabs": np.abs, "abs": np.abs, "fmin": np.minimum, "fmax": np.maximum, "sin": np.sin, "cos": np.cos,
    "exp": np.exp, "log": np.log, "log2": np.log2, "exp2": np.exp2, "pow": np.power,
}  # fmt: skip
_COMPARED: Mapping[str, Callable[..., NDArray[np.bool_]]] = {
    "<": np.less, "<=": np.less_equal, ">": np.greater, ">=": np.greater_equal, "==": np.equal, "!=": np.not_equal,
}  # fmt: skip
_COMBINED: Mapping[str, Callable[..., Numbers]] = {
    "+": np.add, "-": np.subtract, "*": np.multiply, "&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor,
}  # fmt: skip


class NoNumberError(Exception):
    """A name, a call or a division that gives no number."""


def lane_numbers(expression: Expression, known: Mapping[str, Numbers], depth: int = 0) -> Numbers:
    """The value for each iteration of `known`, with C's rounding; a load gives some number for each of its elements.

    Assumes: no value leaves its type, but where a narrow one cuts it. Raises: NoNumberError.

    >>> from warplens.analysis.ir.types import INT
    >>> i = ScalarRef("i", INT)
    >>> lane_numbers(Binary("/", i, Constant(2, INT), INT), {"i": np.array([-3, 3, 4])}).tolist()
    [-1, 1, 2]
    """
    if depth > _DEEPEST:
        raise NoNumberError
    match expression:
        case Constant(value):
            return np.asarray(value, dtype=np.float64 if isinstance(value, float) else np.int64)
        case ScalarRef(name):
            if name not in known:
                raise NoNumberError
            return known[name]
        case Cast(operand, ctype):
            return _cast(lane_numbers(operand, known, depth + 1), ctype)
        case Unary(operator, operand):
            inner = lane_numbers(operand, known, depth + 1)
            if operator == "-":
                return -inner
            return (inner == 0).astype(np.int64) if operator == "!" else ~_whole(inner)
        case Conditional(condition, then, otherwise):
            parts = [lane_numbers(part, known, depth + 1) for part in (condition, then, otherwise)]
            return np.where(parts[0] != 0, parts[1], parts[2])
        case Binary(operator, left, right):
            one, other = lane_numbers(left, known, depth + 1), lane_numbers(right, known, depth + 1)
            return _combined(operator, one, other)
        case Load(access):
            place: Numbers = np.asarray(len(access.subscripts) + access.element_bytes, dtype=np.int64)
            for subscript in access.subscripts:
                place = place * 1_000_003 + _whole(lane_numbers(subscript, known, depth + 1))
            with np.errstate(over="ignore"):
                spread: NDArray[np.int64] = np.asarray((place * _DATA) >> (63 - _DATA_BITS))
            return spread & ((1 << _DATA_BITS) - 1)
        case Call(function, arguments, is_math=True):
            name = function if function in _OF_NUMBERS else function.removesuffix("f")
            if name not in _OF_NUMBERS:
                raise NoNumberError
            return np.asarray(_OF_NUMBERS[name](*(lane_numbers(part, known, depth + 1) for part in arguments)))
        case _:
            raise NoNumberError


def _combined(operator: str, one: Numbers, other: Numbers) -> Numbers:
    if operator in _COMPARED:
        return _COMPARED[operator](one, other).astype(np.int64)
    if operator in {"&&", "||"}:
        both = np.logical_and(one, other) if operator == "&&" else np.logical_or(one, other)
        return np.asarray(both).astype(np.int64)
    if operator in {"+", "-", "*"}:
        return np.asarray(_COMBINED[operator](one, other))
    if operator == "/" and (one.dtype.kind == "f" or other.dtype.kind == "f"):
        return np.asarray(one / other)
    one, other = _whole(one), _whole(other)
    if operator in {"/", "%"}:
        if not other.all():
            raise NoNumberError
        quotient = one // other
        quotient = quotient + ((quotient * other != one) & ((one < 0) != (other < 0)))
        return np.asarray(quotient if operator == "/" else one - quotient * other)
    if operator in {"<<", ">>"}:
        if (other < 0).any() or (other > _LARGEST_SHIFT).any():
            raise NoNumberError
        return np.asarray(np.left_shift(one, other) if operator == "<<" else np.right_shift(one, other))
    return np.asarray(_COMBINED[operator](one, other))


def _cast(value: Numbers, ctype: CType) -> Numbers:
    match ctype:
        case Scalar(kind="float"):
            return value.astype(np.float64)
        case Scalar(kind="int", size_bytes=size, signed=signed):
            whole = _whole(value)
            bits = 8 * size
            if bits >= _BITS_THAT_HOLD:
                return np.asarray(whole)
            low = whole & ((1 << bits) - 1)
            return np.where(low >> (bits - 1) != 0, low - (1 << bits), low) if signed else low
        case _:
            raise NoNumberError


def _whole(value: Numbers) -> NDArray[np.int64]:
    if value.dtype.kind != "f":
        return np.asarray(value, dtype=np.int64)
    if not np.isfinite(value).all():
        raise NoNumberError
    return np.asarray(np.clip(np.trunc(value), -(2.0**62), 2.0**62)).astype(np.int64)
