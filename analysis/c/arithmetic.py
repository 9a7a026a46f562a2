"""C's arithmetic on types and constants: literals, conversions, folding."""

from __future__ import annotations

from collections.abc import Callable
from math import copysign

from warplens.analysis.ir.expression import (
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Constant,
    Expression,
    reads_volatile,
    walk,
)
from warplens.analysis.ir.single_precision import in_single_precision
from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, LONG, LONG_DOUBLE, SIZE_T, UNSIGNED, CType, PointerTo, Scalar

_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!=", "&&", "||"})
_ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "\\": 92, "'": 39, '"': 34, "a": 7, "b": 8, "f": 12, "v": 11}


def literal(text: str) -> Constant | None:
    """Value of a numeric or character literal, None for what is neither."""
    if text.startswith(("'", "L'", "u'", "U'")):
        body = text.partition("'")[2][:-1]
        if len(body) == 1:
            return Constant(ord(body), INT)
        return Constant(_ESCAPES[body[1]], INT) if len(body) == 2 and body[1] in _ESCAPES else None
    lower = text.lower()
    is_hex = lower.startswith("0x")
    if ("." in lower or ("e" in lower and not is_hex)) or (is_hex and "p" in lower):
        return _floating(lower, is_hex)
    digits = lower.rstrip("ul")
    suffix = lower[len(digits) :]
    try:
        if is_hex or lower.startswith("0b"):
            value = int(digits, 0)
        else:
            value = int(digits, 8 if len(digits) > 1 and digits[0] == "0" else 10)
    except ValueError:
        return None
    if value >= 2**64:
        return None  # no type of C holds it
    if "l" in suffix or value >= 2**31:
        unsigned = "u" in suffix or value >= 2**63 or (is_hex and 2**31 <= value < 2**32 and "l" not in suffix)
        if unsigned and value < 2**32 and "l" not in suffix:
            return Constant(value, UNSIGNED)
        return Constant(value, SIZE_T if unsigned else LONG)
    return Constant(value, UNSIGNED if "u" in suffix else INT)


def _floating(text: str, is_hex: bool) -> Constant | None:
    is_float = text.endswith("f") and (not is_hex or "p" in text)
    number = text.rstrip("fl" if not is_hex or "p" in text else "l")
    try:
        value = float.fromhex(number) if is_hex else float(number)
    except (ValueError, OverflowError):
        return None
    if is_float:
        return Constant(in_single_precision(value), FLOAT)
    return Constant(value, LONG_DOUBLE if text.endswith("l") else DOUBLE)


def common_type(left: CType, right: CType) -> CType:
    """Usual arithmetic conversions; pointers win over integers."""
    if not isinstance(left, Scalar) or not isinstance(right, Scalar):
        return left if isinstance(left, PointerTo) or not isinstance(right, (PointerTo, Scalar)) else right
    if "complex" in {left.kind, right.kind}:
        return max((t for t in (left, right) if t.kind == "complex"), key=lambda t: t.size_bytes)
    floats = [t for t in (left, right) if t.kind == "float"]
    if floats:
        return max(floats, key=lambda t: t.size_bytes)
    left, right = promoted(left), promoted(right)
    if left.size_bytes != right.size_bytes:
        return left if left.size_bytes > right.size_bytes else right
    return right if left.signed else left


def promoted(ctype: Scalar) -> Scalar:
    """Integer promotion."""
    return INT if ctype.kind == "int" and ctype.size_bytes < 4 else ctype


def converted(expression: Expression, ctype: CType) -> Expression:
    """Insert the conversion that C implies, where it costs an instruction: between kinds or floating sizes."""
    source = expression.type
    if not isinstance(source, Scalar) or not isinstance(ctype, Scalar) or source == ctype:
        return expression
    if source.kind == ctype.kind == "int":
        return expression
    if source.kind == ctype.kind and source.size_bytes == ctype.size_bytes:
        return expression
    if isinstance(expression, Constant) and "complex" not in {source.kind, ctype.kind}:
        try:
            value = _held(expression.value, source)
            return Constant(_rounded(float(value), ctype) if ctype.kind == "float" else int(value), ctype)
        except (OverflowError, ValueError):
            return expression
    return Cast(expression, ctype)


