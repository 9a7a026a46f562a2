"""Registers of a thread on a GPU."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.gpu import Gpu


def thread_registers(kernel: Kernel, gpu: Gpu) -> Registers:
    """Registers of one thread, at most what the GPU allows, and the spills beyond."""
    limit = gpu.occupancy.registers_max_per_thread
    pressure = max(1, kernel.register_pressure)
    return Registers(min(pressure, limit), limit, max(0, pressure - limit), max(0, pressure - limit))
