"""What the compiler of the CPU's code was told: how far to go, for which instructions, with which mathematics."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from warplens.analysis.cpu.cpu import Cpu

InstructionSet = Literal["sse2", "sse4", "avx2", "avx512"]
"""What x86-64 code may use, each with all before it; "sse2" is generic x86-64, and stands for other vectors too."""

_SETS: tuple[InstructionSet, ...] = get_args(InstructionSet)
VECTOR_BYTES: dict[InstructionSet, int] = {"sse2": 16, "sse4": 16, "avx2": 32, "avx512": 64}


@dataclass(frozen=True, slots=True)
class Compilation:
    """One translation by gcc or clang.

    `level` is that of -O (3 for -Ofast). `reassociates`: floating-point operations may change their order
    (-fassociative-math), be replaced by reciprocals, and ignore NaN, as -ffast-math has it. `sets_errno`: sqrt and its
    like report errors. `words` says it in the user's words.
    """

    level: int
    instructions: InstructionSet
    vector_bytes: int
    fuses_multiply_add: bool
    reassociates: bool = False
    sets_errno: bool = True
    uses_openmp: bool = False
    words: str = "gcc -O3 without -ffast-math"

    def has(self, instructions: InstructionSet) -> bool:
        """Whether the code may use a set of instructions."""
        return _SETS.index(self.instructions) >= _SETS.index(instructions)


def assumed_compilation(cpu: Cpu) -> Compilation:
    """`gcc -O3` for the profile's target: what is assumed where nobody says how the file is compiled.

    A profile of a target without fused multiply-add gives that class the latency of a multiplication and an addition.
    """
    latencies: dict[str, float] = {timing.op: timing.latency_cycles for timing in cpu.instructions}
    parts = latencies.get("fp64_mul", 0.0) + latencies.get("fp64_add", 0.0)
    fuses = latencies.get("fp64_fma", parts) < parts
    widest = (name for name in reversed(_SETS) if VECTOR_BYTES[name] <= cpu.vector_bytes and name != "sse4")
    return Compilation(3, next(widest, "sse2"), cpu.vector_bytes, fuses)