def cut_to(value: int, ctype: Scalar) -> int:
    """An integer constant converted to an integer type.

    That of a wide unsigned type may stay a negative number, so that `i + (unsigned)-1` is `i - 1` to who counts.
    """
    bits = 8 * ctype.size_bytes
    if ctype.name in {"_Bool", "bool"}:
        return int(value != 0)
    if not ctype.signed and ctype.size_bytes >= 4 and -(1 << (bits - 1)) <= value < 0:
        return value
    value %= 1 << bits
    return value - (1 << bits) if ctype.signed and value >> (bits - 1) else value


def _rounded(value: float, ctype: Scalar) -> float:
    """A number as a floating type holds it."""
    return in_single_precision(value) if ctype.size_bytes == 4 else value


def _held(value: float, ctype: CType) -> float:
    """An integer as its unsigned type holds it: a constant of such a type may be written as a negative number."""
    if isinstance(value, int) and isinstance(ctype, Scalar) and ctype.kind == "int" and not ctype.signed:
        return value % (1 << 8 * ctype.size_bytes)
    return value


_DEPENDS_ON_SIGN = frozenset({"/", "%", ">>", "<", "<=", ">", ">=", "==", "!="})
_FOLD: dict[str, Callable[[int, int], int | None]] = {
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else None,
    "%": lambda a, b: a - b * (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1) if b else None,
    "<<": lambda a, b: a << b if 0 <= b < 64 else None,
    ">>": lambda a, b: a >> b if 0 <= b < 64 else None,
    "&": lambda a, b: a & b,
    "|": lambda a, b: a | b,
    "^": lambda a, b: a ^ b,
    "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b),
    ">": lambda a, b: int(a > b),
    ">=": lambda a, b: int(a >= b),
    "==": lambda a, b: int(a == b),
    "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)),
    "||": lambda a, b: int(bool(a) or bool(b)),
}


def fold_integers(operator: str, left: int, right: int) -> int | None:
    """Value of an operation on integers, None where C leaves it undefined or it leaves 64 bits."""
    value = _FOLD[operator](left, right)
    return value if value is not None and -(2**63) <= value < 2**64 else None


def binary(operator: BinaryOperator, left: Expression, right: Expression) -> Expression:
    """Binary node with its conversions, folded when both sides are integer constants, or one decides by itself."""
    shift = operator in {"<<", ">>"}
    ctype = left.type if shift else common_type(left.type, right.type)
    ctype = promoted(ctype) if shift and isinstance(ctype, Scalar) else ctype
    if isinstance(left, Constant) and isinstance(right, Constant):
        folded = _folded(operator, left.value, right.value, ctype)
        if folded is not None:
            return folded
    if operator in {"&&", "||"} and (decided := _decided(operator == "||", left, right)) is not None:
        return decided
    if not shift and operator not in {"&&", "||"}:
        left, right = converted(left, ctype), converted(right, ctype)
    return Binary(operator, left, right, INT if operator in _COMPARISONS else ctype)


def _decided(deciding: bool, left: Expression, right: Expression) -> Constant | None:
    """What `0 && x`, `x && 0`, `1 || x` and `x || 1` are, where nothing happens when `x` is evaluated."""
    if isinstance(left, Constant) and bool(left.value) == deciding:
        return Constant(int(deciding), INT)
    if isinstance(right, Constant) and bool(right.value) == deciding and _only_reads(left):
        return Constant(int(deciding), INT)
    return None


def _only_reads(expression: Expression) -> bool:
    calls = (node for node in walk(expression) if isinstance(node, Call) and not node.is_math)
    return not reads_volatile(expression) and all(call.effects in {"none", "assumed", "ends"} for call in calls)


def _folded(operator: str, left: float, right: float, ctype: CType) -> Constant | None:
    if isinstance(left, int) and isinstance(right, int):
        if operator in _DEPENDS_ON_SIGN:
            left, right = int(_held(left, ctype)), int(right if operator == ">>" else _held(right, ctype))
        value = fold_integers(operator, left, right)
        if value is None:
            return None
        return Constant(value, INT if operator in _COMPARISONS else ctype)
    if operator in {"+", "-", "*", "/"} and isinstance(ctype, Scalar) and ctype.kind == "float":
        try:
            result = {"+": left + right, "-": left - right, "*": left * right}.get(operator)
            number = left / right if result is None else result
            if not number and copysign(1.0, number) < 0:
                return None  # -0.0 equals 0.0, keys of memories hold both
            return Constant(_rounded(number, ctype), ctype)
        except (OverflowError, ZeroDivisionError):
            return None
    return None
