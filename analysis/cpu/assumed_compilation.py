"""How code is compiled where nobody says it."""

from __future__ import annotations

from warplens.analysis.cpu.compilation import VECTOR_BYTES, Compilation
from warplens.analysis.cpu.cpu import Cpu


def assumed_compilation(cpu: Cpu) -> Compilation:
    """`gcc -O3` for the profile's target: what is assumed where nobody says how the file is compiled.

    A profile of a target without fused multiply-add gives that class the latency of a multiplication and an addition.
    """
    latencies: dict[str, float] = {timing.op: timing.latency_cycles for timing in cpu.instructions}
    parts = latencies.get("fp64_mul", 0.0) + latencies.get("fp64_add", 0.0)
    fuses = latencies.get("fp64_fma", parts) < parts
    widest = (name for name in reversed(VECTOR_BYTES) if VECTOR_BYTES[name] <= cpu.vector_bytes and name != "sse4")
    return Compilation(3, next(widest, "sse2"), cpu.vector_bytes, fuses)
