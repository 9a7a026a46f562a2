"""Functions of `math.h` as CUDA C++ calls them: by the same names, each argument in the type that the C function takes.

C++ overloads `sqrt` and its like for `float`, C converts the argument to `double`: so the conversion is written out.
Results of `exp`, `sin`, `pow` and their like are those of CUDA's library, within the bounds of its programming guide.

Source: CUDA Math API Reference; ISO C17 7.12.
"""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.expression import BinaryOperator
from warplens.analysis.ir.types import DOUBLE, FLOAT, INT, LONG, SIZE_T, UNSIGNED, CType
from warplens.analysis.ports.cuda.names import words

_ONE = words(
    """
    acos acosh asin asinh atan atanh cbrt ceil cos cosh erf erfc exp exp10 exp2 expm1 fabs floor j0 j1 lgamma log log10
    log1p log2 logb nearbyint rint round sin sinh sqrt tan tanh tgamma trunc y0 y1
    """
)
_TWO = words("atan2 copysign fdim fmax fmin fmod hypot nextafter pow remainder")
_MIXED: dict[str, tuple[CType | None, ...]] = {
    "fma": (None, None, None),
    "ldexp": (None, INT),
    "scalbn": (None, INT),
    "scalbln": (None, LONG),
    "jn": (INT, None),
    "yn": (INT, None),
    "ilogb": (None,),
    "lrint": (None,),
    "lround": (None,),
    "llrint": (None,),
    "llround": (None,),
}
"""Parameters of what is left; None is the function's own floating type."""
_INTEGER: dict[str, tuple[str, CType]] = {
    "abs": ("abs", INT),
    "labs": ("labs", LONG),
    "llabs": ("llabs", LONG),
    "popcount": ("__popc", UNSIGNED),
    "popcountl": ("__popcll", SIZE_T),
    "popcountll": ("__popcll", SIZE_T),
    "clz": ("__clz", UNSIGNED),
    "clzl": ("__clzll", SIZE_T),
    "clzll": ("__clzll", SIZE_T),
    "ffs": ("__ffs", INT),
    "ffsl": ("__ffsll", LONG),
    "ffsll": ("__ffsll", LONG),
}
CLASSIFICATIONS = frozenset({"isnan", "isinf", "isfinite", "signbit"})
"""Macros of C and overloaded functions of C++: the argument's own type says which is meant."""
COMPARISONS: Mapping[str, BinaryOperator] = {
    "isgreater": ">",
    "isgreaterequal": ">=",
    "isless": "<",
    "islessequal": "<=",
}
"""Comparisons that raise no exception for NaN; a GPU has none to raise."""
CONSTANTS = {"inf": "INFINITY", "huge_val": "HUGE_VAL", "nan": "NAN"}
"""Functions whose value is one constant."""


def device_function(name: str) -> tuple[str, tuple[CType, ...]] | None:
    """Name and parameter types of the device's function for one of C, None where it has none.

    >>> device_function("sqrtf") == ("sqrtf", (FLOAT,)), device_function("popcount") == ("__popc", (UNSIGNED,))
    (True, True)
    >>> device_function("roundeven") is None
    True
    """
    if name in _INTEGER:
        function, parameter = _INTEGER[name]
        return function, (parameter,)
    for stem, own in ((name, DOUBLE), (name[:-1] if name.endswith("f") else "", FLOAT)):
        if stem in _ONE:
            return name, (own,)
        if stem in _TWO:
            return name, (own, own)
        if stem in _MIXED:
            return name, tuple(own if parameter is None else parameter for parameter in _MIXED[stem])
    return None
