"""How many warps an SM keeps resident, with NVIDIA's allocation granularities (cuda_occupancy.h)."""

from __future__ import annotations

from warplens.analysis.gpu.launch.occupancy import Limit, Occupancy
from warplens.analysis.gpu.machine.gpu import Gpu, OccupancyLimits


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
    Source: NVIDIA cuda_occupancy.h, cudaOccMaxActiveBlocksPerMultiprocessor: registers are allocated to warps in each
    of the SM's sub-partitions; the launch check rounds the block's warps up to the number of sub-partitions
    (GP100, which has two, to the four of the other Pascal chips).
    Assumes: the carve-out that prefers shared memory most.
    Not modelled: barriers and clusters as limits.
    """
    limits = gpu.occupancy
    warps = -(-threads_per_block // gpu.warp_size_threads)
    if not 0 < threads_per_block <= limits.max_threads_per_block:
        return Occupancy(0, 0, 0.0, "threads")
    by_registers = _blocks_by_registers(limits, warps, registers_per_thread, gpu.warp_size_threads)
    by_shared = _blocks_by_shared(limits, shared_bytes_per_block)
    if by_registers == 0 or by_shared == 0:
        return Occupancy(0, 0, 0.0, "registers" if by_registers == 0 else "shared memory")
    bounds: list[tuple[int, Limit]] = [
        (limits.max_threads_per_sm // gpu.warp_size_threads // warps, "threads"),
        (limits.max_blocks_per_sm, "blocks"),
    ]
    if by_registers is not None:
        bounds.append((by_registers, "registers"))
    if by_shared is not None:
        bounds.append((by_shared, "shared memory"))
    if blocks_in_grid is not None:
        bounds.append((max(1, -(-blocks_in_grid // gpu.sm_count)), "grid"))
    blocks, limited_by = min(bounds, key=lambda bound: bound[0])
    return Occupancy(blocks, blocks * warps, blocks * warps / limits.max_warps_per_sm, limited_by)


def _blocks_by_registers(limits: OccupancyLimits, warps: int, registers: int, warp_size: int) -> int | None:
    """Blocks that fit the register file, None when they don't need any."""
    if registers > limits.registers_max_per_thread:
        return 0
    if registers <= 0:
        return None
    if limits.register_alloc_granularity == "block":
        per_block = _round_up(
            _round_up(warps, limits.warp_alloc_granularity) * warp_size * registers, limits.register_alloc_unit
        )
        return limits.registers_per_sm // per_block
    per_warp = _round_up(registers * warp_size, limits.register_alloc_unit)
    if per_warp * _round_up(warps, limits.launch_check_granularity) > limits.registers_max_per_block:
        return 0
    partitions = limits.warp_alloc_granularity
    return limits.registers_per_sm // partitions // per_warp * partitions // warps


def _blocks_by_shared(limits: OccupancyLimits, shared_bytes: int) -> int | None:
    """Blocks that fit shared memory, None when they don't need any."""
    if shared_bytes > limits.shared_per_block_bytes:
        return 0
    allocated = _round_up(shared_bytes + limits.shared_reserved_per_block_bytes, limits.shared_alloc_unit_bytes)
    return limits.shared_per_sm_bytes // allocated if allocated else None


def _round_up(value: int, unit: int) -> int:
    return -(-value // unit) * unit
