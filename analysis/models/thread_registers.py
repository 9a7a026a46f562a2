"""Registers of a thread on a GPU."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.facts.spills import spills
from warplens.analysis.facts.work_per_thread import registers_needed
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.waves import ONE_OUTPUT, Extent


def thread_registers(kernel: Kernel, gpu: Gpu, outputs: Extent = ONE_OUTPUT) -> Registers:
    """Registers of one thread, at most what the GPU allows, and what is spilled beyond.

    With one output per thread it is Belady's rule on the program (Resios 6.4).
    Assumes, with more outputs: what is alive beyond the limit is stored and read again once in each execution of the
    block that runs most often.
    """
    limit = gpu.occupancy.registers_max_per_thread
    needed = registers_needed(kernel, outputs)
    if needed <= limit:
        return Registers(needed, limit, 0, 0)
    if outputs != ONE_OUTPUT:
        return Registers(limit, limit, needed - limit, needed - limit)
    stores, loads = spills(kernel.live_values, limit)
    return Registers(limit, limit, stores, loads)
