"""What the compiler of the CPU's code was told: how far to go, for which instructions, with which mathematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

InstructionSet = Literal["sse2", "sse4", "avx2", "avx512"]
"""What x86-64 code may use, each with all before it; "sse2" is generic x86-64, and stands for other vectors too."""

_SETS: tuple[InstructionSet, ...] = get_args(InstructionSet)
VECTOR_BYTES: dict[InstructionSet, int] = {"sse2": 16, "sse4": 16, "avx2": 32, "avx512": 64}


@dataclass(frozen=True, slots=True)
class Compilation:
    """One translation by gcc or clang.

    `level` is that of -O (3 for -Ofast). `reassociates`: floating-point operations may change their order
    (-fassociative-math), be replaced by reciprocals, and ignore NaN, as -ffast-math has it. `sets_errno`: sqrt and its
    like report errors. `words` says it in the user's words, `flags` are
    what it was read from.
    """

    level: int
    instructions: InstructionSet
    vector_bytes: int
    fuses_multiply_add: bool
    reassociates: bool = False
    sets_errno: bool = True
    uses_openmp: bool = False
    words: str = "gcc -O3 without -ffast-math"
    flags: tuple[str, ...] = ()

    def has(self, instructions: InstructionSet) -> bool:
        """Whether the code may use a set of instructions."""
        return _SETS.index(self.instructions) >= _SETS.index(instructions)
