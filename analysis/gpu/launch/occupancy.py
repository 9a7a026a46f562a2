"""How many warps an SM keeps resident, with NVIDIA's allocation granularities (cuda_occupancy.h)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import inf
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu, OccupancyLimits

Integers = NDArray[np.int64]

Limit = Literal["threads", "blocks", "registers", "shared memory", "grid"]


@dataclass(frozen=True, slots=True)
class Occupancy:
    """Resident warps of an SM and what limits them."""

    blocks_per_sm: int
    warps_per_sm: int
    fraction: float
    limited_by: Limit


def occupancy(
    gpu: Gpu,
    threads_per_block: int,
    registers_per_thread: int,
    shared_bytes_per_block: int,
    blocks_in_grid: int | None = None,
) -> Occupancy:
    """Blocks and warps that one SM keeps resident; all zero when a block can't be launched.

    Units: threads, registers per thread, bytes per block. `fraction` is resident warps / the SM's maximum. With
    `blocks_in_grid` a grid too small to fill the SMs limits too ("grid"); the SM with the most blocks is meant.
    Source, and what is assumed: `resident_blocks`.
    """
    threads, registers = np.array([threads_per_block]), np.array([registers_per_thread])
    shared, blocks = np.array([float(shared_bytes_per_block)]), inf if blocks_in_grid is None else float(blocks_in_grid)
    if not _may_be_launched(gpu, threads)[0]:
        return Occupancy(0, 0, 0.0, "threads")
    bounds = {
        limit: int(bound[0]) for limit, bound in _bounds(gpu, threads, registers, shared, np.array([blocks])).items()
    }
    # What no block can have at all says more than what else limits them.
    impossible: list[Limit] = [limit for limit in ("registers", "shared memory") if bounds[limit] == 0]
    limited_by = impossible[0] if impossible else min(bounds, key=lambda limit: bounds[limit])
    resident = bounds[limited_by]
    warps = resident * -(-threads_per_block // gpu.warp_size_threads)
    return Occupancy(resident, warps, warps / gpu.occupancy.max_warps_per_sm, limited_by)


def resident_blocks(
    gpu: Gpu,
    threads_per_block: Integers,
    registers_per_thread: Integers,
    shared_bytes_per_block: Column,
    blocks: Column,
) -> Column:
    """Blocks that one SM keeps resident, 0 where a block can't be launched; a small `blocks` of the grid limits too.

    Source: NVIDIA cuda_occupancy.h, cudaOccMaxActiveBlocksPerMultiprocessor: registers are allocated to warps in each
    of the SM's sub-partitions; the launch check rounds the block's warps up to the number of sub-partitions
    (GP100, which has two, to the four of the other Pascal chips).
    Assumes: the carve-out that prefers shared memory most.
    Not modelled: barriers and clusters as limits.
    """
    bounds = _bounds(gpu, threads_per_block, registers_per_thread, shared_bytes_per_block, blocks)
    least = np.minimum.reduce(list(bounds.values()))
    return np.where(_may_be_launched(gpu, threads_per_block), least, 0).astype(np.float64)


def _may_be_launched(gpu: Gpu, threads_per_block: Integers) -> NDArray[np.bool_]:
    may: NDArray[np.bool_] = (threads_per_block > 0) & (threads_per_block <= gpu.occupancy.max_threads_per_block)
    return may


def _bounds(
    gpu: Gpu, threads_per_block: Integers, registers: Integers, shared_bytes: Column, blocks: Column
) -> Mapping[Limit, Integers]:
    """Blocks of an SM by each limit; of equal ones the first is named."""
    limits = gpu.occupancy
    warps = np.maximum(1, -(-threads_per_block // gpu.warp_size_threads))
    of_grid = np.maximum(1.0, np.ceil(blocks / gpu.sm_count))
    return {
        "threads": limits.max_threads_per_sm // gpu.warp_size_threads // warps,
        "blocks": np.full(len(warps), limits.max_blocks_per_sm),
        "registers": _by_registers(limits, warps, registers, gpu.warp_size_threads),
        "shared memory": blocks_by_shared_memory(limits, shared_bytes),
        "grid": np.minimum(of_grid, limits.max_blocks_per_sm).astype(np.int64),
    }


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
