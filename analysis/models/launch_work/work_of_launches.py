"""The work of a kernel under its launches, counted: what the closed-form models and the search's estimate read."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import distinct_rows
from warplens.analysis.gpu.launch.launches import Column, Launches, take_rows
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.active_warps import active_warps
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.models.launch_work.counted_launches import CountedLaunches, count_launches
from warplens.analysis.models.launch_work.instruction_counts import (
    arithmetic_per_warp,
    at_least_one,
    copies_of_kinds,
    instruction_counts,
    saved_by_tiles,
    with_copies,
)
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.loads_in_flight import load_chain_per_warp
from warplens.analysis.models.launch_work.spill_requests import spill_requests
from warplens.analysis.simulation.combining import Combining, combined_reductions, combining_per_warp
from warplens.analysis.simulation.grid import LARGEST_COUNT
from warplens.analysis.simulation.spill_time import beyond_l2
from warplens.analysis.simulation.team_exchanges import barriers_per_warp, exchanges_per_warp
from warplens.analysis.workload.thread_program.unrolling import MOST_WORDS_IN_FLIGHT

WORD_BYTES = 4


def kernel_work(sized: SizedKernel, launches: Launches, gpu: Gpu) -> KernelWork:
    """What the closed-form models read of a kernel under each launch.

    A launch that stages what is not worth it (`shared_opportunities` has no such region) is not launchable here.
    Raises: KeyError for a parameter without value. Assumes: what `count_launches` does.
    """
    return work_of_launches(count_launches(sized, launches, gpu))


def work_of_launches(counted: CountedLaunches, combining: Combining | None = None) -> KernelWork:
    """The same of launches that are counted; `combining` None: as compilers do."""
    sized, gpu, launches, tiles, tile = (
        counted.sized,
        counted.gpu,
        counted.launches,
        counted.tiles,
        counted.tile,
    )
    kernel, staging, resident = sized.kernel, counted.staging, counted.resident
    grid_blocks = tiles.blocks.prod(axis=1)[tile]
    running = np.maximum(1.0, resident)
    counts = sized.shared(instruction_counts)
    copies = copies_of_kinds(counts, tiles.outputs_run())
    saved = saved_by_tiles(counts, take_rows(copies, tile), staging.is_staged, launches.block[:, 0].astype(np.float64))
    waiting = take_rows(with_copies(counts.waiting, copies), tile)
    instructions = with_copies(counts.instructions, copies)[tile]
    warps_per_block = active_warps(tiles.iterations, tiles.block, tiles.outputs, gpu.warp_size_threads)[tile]
    arithmetic = take_rows(arithmetic_per_warp(counts, copies, tiles.outputs), tile)
    arithmetic -= saved.arithmetic
    if counts.instructions.any() and combined_reductions(kernel):
        arithmetic += combining_per_warp(kernel, gpu, warps_per_block, combining)
    if kernel.team is not None:
        arithmetic += exchanges_per_warp(sized, len(launches))
    spills = spill_requests(
        gpu,
        counts.busiest,
        counted.registers.spill_stores[tile],
        counted.registers.spill_loads[tile],
        counted.registers.spill_slots[tile],
        resident,
        resident * warps_per_block,
        staging.size_bytes,
    )
    active_sms = np.maximum(1.0, np.minimum(float(gpu.sm_count), grid_blocks))
    copies_made = np.maximum(1.0, staging.requests)
    is_global = np.logical_not(staging.is_staged)
    sectors = take_rows(counted.requests.sectors, tile) * is_global
    words = np.array([-(-requested_bytes(facts) // WORD_BYTES) for facts in kernel.accesses], dtype=np.float64)
    in_turn = (waiting * is_global * words).sum(axis=1) / MOST_WORDS_IN_FLIGHT
    return KernelWork(
        sized=sized,
        gpu=gpu,
        launches=launches,
        is_launchable=np.logical_and(resident > 0, staging.is_worth),
        threads=np.minimum(tiles.working_threads(), float(LARGEST_COUNT))[tile],
        blocks=np.minimum(grid_blocks, float(LARGEST_COUNT)),
        warps_per_block=warps_per_block,
        active_sms=active_sms,
        resident_blocks_per_sm=running,
        resident_warps_per_sm=running * warps_per_block,
        registers_per_thread=counted.registers.per_thread[tile].astype(np.float64),
        shared_bytes_per_block=staging.size_bytes,
        arithmetic_per_warp=arithmetic,
        divergent_per_warp=with_copies(counts.divergent, copies)[tile] - saved.divergent,
        requests_per_warp=take_rows(with_copies(counts.requests, copies), tile),
        waiting_requests_per_warp=waiting,
        is_store=np.logical_and(counts.requests.any(axis=0), ~counts.waiting.any(axis=0)),
        is_staged=staging.is_staged,
        sectors_per_request=sectors,
        lines_per_request=take_rows(counted.requests.lines, tile) * is_global,
        l2_sectors_per_request=sectors * counted.served.l2_share,
        dram_sectors_per_request=sectors * counted.served.dram_share,
        dram_run=np.where(is_global, counted.served.dram_run, 1.0),
        waits_l2=counted.served.waits_l2 * is_global,
        waits_dram=counted.served.waits_dram * is_global,
        partial_sectors_per_request=take_rows(counted.requests.partial, tile) * is_global,
        conflict_degree=staging.conflict_degree,
        spill_requests_per_warp=spills.requests,
        spill_reloads_per_warp=spills.reloads,
        spill_l2_requests_per_warp=spills.to_l2,
        spill_dram_share=beyond_l2(gpu, counted.registers.spill_slots[tile], resident * warps_per_block, active_sms),
        staging_requests_per_warp=staging.requests / warps_per_block,
        staging_store_share=staging.stores / copies_made,
        staging_bytes_per_request=staging.staged_bytes / copies_made,
        staging_lines_per_request=staging.lines / copies_made,
        staging_sectors_per_request=staging.sectors / copies_made,
        staging_dram_share=_staging_share(counted, counted.staged_dram_shares),
        staging_dram_waits=_staging_share(counted, counted.staged_dram_waits),
        barriers_per_warp=staging.barriers + barriers_per_warp(sized, len(launches)),
        ilp=at_least_one(instructions, counts.chain),
        mlp=at_least_one((waiting * is_global).sum(axis=1), np.maximum(_load_chains(counted), in_turn)),
    )


def _staging_share(counted: CountedLaunches, shares: tuple[Column, ...]) -> Column:
    """Share of all that blocks copy to shared memory, of the arrays' shares; 0 where they copy nothing."""
    copied = counted.staging.sectors
    from_dram = np.zeros(len(copied))
    for each, share in zip(counted.staging.arrays, shares, strict=True):
        from_dram += np.where(each.chosen, share * (each.copy.sectors * each.stagings), 0.0)
    return np.divide(from_dram, copied, out=np.zeros_like(copied), where=copied > 0)


def _load_chains(counted: CountedLaunches) -> Column:
    """`load_chain_per_warp` of each launch, once for those that stage the same."""
    arrays = counted.staging.arrays
    first, alike = distinct_rows([0 * counted.tile, *(each.chosen.astype(np.int64) for each in arrays)])
    staged = [frozenset(access for each in arrays if each.chosen[row] for access in each.accesses) for row in first]
    return np.array([load_chain_per_warp(counted.sized, accesses) for accesses in staged])[alike]
