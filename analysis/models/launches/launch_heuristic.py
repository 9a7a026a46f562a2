"""Which block sizes to prefer among those predicted alike: Resios' heuristic of 5.2.1, then shapes that people try."""

from __future__ import annotations

from math import ceil

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import blocks
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.simulation.grid import grid_extents

Block = tuple[int, int, int]

FAMILIAR_SHAPES: tuple[Block, ...] = (
    (32, 8, 1), (32, 4, 1), (32, 16, 1), (32, 32, 1), (32, 2, 1), (64, 4, 1), (128, 2, 1), (256, 1, 1),
    (128, 1, 1), (512, 1, 1), (64, 1, 1), (1024, 1, 1), (16, 16, 1), (8, 8, 1),
)  # fmt: skip
"""In the order in which people would try them; it decides between shapes that are predicted alike."""


def warps_per_block(sized: SizedKernel, gpu: Gpu, registers_per_thread: int, shared_bytes_per_thread: float) -> int:
    """Resios' n_w: the least of three, at least 1, at most the hardware's limit per block.

    n_w1 spreads the threads over all SMs, rounded up; n_w2 is what registers, shared memory and the warp limit of an SM
    leave room for (shared memory per thread: the formula only balances so); n_w3 hides the longest latency, c · L for
    arithmetic, c · L / arithmetic intensity for memory.
    Source: Resios 5.2.1. Assumes: c is the issue rate of the SM in warps per cycle, which is what the guide that he
    takes c from says (he uses 4 for compute capability 2.1; it only matters for kernels with the shortest latencies).
    """
    warp = gpu.warp_size_threads
    limits = gpu.occupancy
    threads = 1
    for extent in grid_extents(sized.kernel, sized.sizes):
        threads *= extent
    spread = -(-threads // (gpu.sm_count * warp))
    room = limits.max_warps_per_sm
    room = min(room, limits.registers_per_sm // (warp * max(1, registers_per_thread)))
    if shared_bytes_per_thread > 0:
        room = min(room, int(limits.shared_per_sm_bytes / (warp * shared_bytes_per_thread)))
    hardware = limits.max_threads_per_block // warp
    return max(1, min(spread, room, _warps_that_hide_latency(sized.kernel, gpu), hardware))


def _warps_that_hide_latency(kernel: Kernel, gpu: Gpu) -> int:
    factor = gpu.issue_warps_per_cycle_per_sm
    intensity = max(float(kernel.arithmetic_intensity), 1e-3)
    longest = 1.0
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            match instruction.op:
                case "load" | "store" | "atomic":
                    longest = max(longest, factor * gpu.dram.latency_cycles / intensity)
                case op:
                    longest = max(longest, factor * gpu.timing(op).latency_cycles)
    return ceil(longest)


def heuristic_block(
    sized: SizedKernel, gpu: Gpu, registers_per_thread: int, shared_bytes_per_thread: float = 0.0
) -> Block:
    """n_w · warp_size threads for a 1-D loop, warp_size by n_w for more dimensions.

    The thesis writes (n_w, warp_size) with the warp along the dimension that it calls y; here x is the dimension along
    which accesses are contiguous, so the warp lies along x.
    """
    warps = warps_per_block(sized, gpu, registers_per_thread, shared_bytes_per_thread)
    warp = gpu.warp_size_threads
    return (warps * warp, 1, 1) if len(sized.kernel.thread_order) == 1 else (warp, warps, 1)


def heuristic_launch(sized: SizedKernel, gpu: Gpu) -> LaunchConfig:
    """The heuristic's launch: one output per thread, nothing staged."""
    registers = min(max(1, sized.kernel.register_pressure), gpu.occupancy.registers_max_per_thread)
    return LaunchConfig(heuristic_block(sized, gpu, registers))


def familiarity(blocks: NDArray[np.int64]) -> NDArray[np.int64]:
    """How early people would try a shape: its place in `FAMILIAR_SHAPES`, their number for any other.

    Shape: (launches, 3) to (launches,).
    """
    x, y, z = blocks.T
    order = np.full(len(blocks), len(FAMILIAR_SHAPES), dtype=np.int64)
    for place, shape in enumerate(FAMILIAR_SHAPES):
        order[(x == shape[0]) & (y == shape[1]) & (z == shape[2])] = place
    return order
