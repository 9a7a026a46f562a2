"""The work of a kernel under many launches at once: what the search over configurations costs with a closed-form model.

Row by row equal to `work_of` (tests/properties/test_batch_work.py). What depends on the block's shape and the outputs
only is counted once per pair of them, whatever is staged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.batch_occupancy import blocks_by_shared_memory, resident_blocks
from warplens.analysis.gpu.batch_requests import BatchRequests, batch_requests
from warplens.analysis.gpu.batch_served import BatchServed, batch_served, requested_sectors
from warplens.analysis.gpu.batch_staged_traffic import batch_staged_dram_share
from warplens.analysis.gpu.batch_waves import batch_waves
from warplens.analysis.gpu.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Launches, take_rows
from warplens.analysis.gpu.tiles import Tiles, tiles_of_launches
from warplens.analysis.gpu.walk import group_walks, thread_loop_trips, walks_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.work.instruction_counts import (
    arithmetic_per_warp,
    at_least_one,
    copies_of_kinds,
    instruction_counts,
    saved_by_tiles,
    with_copies,
)
from warplens.analysis.models.work.kernel_work import KernelWork
from warplens.analysis.models.work.loads_in_flight import load_chain_per_warp
from warplens.analysis.models.work.spill_requests import spill_requests
from warplens.analysis.models.work.staged_arrays import StagedArrays, staged_arrays
from warplens.analysis.models.work.thread_registers import thread_registers
from warplens.analysis.simulation.combining import combined_reductions, combining_per_warp
from warplens.analysis.simulation.grid import LARGEST_COUNT
from warplens.analysis.work.kernels.work_per_thread import registers_needed


def kernel_work(kernel: Kernel, launches: Launches, sizes: Mapping[str, int], gpu: Gpu) -> KernelWork:
    """What the closed-form models read of a kernel under each launch.

    A launch that stages what is not worth it (`shared_opportunities` has no such region) is not launchable here.
    Raises: KeyError for a parameter without value. Assumes: what `work_of` and the scalar costs assume.
    """
    tiles, tile = tiles_of_launches(kernel, launches, sizes, gpu)
    trips = thread_loop_trips(kernel, sizes)
    requests = batch_requests(kernel, tiles, trips, sizes, gpu)
    staging = staged_arrays(kernel, launches, tiles, tile, trips, sizes, gpu)
    registers = _registers(kernel, tiles, gpu)
    threads = launches.threads_per_block
    grid_blocks = tiles.blocks.prod(axis=1)[tile]
    resident, sharing = (
        _resident(tiles, tile, each, staging, gpu) for each in (registers.per_thread, registers.needed)
    )
    running = np.maximum(1.0, resident)
    served = _served(kernel, tiles, tile, requests, staging, np.maximum(1.0, sharing), trips, sizes, gpu)
    counts = instruction_counts(kernel, sizes)
    copies = copies_of_kinds(counts, tiles.outputs_run())
    saved = saved_by_tiles(counts, take_rows(copies, tile), staging.is_staged, launches.block[:, 0].astype(np.float64))
    waiting = take_rows(with_copies(counts.waiting, copies), tile)
    instructions = with_copies(counts.instructions, copies)[tile]
    warps_per_block = np.maximum(1.0, np.ceil(threads / gpu.warp_size_threads))
    arithmetic = take_rows(arithmetic_per_warp(counts, copies, tiles.outputs), tile)
    arithmetic -= saved.arithmetic
    if counts.instructions.any() and combined_reductions(kernel):
        arithmetic += combining_per_warp(kernel, gpu, warps_per_block)
    spills = spill_requests(
        gpu,
        counts.busiest,
        registers.spill_stores[tile],
        registers.spill_loads[tile],
        registers.spill_slots[tile],
        resident,
        resident * warps_per_block,
        staging.size_bytes,
    )
    copies_made = np.maximum(1.0, staging.requests)
    is_global = np.logical_not(staging.is_staged)
    sectors = take_rows(requests.sectors, tile) * is_global
    return KernelWork(
        kernel=kernel,
        sizes=sizes,
        gpu=gpu,
        launches=launches,
        is_launchable=np.logical_and(resident > 0, staging.is_worth),
        threads=np.minimum(tiles.working_threads(), float(LARGEST_COUNT))[tile],
        blocks=np.minimum(grid_blocks, float(LARGEST_COUNT)),
        warps_per_block=warps_per_block,
        active_sms=np.maximum(1.0, np.minimum(float(gpu.sm_count), grid_blocks)),
        resident_blocks_per_sm=running,
        resident_warps_per_sm=running * warps_per_block,
        registers_per_thread=registers.per_thread[tile].astype(np.float64),
        shared_bytes_per_block=staging.size_bytes,
        arithmetic_per_warp=arithmetic,
        divergent_per_warp=with_copies(counts.divergent, copies)[tile] - saved.divergent,
        requests_per_warp=take_rows(with_copies(counts.requests, copies), tile),
        waiting_requests_per_warp=waiting,
        is_store=np.logical_and(counts.requests.any(axis=0), ~counts.waiting.any(axis=0)),
        is_staged=staging.is_staged,
        sectors_per_request=sectors,
        lines_per_request=take_rows(requests.lines, tile) * is_global,
        l2_sectors_per_request=sectors * served.shares.l2_share,
        dram_sectors_per_request=sectors * served.shares.dram_share,
        conflict_degree=staging.conflict_degree,
        spill_requests_per_warp=spills.requests,
        spill_reloads_per_warp=spills.reloads,
        spill_l2_requests_per_warp=spills.to_l2,
        staging_requests_per_warp=staging.requests / warps_per_block,
        staging_bytes_per_request=staging.staged_bytes / copies_made,
        staging_lines_per_request=staging.lines / copies_made,
        staging_sectors_per_request=staging.sectors / copies_made,
        staging_dram_share=served.staging_dram_share,
        barriers_per_warp=staging.barriers,
        ilp=at_least_one(instructions, counts.chain),
        mlp=at_least_one((waiting * is_global).sum(axis=1), served.load_chain),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Registers:
    needed: Integers
    """Without those for loads in flight: blocks that share the caches are counted with these."""
    per_thread: Integers
    spill_stores: Column
    spill_loads: Column
    spill_slots: Column


def _registers(kernel: Kernel, tiles: Tiles, gpu: Gpu) -> _Registers:
    """Registers and spills of a thread per tile: they depend on its outputs only."""
    first, which = distinct_rows(list(tiles.outputs.T))
    found = [thread_registers(kernel, gpu, (int(x), int(y), int(z))) for x, y, z in tiles.outputs[first]]
    needed = np.array([registers_needed(kernel, each) for each in tiles.outputs[first].tolist()], dtype=np.int64)
    needed = np.minimum(needed, gpu.occupancy.registers_max_per_thread)
    per_thread = np.array([registers.per_thread for registers in found], dtype=np.int64)
    stores = np.array([registers.spill_stores for registers in found], dtype=np.float64)
    loads = np.array([registers.spill_loads for registers in found], dtype=np.float64)
    slots = np.array([registers.spill_slots for registers in found], dtype=np.float64)
    return _Registers(needed[which], per_thread[which], stores[which], loads[which], slots[which])


def _resident(tiles: Tiles, tile: Integers, registers: Integers, staging: StagedArrays, gpu: Gpu) -> Column:
    """Blocks of an SM with so many registers per thread of each tile, 0 where a block can't be launched."""
    nothing_staged = np.zeros(len(registers))
    resident = resident_blocks(gpu, tiles.block.prod(axis=1), registers, nothing_staged, tiles.blocks.prod(axis=1))
    return np.minimum(resident[tile], blocks_by_shared_memory(gpu.occupancy, staging.size_bytes))


