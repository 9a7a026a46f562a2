"""Registers of a thread on a GPU."""

from __future__ import annotations

from math import prod

from warplens.analysis.facts.nest_facts import Kernel, Registers
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT
from warplens.analysis.workload.kernels.work_per_thread import registers_hoisted, registers_in_flight, registers_needed
from warplens.analysis.workload.registers.spills import spills


def thread_registers(kernel: Kernel, gpu: Gpu, outputs: Extent = ONE_OUTPUT) -> Registers:
    """Registers of one thread, at most what the GPU allows, and what is spilled beyond.

    The compiler issues loads together as long as the registers for that cost no resident warps: ptxas of CUDA 13 takes
    24 to 64 for a matrix product with one output, 96 with 8 x 8, 168 with 8 x 16 (sm_75 and sm_80), the largest numbers
    with which as many warps are resident as with those that the program needs in source order (7, 83, 155).
    With one output per thread spills are those of Belady's rule on the program (Resios 6.4).
    Assumes, with more outputs, of one run of the block that runs most often: what is alive beyond the limit in source
    order is stored and read again at each of its updates; where a thread spills at all, its loads come before the
    rest of the block, and what is alive beyond that is stored and read again once. Of matrix products with 240 to 288
    outputs (16 x 16, 16 x 15, 32 x 8, 20 x 13, 18 x 16, 12 x 20) whose source is unrolled by two, ptxas of CUDA 13 for
    sm_75 has 38 to 102 slots and 52 to 167 stores in the loop; these are 10 to 70 % and 10 to 80 % more. Unrolled by
    four it stores up to half as much again.
    """
    limit = gpu.occupancy.registers_max_per_thread
    in_own = kernel.own.register_words * prod(outputs)
    needed = registers_needed(kernel, outputs) + in_own
    if needed <= limit:
        wanted = max(needed, registers_in_flight(kernel, outputs) + in_own)
        return Registers(min(wanted, _most_with_as_many_warps(gpu, needed)), limit, 0, 0, 0)
    if outputs != ONE_OUTPUT:
        hoisted = max(needed, registers_hoisted(kernel, outputs) + in_own)
        spilled = (needed - limit) * kernel.carried_updates + hoisted - needed
        return Registers(limit, limit, spilled, spilled, hoisted - limit)
    stores, loads = spills(kernel.live_values, max(1, limit - in_own))
    return Registers(limit, limit, stores, loads, needed - limit)


def _most_with_as_many_warps(gpu: Gpu, registers: int) -> int:
    """Registers per thread beyond which an SM holds fewer warps than with `registers`, whatever their blocks.

    Where registers are allocated to blocks, or the register file is no limit, it is `registers` itself.
    """
    limits = gpu.occupancy
    warp, partitions = gpu.warp_size_threads, limits.warp_alloc_granularity
    if limits.register_alloc_granularity == "block":
        return registers
    units_per_warp = -(-registers * warp // limits.register_alloc_unit)
    units = limits.registers_per_sm // partitions // limits.register_alloc_unit
    warps = min(units // units_per_warp, limits.max_warps_per_sm // partitions)
    if warps == 0:
        return registers
    return max(registers, min(units // warps * limits.register_alloc_unit // warp, limits.registers_max_per_thread))
