"""What a call of the C library's mathematics costs a core, as data."""

from __future__ import annotations

from dataclasses import dataclass

_FREE = frozenset(("fabs", "copysign", "abs", "labs", "llabs", "sqrt", "fma", "fmin", "fmax"))
"""Instructions of their own, counted as such."""


@dataclass(frozen=True, slots=True)
class LibraryCall:
    """Cycles from one call to the next, none waiting for another: of one value, and of a vector of any width.

    `vector_cycles` is None where glibc's libmvec has no such function.
    """

    cycles: float
    vector_cycles: float | None = None


_DOUBLE = {
    "exp": LibraryCall(12, 14),
    "exp2": LibraryCall(12, 14),
    "expm1": LibraryCall(15, 20),
    "log": LibraryCall(12, 16),
    "log2": LibraryCall(13, 16),
    "log10": LibraryCall(20, 18),
    "log1p": LibraryCall(15, 20),
    "sin": LibraryCall(31, 14),
    "cos": LibraryCall(31, 14),
    "tan": LibraryCall(32, 16),
    "asin": LibraryCall(14, 20),
    "acos": LibraryCall(14, 20),
    "atan": LibraryCall(31, 17),
    "atan2": LibraryCall(41, 28),
    "sinh": LibraryCall(28, 28),
    "cosh": LibraryCall(25, 24),
    "tanh": LibraryCall(27, 28),
    "pow": LibraryCall(34, 65),
    "erf": LibraryCall(13, 18),
    "cbrt": LibraryCall(33, 24),
    "hypot": LibraryCall(15, 18),
    "fmod": LibraryCall(15),
    "lgamma": LibraryCall(30),
    "tgamma": LibraryCall(60),
}
_SINGLE = {
    "exp": LibraryCall(7, 11),
    "exp2": LibraryCall(7, 11),
    "expm1": LibraryCall(15, 16),
    "log": LibraryCall(7, 11),
    "log2": LibraryCall(7, 11),
    "log10": LibraryCall(16, 12),
    "log1p": LibraryCall(15, 16),
    "sin": LibraryCall(9, 12),
    "cos": LibraryCall(9, 12),
    "tan": LibraryCall(16, 14),
    "asin": LibraryCall(14, 14),
    "acos": LibraryCall(14, 14),
    "atan": LibraryCall(16, 14),
    "atan2": LibraryCall(32, 20),
    "sinh": LibraryCall(22, 20),
    "cosh": LibraryCall(20, 18),
    "tanh": LibraryCall(27, 16),
    "pow": LibraryCall(13, 62),
    "erf": LibraryCall(12, 14),
    "cbrt": LibraryCall(29, 18),
    "hypot": LibraryCall(10, 14),
    "fmod": LibraryCall(15),
    "lgamma": LibraryCall(30),
    "tgamma": LibraryCall(40),
}
"""Throughput of glibc 2.36 on AMD Zen 5, each function over 1024 arguments between 0 and 0.7 (in loops that the
model is not judged by); functions of libmvec took about as long per vector with 16, 32 and 64 bytes."""
_ROUND = LibraryCall(5)
_ROUNDING = frozenset(("floor", "ceil", "trunc", "rint", "nearbyint", "round", "lround", "llround", "lrint", "llrint"))


def library_call(function: str, *, is_single: bool) -> LibraryCall | None:
    """Cost of a function by its C name; None for what is no call: an instruction of its own, or not in the table."""
    name = _base(function)
    if name in _ROUNDING:
        return _ROUND
    return (_SINGLE if is_single else _DOUBLE).get(name)


def vector_cycles(function: str) -> float | None:
    """Cycles of a vector of results by glibc's libmvec; None where it has none."""
    found = library_call(function, is_single=function.endswith("f") and function != "erf")
    return found.vector_cycles if found is not None else None


def is_instruction(function: str) -> bool:
    """Whether a function is one instruction or few, and no call."""
    return _base(function) in _FREE


def _base(function: str) -> str:
    name = function.removeprefix("__builtin_")
    if name in _DOUBLE or name in _FREE or name in _ROUNDING:
        return name
    return name[:-1] if name[-1:] in {"f", "l"} else name
