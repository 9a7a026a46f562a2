"""What a GPU is like, in the numbers of the paper's table 2: predictors where runs of several GPUs are compared."""

from __future__ import annotations

from math import log2
from typing import Literal

from warplens.analysis.gpu.machine.gpu import Gpu

CHARACTERISTICS = (
    "warp_schedulers_per_sm",
    "clock_hz",
    "sm_count",
    "fp32_per_cycle_per_sm",
    "dram_bandwidth_bytes_per_s",
    "registers_max_per_thread",
    "l2_size_bytes",
)


def characteristics(gpu: Gpu) -> dict[str, float]:
    """Table 2: wsched, freq, smp, rco, mbw, registers per thread (there called l1c), l2c; units in the names."""
    return {
        "warp_schedulers_per_sm": float(gpu.warp_schedulers_per_sm),
        "clock_hz": gpu.clock_hz,
        "sm_count": float(gpu.sm_count),
        "fp32_per_cycle_per_sm": gpu.timing("fp32_fma").results_per_cycle_per_sm,
        "dram_bandwidth_bytes_per_s": gpu.dram.bandwidth_bytes_per_s,
        "registers_max_per_thread": float(gpu.occupancy.registers_max_per_thread),
        "l2_size_bytes": float(gpu.l2.size_bytes),
    }


RatioOf = Literal["multiprocessors times clock", "bandwidth of device memory"]


def expected_log_ratio(source: Gpu, target: Gpu, ratio_of: RatioOf) -> float:
    """log2(time on the target / time on the source) if time went with the multiprocessors' cycles, or the bytes, alone.

    What is left without a run on the target. Not modelled: caches, anything that differs per cycle.
    """
    if ratio_of == "bandwidth of device memory":
        return log2(source.dram.bandwidth_bytes_per_s / target.dram.bandwidth_bytes_per_s)
    return log2(source.sm_count * source.clock_hz / (target.sm_count * target.clock_hz))
