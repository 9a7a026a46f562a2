"""What a math function costs in arithmetic steps, as data.

No vendor publishes instruction counts of its math library, so every entry is an assumption shown to the user: the
counts follow the usual structure (range reduction, polynomial or hardware approximation, rounding). Where the note says
`intrinsic` the function is one hardware instruction of its class.
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.program import OpClass


@dataclass(frozen=True, slots=True)
class MathFunction:
    """Steps of one evaluation, in the order of their dependence; a step of the chain waits for the one before.

    `fp32` and `fp64` are (class, count) pairs. `is_exact_cost` marks what is one instruction on all GPUs, so that no
    assumption need be shown.
    """

    fp32: tuple[tuple[OpClass, int], ...]
    fp64: tuple[tuple[OpClass, int], ...]
    note: str
    is_exact_cost: bool = False


_ONE_COMPARE = MathFunction((("compare", 1),), (("compare", 1),), "intrinsic: min and max", True)
_SIGN = MathFunction((("logic", 1),), (("logic", 1),), "intrinsic: a sign bit", True)
_ROUND = MathFunction((("convert", 1),), (("convert", 1),), "intrinsic: a conversion with a rounding mode", True)
_SQRT = MathFunction((("fp32_sqrt", 1),), (("fp64_sqrt", 1),), "intrinsic or the library's square root", True)
_FMA = MathFunction((("fp32_fma", 1),), (("fp64_fma", 1),), "intrinsic", True)
_EXP = MathFunction(
    (("fp32_mul", 1), ("fp32_fma", 3), ("fp32_special", 1), ("fp32_mul", 1)),
    (("fp64_fma", 3), ("fp64_fma", 11), ("int_add", 1), ("compare", 1)),
    "range reduction to a power of two, then 2^x (fp32) or a polynomial of degree 11 (fp64)",
)
_LOG = MathFunction(
    (("int_add", 2), ("fp32_fma", 8), ("fp32_special", 1), ("compare", 1)),
    (("int_add", 2), ("fp64_div", 1), ("fp64_fma", 10), ("compare", 1)),
    "exponent extraction, then a polynomial in the mantissa",
)
_SIN = MathFunction(
    (("fp32_mul", 1), ("convert", 2), ("fp32_fma", 3), ("fp32_fma", 5), ("compare", 2)),
    (("fp64_mul", 1), ("convert", 2), ("fp64_fma", 3), ("fp64_fma", 8), ("compare", 2)),
    "range reduction by pi/2 for small arguments, then a polynomial",
)
_TAN = MathFunction(
    (("fp32_mul", 1), ("convert", 2), ("fp32_fma", 3), ("fp32_fma", 7), ("fp32_div", 1)),
    (("fp64_mul", 1), ("convert", 2), ("fp64_fma", 3), ("fp64_fma", 15), ("fp64_div", 1)),
    "range reduction by pi/2, then a polynomial and its reciprocal",
)
_ATAN = MathFunction(
    (("fp32_div", 1), ("fp32_fma", 9), ("compare", 2)),
    (("fp64_div", 1), ("fp64_fma", 20), ("compare", 2)),
    "reciprocal for large arguments, then a polynomial",
)
_ASIN = MathFunction(
    (("fp32_sqrt", 1), ("fp32_fma", 7), ("compare", 2)),
    (("fp64_sqrt", 1), ("fp64_fma", 13), ("compare", 2)),
    "square root near one, then a polynomial",
)
_HYPERBOLIC = MathFunction(
    (*_EXP.fp32, ("fp32_div", 1), ("fp32_fma", 2)),
    (*_EXP.fp64, ("fp64_div", 1), ("fp64_fma", 2)),
    "an exponential, its reciprocal and their sum",
)
_POW = MathFunction(
    (*_LOG.fp32, ("fp32_fma", 8), *_EXP.fp32, ("compare", 6)),
    (*_LOG.fp64, ("fp64_fma", 20), *_EXP.fp64, ("compare", 6)),
    "logarithm in extended precision, product, exponential, special cases",
)
_ERF = MathFunction(
    (("fp32_fma", 10), *_EXP.fp32, ("compare", 2)),
    (("fp64_fma", 24), *_EXP.fp64, ("compare", 2)),
    "polynomial and an exponential",
)
_GAMMA = MathFunction(
    (*_LOG.fp32, ("fp32_fma", 16), ("fp32_div", 1)),
    (*_LOG.fp64, ("fp64_fma", 30), ("fp64_div", 1)),
    "Stirling's series and a logarithm",
)
_REMAINDER = MathFunction(
    (("fp32_div", 1), ("convert", 1), ("fp32_fma", 2), ("compare", 2)),
    (("fp64_div", 1), ("convert", 1), ("fp64_fma", 2), ("compare", 2)),
    "one step of a division: arguments of similar size",
)
_HYPOT = MathFunction(
    (("fp32_mul", 2), ("fp32_fma", 1), ("fp32_sqrt", 1), ("compare", 2)),
    (("fp64_mul", 2), ("fp64_fma", 1), ("fp64_sqrt", 1), ("compare", 2)),
    "scaled sum of squares and a square root",
)
_CBRT = MathFunction(
    (*_LOG.fp32[:1], ("fp32_special", 2), ("fp32_fma", 4)),
    (("int_add", 2), ("fp64_special", 2), ("fp64_fma", 8)),
    "approximation by exponent, then Newton steps",
)
_SCALE = MathFunction((("int_add", 2), ("shift", 1)), (("int_add", 2), ("shift", 1)), "arithmetic on the exponent")
_RSQRT = MathFunction((("fp32_special", 1),), (("fp64_special", 1), ("fp64_fma", 4)), "approximation and Newton steps")
_CLASSIFY = MathFunction((("logic", 1), ("compare", 1)), (("logic", 1), ("compare", 1)), "bit tests", True)

_BY_NAME: dict[str, MathFunction] = {
    **dict.fromkeys(("fmin", "fmax"), _ONE_COMPARE),
    **dict.fromkeys(("fabs", "copysign", "abs", "labs", "llabs"), _SIGN),
    **dict.fromkeys(
        ("floor", "ceil", "round", "trunc", "rint", "nearbyint", "lround", "llround", "lrint", "llrint"), _ROUND
    ),
    **dict.fromkeys(("exp", "exp2", "exp10", "expm1"), _EXP),
    **dict.fromkeys(("log", "log2", "log10", "log1p", "logb", "ilogb"), _LOG),
    **dict.fromkeys(("sin", "cos", "sinpi", "cospi"), _SIN),
    **dict.fromkeys(("atan", "atan2"), _ATAN),
    **dict.fromkeys(("asin", "acos"), _ASIN),
    **dict.fromkeys(("sinh", "cosh", "tanh", "asinh", "acosh", "atanh"), _HYPERBOLIC),
    **dict.fromkeys(("erf", "erfc"), _ERF),
    **dict.fromkeys(("tgamma", "lgamma"), _GAMMA),
    **dict.fromkeys(("fmod", "remainder", "drem", "modf"), _REMAINDER),
    **dict.fromkeys(("ldexp", "scalbn", "scalbln", "frexp", "nextafter"), _SCALE),
    **dict.fromkeys(("isnan", "isinf", "isfinite", "signbit", "isnormal", "fpclassify"), _CLASSIFY),
    "sqrt": _SQRT,
    "fma": _FMA,
    "tan": _TAN,
    "pow": _POW,
    "hypot": _HYPOT,
    "cbrt": _CBRT,
    "rsqrt": _RSQRT,
    "fdim": MathFunction((("fp32_add", 1), ("compare", 1)), (("fp64_add", 1), ("compare", 1)), "difference", True),
}

_UNKNOWN = MathFunction(_POW.fp32, _POW.fp64, "not in the table: taken to cost as much as pow")


def math_function(name: str) -> MathFunction:
    """Cost of a function by its C name, `__builtin_` and the suffixes f and l removed."""
    base = name.removeprefix("__builtin_")
    for candidate in (base, base[:-1] if base[-1:] in {"f", "l"} else base):
        found = _BY_NAME.get(candidate)
        if found is not None:
            return found
    return _UNKNOWN
