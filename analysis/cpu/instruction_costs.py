"""Which machine instructions an operation becomes for a compilation, and how many of a kind a core does per cycle."""

from __future__ import annotations

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import CoreTiming, Cpu

_WIDEST_TWO_STORES_BYTES = 32
"""Wider vectors are stored one per cycle."""
_EMULATED_PRODUCT = 8
"""Instructions of a 64-bit product in lanes without one for it (AVX512DQ): three of 32 bits, shifts, sums."""
_RECIPROCAL, _ROOT = 4, 6
"""Instructions of an approximated reciprocal or root (rcpps, rsqrtps) with a Newton step, as -mrecip has them."""
_MASKS_PER_CYCLE = 1.0
"""Comparisons of AVX-512 make masks, in one port (Agner Fog, Instruction tables)."""
_PERMUTES_PER_CYCLE = 1.0
"""Two-source and cross-lane permutes go to one port of most cores (Agner Fog, Instruction tables)."""


class InstructionCosts:
    """Counts and rates of one core's instructions for code of one compilation, SIMD or not."""

    def __init__(self, cpu: Cpu, compilation: Compilation, *, is_vector: bool) -> None:
        self._timings: dict[str, CoreTiming] = {timing.op: timing for timing in cpu.instructions}
        self._issue_per_cycle = cpu.issue_per_cycle
        self._compilation = compilation
        self._is_vector = is_vector
        is_widest = is_vector and compilation.vector_bytes > _WIDEST_TWO_STORES_BYTES
        self.crossing = 1.5 if compilation.has("avx2") else 1.0
        """Instructions per vector that is made of one half of a vector: the upper half is brought down first."""
        self.stores_per_cycle = min(cpu.stores_per_cycle, 1.0) if is_widest else cpu.stores_per_cycle

    def pieces(self, op: str, lane_bytes: float) -> tuple[tuple[str, float], ...]:
        """Machine instructions of one operation on lanes (or a scalar) of so many bytes, each class with its count."""
        fuses = self._compilation.fuses_multiply_add
        match op:
            case "fp32_fma" | "fp64_fma":
                kind = op.partition("_")[0]
                return ((f"{kind}_mul", 1.0),) if fuses else ((f"{kind}_mul", 1.0), (f"{kind}_add", 1.0))
            case "fp32_div" if self._is_vector and self._compilation.reassociates:
                return (("fp32_mul", float(_RECIPROCAL)),)
            case "fp32_sqrt" if self._is_vector and self._compilation.reassociates:
                return (("fp32_mul", float(_ROOT)),)
            case "int_mad":
                return (*self._product(lane_bytes), ("int_add", 1.0))
            case "int_mul":
                return self._product(lane_bytes)
            case "int64_mul" if self._is_vector:
                return (("vector_mul", 1.0 if self._compilation.has("avx512") else float(_EMULATED_PRODUCT)),)
            case _:
                return ((op, 1.0),)

    def _product(self, lane_bytes: float) -> tuple[tuple[str, float], ...]:
        if not self._is_vector:
            return (("int64_mul", 1.0),)
        return (("vector_mul" if lane_bytes <= 2 or self._compilation.has("sse4") else "int_mul", 1.0),)

    def has_lanes(self, op: str) -> bool:
        """Whether SIMD code does it for all lanes at once."""
        timing = self._timings.get(op)
        return op == "vector_mul" or (timing is not None and timing.vectorises)

    def per_cycle(self, op: str) -> float:
        """Instructions of a class per cycle.

        Products of whole numbers in lanes go as fast as those of floating point, whose multipliers they use; what moves
        lanes as fast as what shifts them.
        """
        if op == "compare" and self._is_vector and self._compilation.vector_bytes > _WIDEST_TWO_STORES_BYTES:
            return _MASKS_PER_CYCLE
        if op == "permute":
            return _PERMUTES_PER_CYCLE
        timing = self._timings.get({"vector_mul": "fp32_mul", "shuffle": "shift"}.get(op, op))
        return timing.instructions_per_cycle if timing is not None else self._issue_per_cycle
