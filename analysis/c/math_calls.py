"""Functions of `math.h` and their builtin spellings: pure, with the type of their result."""

from __future__ import annotations

from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, LONG, LONG_DOUBLE, CType

FLOATING_FUNCTIONS = frozenset(
    [
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atan2",
        "atanh",
        "cbrt",
        "ceil",
        "copysign",
        "cos",
        "cosh",
        "erf",
        "erfc",
        "exp",
        "exp2",
        "exp10",
        "expm1",
        "fabs",
        "fdim",
        "floor",
        "fma",
        "fmax",
        "fmin",
        "fmod",
        "hypot",
        "j0",
        "j1",
        "jn",
        "ldexp",
        "lgamma",
        "log",
        "log10",
        "log1p",
        "log2",
        "logb",
        "nearbyint",
        "nextafter",
        "pow",
        "remainder",
        "rint",
        "round",
        "roundeven",
        "scalbn",
        "scalbln",
        "sin",
        "sinh",
        "sqrt",
        "tan",
        "tanh",
        "tgamma",
        "trunc",
        "y0",
        "y1",
        "yn",
        "inf",
        "huge_val",
        "nan",
    ]
)
_LONG_RESULT = frozenset({"lrint", "lround", "llrint", "llround", "labs", "llabs"})
_INT_RESULT = frozenset(
    [
        "abs",
        "ilogb",
        "isnan",
        "isinf",
        "isfinite",
        "isnormal",
        "signbit",
        "isgreater",
        "isgreaterequal",
        "isless",
        "islessequal",
        "islessgreater",
        "isunordered",
        "isinf_sign",
        "popcount",
        "popcountl",
        "popcountll",
        "clz",
        "clzl",
        "clzll",
        "ctz",
        "ctzl",
        "ctzll",
        "ffs",
        "ffsl",
        "ffsll",
    ]
)

_ENDINGS = "fl"
_STEMS = frozenset(name.rstrip(_ENDINGS) for name in (*FLOATING_FUNCTIONS, *_LONG_RESULT, *_INT_RESULT))


def math_function(name: str) -> tuple[str, CType] | None:
    """`(name without builtin prefix, result type)` of a pure function, None for any other.

    >>> math_function("__builtin_sqrtf") == ("sqrtf", FLOAT)
    True
    >>> math_function("printf") is None
    True
    """
    plain = name.removeprefix("__builtin_").removeprefix("__")
    if plain.rstrip(_ENDINGS) not in _STEMS:
        return None
    if plain in FLOATING_FUNCTIONS:
        return plain, DOUBLE
    for suffix, ctype in (("f", FLOAT), ("l", LONG_DOUBLE)):
        if plain.endswith(suffix) and plain[:-1] in FLOATING_FUNCTIONS:
            return plain, ctype
    stem = plain if plain in _LONG_RESULT else plain.rstrip(_ENDINGS)
    if stem in _LONG_RESULT:
        return plain, LONG
    if plain in _INT_RESULT or (plain[-1:] in {"f", "l"} and plain[:-1] in _INT_RESULT):
        return plain, INT
    return None
