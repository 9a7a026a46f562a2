"""A CPU as the sequential model sees it."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.facts.program import OpClass
from warplens.analysis.gpu.machine.gpu import Provenance
from warplens.analysis.ir.assumption import Assumption


@dataclass(frozen=True, slots=True)
class CacheLevel:
    """One level. `size_bytes` is what one core may use, `bandwidth_bytes_per_s` what one core reaches.

    `ways` is 0 where a hash spreads the lines over the sets, so that no stride crowds into few of them. `latency_s` is
    that of a load which finds its data here.
    """

    name: str
    size_bytes: int
    bandwidth_bytes_per_s: float
    shared_by_all_cores: bool
    ways: int
    latency_s: float


@dataclass(frozen=True, slots=True)
class CoreTiming:
    """Scalar instruction timing of a class: reciprocal throughput and latency, cycles."""

    op: OpClass
    latency_cycles: float
    instructions_per_cycle: float
    vectorises: bool


@dataclass(frozen=True, slots=True)
class Cpu:
    """One CPU (all sockets). `vector_bytes` is the SIMD width gcc -O3 uses for the stated `target`."""

    id: str
    name: str
    core_count: int
    clock_hz: float
    issue_per_cycle: float
    vector_bytes: int
    loads_per_cycle: float
    stores_per_cycle: float
    line_bytes: int
    caches: tuple[CacheLevel, ...]
    dram_bandwidth_one_core_bytes_per_s: float
    dram_bandwidth_all_cores_bytes_per_s: float
    dram_latency_s: float
    misses_in_flight_per_core: float
    """Lines that a core can have on their way from memory without a prefetcher: what limits gathers."""
    parallel_region_overhead_s: float
    misses_in_flight_per_set: float
    """Lines of one set of a cache that a core can have on their way."""
    page_bytes: int
    tlb_entries: int
    """Pages whose translation a core holds (all levels of its translation buffer)."""
    page_walk_s: float
    page_walks_in_flight: float
    instructions: tuple[CoreTiming, ...]
    provenance: tuple[Provenance, ...]
    assumptions: tuple[Assumption, ...]
    native_vector_bytes: int = 32
    """Widest vectors of code that is compiled for this very CPU (-march=native)."""
    fused_multiply_add_cycles: float = 4.0
    """Latency of a fused multiply-add, where the code has one."""
    vector_integer_cycles: float = 1.0
    """Latency of an addition of whole numbers in lanes that waits for the one just before it."""
    write_backs_apart: bool = False
    """Lines on their way back take nothing of the bandwidth of those that come."""
    window_instructions: float = 256.0
    """Instructions that are on their way at once, from the oldest that is not done: the reorder buffer."""
    compilation: Compilation | None = None
    """How the code that it runs is compiled; None where nobody said."""

    def timing(self, op: OpClass) -> CoreTiming:
        """Timing of a class; raises KeyError."""
        for timing in self.instructions:
            if timing.op == op:
                return timing
        raise KeyError(op)
