"""C's operators on known numbers."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence

_LARGEST = 1 << 63
_MOST_SHIFTED = 62


def _divided(left: float, right: float) -> float:
    if isinstance(left, int) and isinstance(right, int):
        quotient = abs(left) // abs(right)
        return quotient if (left < 0) == (right < 0) else -quotient
    return left / right


def _remainder(left: float, right: float) -> float:
    return left - right * _divided(left, right)


def _shifted(left: float, right: float) -> float:
    if not 0 <= right <= _MOST_SHIFTED:
        raise ValueError
    return int(left) << int(right)


_OPERATORS: dict[str, Callable[..., float]] = {
    "+": operator.add, "-": operator.sub, "*": operator.mul, "/": _divided, "%": _remainder, "<<": _shifted,
    ">>": lambda a, b: int(a) >> min(int(b), _MOST_SHIFTED), "&": lambda a, b: int(a) & int(b),
    "|": lambda a, b: int(a) | int(b), "^": lambda a, b: int(a) ^ int(b),
    "<": lambda a, b: int(a < b), ">": lambda a, b: int(a > b), "<=": lambda a, b: int(a <= b),
    ">=": lambda a, b: int(a >= b), "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b),
    "&&": lambda a, b: int(bool(a) and bool(b)), "||": lambda a, b: int(bool(a) or bool(b)),
    "unary -": operator.neg, "unary ~": lambda a: ~int(a), "unary !": lambda a: int(not a),
    "trunc": math.trunc, "float": float, "sqrt": math.sqrt, "cbrt": lambda a: math.copysign(abs(a) ** (1 / 3), a),
    "pow": math.pow, "log": math.log, "log2": math.log2, "log10": math.log10, "exp": math.exp,
    "exp2": lambda a: math.pow(2.0, a), "ceil": lambda a: float(math.ceil(a)), "floor": lambda a: float(math.floor(a)),
    "round": lambda a: float(math.floor(a + 0.5)), "rint": lambda a: float(round(a)), "fabs": abs, "abs": abs,
    "labs": abs, "fmax": max, "fmin": min,
}  # fmt: skip


def computed(name: str, operands: Sequence[float]) -> int | float | None:
    """What an operation gives, None for what C leaves open or no `long` holds.

    >>> computed("/", (7, 2)), computed("/", (7.0, 2)), computed("/", (1, 0)), computed("<<", (1, 10))
    (3, 3.5, None, 1024)
    """
    found = _OPERATORS.get(name)
    if found is None:
        return None
    try:
        value = found(*operands)
    except (ArithmeticError, TypeError, ValueError):
        return None
    return value if isinstance(value, int | float) and math.isfinite(value) and abs(value) < _LARGEST else None
