"""What a math function costs on a GPU: the instructions that its maker's library has for usual arguments.

Source: SASS of nvcc 13 for sm_86 (sm_90 has the same), counted from the argument to the result along the path that
normal numbers take: no denormals, infinities, quadrants that need more than the short reduction of an angle, or
negative bases. `chain` is the longest dependence among them.
Assumes: other makers' libraries have about as many; a function that needs an infinite number of cases (the two gammas)
takes a middle one.
Not modelled: tables in memory (three loads of coefficients in `sin` and `cos` of doubles).
"""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.facts.program import OpClass


@dataclass(frozen=True, slots=True)
class MathSteps:
    """Instructions of one evaluation by class, and how many of them wait for each other."""

    counts: tuple[tuple[OpClass, int], ...]
    chain: int

    @property
    def total(self) -> int:
        """All instructions."""
        return sum(count for _, count in self.counts)

    def levels(self) -> tuple[tuple[OpClass, int], ...]:
        """Each instruction with its place in the chain, 0 first; those of one level wait for the level before."""
        ops = [op for op, count in self.counts for _ in range(count)]
        chain = min(self.chain, len(ops))
        return tuple((op, place * chain // len(ops)) for place, op in enumerate(ops))


def _fp32(
    chain: int,
    *,
    add: int = 0,
    mul: int = 0,
    fma: int = 0,
    special: int = 0,
    convert: int = 0,
    compare: int = 0,
    whole: int = 0,
) -> MathSteps:
    """`special` are reciprocals, roots, 2^x; `whole` integer instructions, moves and jumps."""
    return _steps(
        chain,
        (("fp32_add", add), ("fp32_mul", mul), ("fp32_fma", fma), ("fp32_special", special)),
        (("convert", convert), ("compare", compare), ("logic", whole)),
    )


def _fp64(
    chain: int,
    *,
    add: int = 0,
    mul: int = 0,
    fma: int = 0,
    special: int = 0,
    convert: int = 0,
    compare64: int = 0,
    compare: int = 0,
    whole: int = 0,
) -> MathSteps:
    """`special` are first approximations, of the same unit as those of floats; `compare64` compares doubles."""
    return _steps(
        chain,
        (("fp64_add", add), ("fp64_mul", mul), ("fp64_fma", fma), ("fp32_special", special)),
        (("convert64", convert), ("compare64", compare64), ("compare", compare), ("logic", whole)),
    )


def _steps(chain: int, *groups: tuple[tuple[OpClass, int], ...]) -> MathSteps:
    return MathSteps(tuple(pair for group in groups for pair in group if pair[1]), chain)


_SINE32 = _fp32(12, mul=2, fma=10, convert=2, compare=4, whole=6)
_SINE64 = _fp64(16, mul=2, fma=12, convert=2, compare64=2, compare=2, whole=10)
_AREA32 = _fp32(28, add=4, mul=4, fma=14, special=1, convert=1, compare=7, whole=9)
_AREA64 = _fp64(50, add=8, mul=8, fma=30, special=2, compare64=1, compare=12, whole=15)
_LOG64 = _fp64(30, add=8, mul=6, fma=18, special=1, compare=6, whole=13)

_FP32: dict[str, MathSteps] = {
    "exp": _fp32(7, add=1, mul=1, fma=4, special=1, whole=1),
    "exp2": _fp32(4, mul=2, special=1, compare=1),
    "exp10": _fp32(7, add=1, mul=1, fma=4, special=1, whole=1),
    "expm1": _fp32(16, add=4, mul=4, fma=8, special=1, convert=1, compare=10),
    "log": _fp32(19, add=1, mul=2, fma=12, convert=1, compare=5, whole=3),
    "log2": _fp32(21, add=2, mul=3, fma=12, convert=1, compare=5, whole=3),
    "log10": _fp32(20, add=1, mul=3, fma=12, convert=1, compare=5, whole=3),
    "log1p": _fp32(19, add=2, mul=2, fma=12, convert=1, compare=4, whole=6),
    "pow": _fp32(31, add=14, mul=10, fma=19, special=1, convert=4, compare=19, whole=17),
    "sin": _SINE32,
    "cos": _SINE32,
    "sinpi": _fp32(11, add=2, mul=2, fma=10, convert=3, compare=2, whole=2),
    "cospi": _fp32(11, add=2, mul=2, fma=10, convert=3, compare=2, whole=2),
    "tan": _fp32(14, mul=3, fma=9, special=1, convert=2, compare=3, whole=5),
    "asin": _fp32(18, mul=5, fma=9, special=1, compare=6, whole=2),
    "acos": _fp32(19, add=1, mul=4, fma=10, special=1, compare=6, whole=2),
    "atan": _fp32(15, mul=2, fma=9, special=1, compare=4, whole=1),
    "atan2": _fp32(23, add=1, mul=2, fma=14, special=2, compare=11, whole=8),
    "sinh": _fp32(14, add=1, mul=6, fma=7, special=2, convert=1, compare=3, whole=4),
    "cosh": _fp32(12, add=1, mul=4, fma=3, special=2, convert=1, compare=2, whole=2),
    "tanh": _fp32(8, add=1, mul=2, fma=6, special=2, compare=3, whole=1),
    **dict.fromkeys(("asinh", "acosh", "atanh"), _AREA32),
    "erf": _fp32(12, add=1, mul=1, fma=7, special=1, compare=10, whole=6),
    "erfc": _fp32(25, add=6, mul=8, fma=20, special=3, convert=1, compare=5, whole=3),
    "tgamma": _fp32(43, add=23, mul=20, fma=41, special=3, convert=7, compare=19, whole=15),
    "lgamma": _fp32(32, add=8, mul=10, fma=35, special=1, convert=4, compare=21, whole=20),
    "fmod": _fp32(8, add=2, mul=4, fma=2, special=1, convert=1, compare=8, whole=7),
    "remainder": _fp32(13, add=4, mul=4, fma=2, special=1, convert=2, compare=12, whole=8),
    "hypot": _fp32(13, add=2, mul=6, fma=3, special=1, compare=6, whole=7),
    "cbrt": _fp32(12, add=2, mul=5, fma=2, special=2, compare=5),
    "rsqrt": _fp32(4, mul=2, special=1, compare=1),
    "ldexp": _fp32(4, mul=4),
    "round": _fp32(3, add=1, convert=1, whole=1),
    "fdim": _fp32(2, add=1, compare=2),
}

_FP64: dict[str, MathSteps] = {
    "exp": _fp64(17, add=2, mul=1, fma=14, compare64=1, compare=4, whole=6),
    "exp2": _fp64(18, add=4, mul=2, fma=12, compare64=1, compare=6, whole=6),
    "exp10": _fp64(19, add=2, mul=2, fma=15, compare64=1, compare=6, whole=6),
    "expm1": _fp64(20, add=3, mul=1, fma=15, compare64=1, compare=6, whole=10),
    "log": _fp64(29, add=8, mul=5, fma=17, special=1, compare=6, whole=13),
    "log2": _LOG64,
    "log10": _LOG64,
    "log1p": _fp64(24, add=4, mul=5, fma=16, special=1, compare=5, whole=10),
    "pow": _fp64(71, add=34, mul=9, fma=41, special=1, compare64=6, compare=15, whole=38),
    "sin": _SINE64,
    "cos": _SINE64,
    "sinpi": _fp64(16, mul=3, fma=11, convert=3, compare64=1, compare=2, whole=7),
    "cospi": _fp64(16, mul=3, fma=11, convert=3, compare64=1, compare=2, whole=7),
    "tan": _fp64(30, add=1, mul=4, fma=25, special=1, convert=2, compare64=2, compare=1, whole=8),
    "asin": _fp64(18, add=3, mul=3, fma=20, special=1, compare64=1, compare=6, whole=6),
    "acos": _fp64(18, add=4, mul=3, fma=19, special=1, compare=4, whole=10),
    "atan": _fp64(30, add=2, mul=2, fma=22, special=1, compare64=2, compare=4, whole=6),
    "atan2": _fp64(40, add=5, mul=3, fma=27, special=1, compare64=4, compare=13, whole=8),
    "sinh": _fp64(30, add=2, mul=4, fma=22, special=1, compare64=1, compare=4, whole=8),
    "cosh": _fp64(24, add=2, fma=18, special=1, compare64=1, compare=3, whole=8),
    "tanh": _fp64(27, add=3, mul=1, fma=16, special=2, convert=3, compare64=1, compare=3, whole=9),
    **dict.fromkeys(("asinh", "acosh", "atanh"), _AREA64),
    "erf": _fp64(44, add=3, mul=1, fma=37, special=1, convert=3, compare64=1, compare=2, whole=4),
    "erfc": _fp64(60, add=7, mul=6, fma=49, special=2, compare=7, whole=16),
    "tgamma": _fp64(90, add=30, mul=14, fma=75, special=3, convert=2, compare64=4, compare=12, whole=40),
    "lgamma": _fp64(70, add=12, mul=9, fma=55, special=2, convert=1, compare64=2, compare=12, whole=30),
    "fmod": _fp64(120, mul=3, compare64=2, compare=76, whole=160),
    "remainder": _fp64(123, add=1, mul=3, compare64=4, compare=75, whole=160),
    "hypot": _fp64(20, add=2, mul=7, fma=4, special=1, compare64=2, compare=13, whole=10),
    "cbrt": _fp64(28, add=1, mul=3, fma=6, special=3, convert=2, compare64=3, compare=3, whole=14),
    "rsqrt": _fp64(6, mul=2, fma=3, special=1, compare=1, whole=5),
    "ldexp": _fp64(4, mul=4),
    **dict.fromkeys(("floor", "ceil", "trunc", "rint", "nearbyint"), _fp64(1, convert=1)),
    "round": _fp64(3, add=1, convert=1, whole=1),
    **dict.fromkeys(("lround", "llround", "lrint", "llrint"), _fp64(1, convert=1)),
    **dict.fromkeys(("fmin", "fmax"), _fp64(4, compare64=1, compare=2, whole=3)),
    "fdim": _fp64(2, add=1, compare64=1, compare=2),
    **dict.fromkeys(("isnan", "isinf", "isfinite"), _fp64(1, compare64=1)),
}


def gpu_math_steps(name: str, *, is_double: bool) -> MathSteps | None:
    """Instructions of a function by its C name, `__builtin_` and the suffix f removed; None where it is in no table."""
    base = name.removeprefix("__builtin_")
    table = _FP64 if is_double else _FP32
    return table.get(base) or table.get(base.removesuffix("f"))
