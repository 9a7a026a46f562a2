"""Occupancy of many launches at once: `occupancy.occupancy` over columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.gpu import Gpu, OccupancyLimits
from warplens.analysis.gpu.launches import Column

Integers = NDArray[np.int64]


def resident_blocks(
    gpu: Gpu,
    threads_per_block: Integers,
    registers_per_thread: Integers,
    shared_bytes_per_block: Column,
    blocks: Column,
) -> Column:
    """Blocks that one SM keeps resident, 0 where a block can't be launched; a small `blocks` of the grid limits too.

    Units, source and what is assumed: `occupancy.occupancy`.
    """
    limits = gpu.occupancy
    warps = -(-threads_per_block // gpu.warp_size_threads)
    fits = (threads_per_block > 0) & (threads_per_block <= limits.max_threads_per_block)
    warps = np.maximum(1, warps)
    bound = np.minimum(limits.max_threads_per_sm // gpu.warp_size_threads // warps, limits.max_blocks_per_sm)
    of_grid = np.maximum(1.0, np.ceil(blocks / gpu.sm_count))
    bound = np.minimum(bound, np.minimum(of_grid, limits.max_blocks_per_sm).astype(np.int64))
    by_registers = _by_registers(limits, warps, registers_per_thread, gpu.warp_size_threads)
    by_shared = blocks_by_shared_memory(limits, shared_bytes_per_block)
    resident = np.where(fits, np.minimum(bound, np.minimum(by_registers, by_shared)), 0)
    return resident.astype(np.float64)


def _by_registers(limits: OccupancyLimits, warps: Integers, registers: Integers, warp_size: int) -> Integers:
    """Blocks that fit the register file; as many as an SM takes where they need none."""
    used = np.maximum(1, registers)
    if limits.register_alloc_granularity == "block":
        per_block = _round_up(
            _round_up(warps, limits.warp_alloc_granularity) * warp_size * used, limits.register_alloc_unit
        )
        blocks = limits.registers_per_sm // per_block
    else:
        per_warp = _round_up(used * warp_size, limits.register_alloc_unit)
        partitions = limits.warp_alloc_granularity
        blocks = limits.registers_per_sm // partitions // per_warp * partitions // warps
        too_many = per_warp * _round_up(warps, limits.launch_check_granularity) > limits.registers_max_per_block
        blocks = np.where(too_many, 0, blocks)
    blocks = np.where(registers <= 0, limits.max_blocks_per_sm, blocks)
    result: Integers = np.where(registers > limits.registers_max_per_thread, 0, blocks)
    return result


def blocks_by_shared_memory(limits: OccupancyLimits, shared_bytes: Column) -> Integers:
    """Blocks of an SM that fit shared memory; as many as it takes where they need none."""
    fits = shared_bytes <= limits.shared_per_block_bytes
    used = np.where(fits, shared_bytes, 0.0).astype(np.int64)
    allocated = _round_up(used + limits.shared_reserved_per_block_bytes, limits.shared_alloc_unit_bytes)
    blocks = np.where(allocated > 0, limits.shared_per_sm_bytes // np.maximum(1, allocated), limits.max_blocks_per_sm)
    result: Integers = np.where(fits, blocks, 0)
    return result


def _round_up(value: Integers, unit: int) -> Integers:
    rounded: Integers = -(-value // unit) * unit
    return rounded
