"""Registers of a thread on a GPU."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.facts.spills import spills
from warplens.analysis.gpu.gpu import Gpu


def thread_registers(kernel: Kernel, gpu: Gpu) -> Registers:
    """Registers of one thread, at most what the GPU allows, and what Belady's rule spills beyond (Resios 6.4)."""
    limit = gpu.occupancy.registers_max_per_thread
    pressure = max(1, kernel.register_pressure)
    if pressure <= limit:
        return Registers(pressure, limit, 0, 0)
    stores, loads = spills(kernel.live_values, limit)
    return Registers(limit, limit, stores, loads)