@dataclass(frozen=True, slots=True, eq=False)
class _Served:
    shares: BatchServed
    staging_dram_share: Column
    load_chain: Column


def _served(
    kernel: Kernel,
    tiles: Tiles,
    tile: Integers,
    requests: BatchRequests,
    staging: StagedArrays,
    resident: Column,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
    gpu: Gpu,
) -> _Served:
    """Shares of L2 and DRAM per request; what is staged is filled through L2."""
    groups = group_walks(walks_of(kernel, trips, sizes))
    requested = requested_sectors(kernel, tiles, requests, sizes)
    waves = batch_waves(kernel, groups, tiles, tile, resident, trips, gpu)
    staged = {facts.access.id: chosen for region, chosen in staging.regions for facts in region.accesses}
    chosen = [staged.get(group.walks[0].facts.access.id) for group in groups]
    going_out = waves.reached_by([None if flags is None else ~flags for flags in chosen])
    shares = batch_served(kernel, going_out, tiles, tile, requested, resident, staging.size_bytes, sizes, gpu)
    first, alike = distinct_rows([0 * tile, *(flags.astype(np.int64) for _, flags in staging.regions)])
    load_chain = [
        load_chain_per_warp(kernel, sizes, frozenset(access for access, flags in staged.items() if flags[row]))
        for row in first.tolist()
    ]
    return _Served(shares, batch_staged_dram_share(waves, staging.regions, tiles, tile), np.array(load_chain)[alike])
