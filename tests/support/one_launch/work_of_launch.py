"""The work of one launch in columns of one row, from the costs that the scalar path found."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from math import ceil

import numpy as np
from support.one_launch.kernel_on_gpu import OneLaunch
from support.one_launch.placement import place_threads
from support.one_launch.warp_lanes import first_iterations, warp_lanes
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.facts.program import ThreadLoop, blocks
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launch.launches import Column, Launches, Table
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes
from warplens.analysis.gpu.placement.warp_lanes import iterator_values
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.requests.coalescing import lane_addresses, scattered_addresses
from warplens.analysis.gpu.staging.staged_copy import copy_of_choice
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
from warplens.analysis.simulation.combining import combining_per_warp
from warplens.analysis.simulation.launch_counts import COPIES_IN_FLIGHT


def work_of(case: OneLaunch) -> KernelWork:
    """What the closed-form models read of one launch; the counts are those of the simulation's trace."""
    kernel, gpu, launch = case.kernel, case.gpu, case.launch
    launches = _as_columns(launch)
    shape = case.grid
    sized = SizedKernel(kernel, case.sizes)
    counts = instruction_counts(sized)
    copies = copies_of_kinds(counts, np.array([shape.outputs_run]))
    staged = frozenset(access for choice in launch.shared for access in choice.accesses)
    is_staged = np.array([[cost.served_by == "shared" for cost in case.costs]], dtype=np.bool_)
    waiting = with_copies(counts.waiting, copies)
    instructions = with_copies(counts.instructions, copies)
    saved = saved_by_tiles(counts, copies, is_staged, _column(launch.block[0]))
    computed = arithmetic_per_warp(counts, copies, launches.outputs_per_thread)
    warps_per_block = _column(case.warps_per_block)
    combining = combining_per_warp(kernel, gpu, warps_per_block, case.combining) * counts.instructions.any()
    load_chain = load_chain_per_warp(sized, staged)
    resident = case.occupancy
    fits = resident.blocks_per_sm > 0
    slots = case.registers.spill_slots + case.registers.local_words
    spills = spill_requests(
        gpu,
        counts.busiest,
        _column(case.registers.spill_stores + case.registers.local_stores),
        _column(case.registers.spill_loads + case.registers.local_loads),
        _column(slots),
        _column(resident.blocks_per_sm),
        _column(resident.blocks_per_sm * case.warps_per_block),
        _column(launch.shared_bytes_per_block),
    )
    staging = _staging_of(case)
    return KernelWork(
        sized=sized,
        gpu=gpu,
        launches=launches,
        is_launchable=np.array([fits]),
        threads=_column(shape.threads),
        blocks=_column(shape.blocks),
        warps_per_block=warps_per_block,
        active_sms=_column(max(1, min(gpu.sm_count, shape.blocks))),
        resident_blocks_per_sm=_column(resident.blocks_per_sm if fits else 1),
        resident_warps_per_sm=_column(max(1, resident.blocks_per_sm) * case.warps_per_block),
        registers_per_thread=_column(case.registers.per_thread),
        shared_bytes_per_block=_column(launch.shared_bytes_per_block),
        copies_of_kinds=copies,
        arithmetic_per_warp=computed - saved.arithmetic + combining,
        divergent_per_warp=with_copies(counts.divergent, copies) - saved.divergent,
        requests_per_warp=with_copies(counts.requests, copies),
        waiting_requests_per_warp=waiting,
        is_store=np.logical_and(counts.requests.any(axis=0), ~counts.waiting.any(axis=0)),
        is_staged=is_staged,
        sectors_per_request=_table(case.costs, "sectors"),
        lines_per_request=_table(case.costs, "lines"),
        l2_sectors_per_request=_table(case.costs, "l2_sectors"),
        dram_sectors_per_request=_table(case.costs, "dram_sectors"),
        dram_run=_served(case, "dram_run", elsewhere=1.0),
        waits_l2=_served(case, "waits_l2", elsewhere=0.0),
        waits_dram=_served(case, "waits_dram", elsewhere=0.0),
        partial_sectors_per_request=_partial_sectors(case),
        conflict_degree=_table(case.costs, "conflict_degree"),
        spill_requests_per_warp=spills.requests,
        spill_reloads_per_warp=spills.reloads,
        spill_l2_requests_per_warp=spills.to_l2,
        spill_dram_share=_column(_beyond_l2(case, slots)),
        staging_requests_per_warp=_column(staging.requests / case.warps_per_block),
        staging_waits_per_warp=_column(staging.waits),
        staging_store_share=_column(_share(staging.stores, staging.requests)),
        staging_bytes_per_request=_column(_share(staging.size_bytes, staging.requests)),
        staging_lines_per_request=_column(_share(staging.lines, staging.requests)),
        staging_sectors_per_request=_column(_share(staging.sectors, staging.requests)),
        staging_dram_share=_column(_share(staging.dram_sectors, staging.sectors)),
        staging_dram_waits=_column(_share(staging.waiting_sectors, staging.sectors)),
        barriers_per_warp=_column(barriers_per_warp(case)),
        ilp=at_least_one(instructions, counts.chain),
        mlp=at_least_one((waiting * ~is_staged).sum(axis=1), max(load_chain, _in_turn(case, waiting))),
    )


def _as_columns(launch: LaunchConfig) -> Launches:
    arrays = tuple(sorted(choice.array for choice in launch.shared))
    return Launches(
        np.array([launch.block], dtype=np.int64),
        np.array([launch.outputs_per_thread], dtype=np.int64),
        arrays,
        np.ones((1, len(arrays)), dtype=np.bool_),
    )


def barriers_per_warp(case: OneLaunch) -> float:
    """Barriers over a block's life: one after the copies before the body, two for each chunk of a loop, one at its end.

    The arrays that one loop reads share its barriers.
    """
    chunked = staged_in_chunks(case.kernel, case.launch)
    written = tuple(choice for choice in case.launch.shared if choice.is_written)
    barriers = (1.0 if len(chunked) + len(written) < len(case.launch.shared) else 0.0) + bool(written)
    for loop in (region for region in case.kernel.program if isinstance(region, ThreadLoop)):
        here = tuple(choice for choice in chunked if reads_choice(loop, choice))
        chunked = tuple(choice for choice in chunked if choice not in here)
        barriers += 2 * max((choice.stagings_per_block for choice in here), default=0.0)
    return barriers


def staged_in_chunks(kernel: Kernel, launch: LaunchConfig) -> tuple[SharedChoice, ...]:
    """What is staged again for each chunk of a loop; the rest is staged once, before the body."""
    loops = [region for region in kernel.program if isinstance(region, ThreadLoop)]
    again = (choice for choice in launch.shared if choice.stagings_per_block > 1)
    return tuple(choice for choice in again if any(reads_choice(loop, choice) for loop in loops))


def reads_choice(loop: ThreadLoop, choice: SharedChoice) -> bool:
    """Whether a loop reads what a block stages."""
    return any(
        instruction.access in choice.accesses
        for block, _ in blocks((loop,))
        for instruction in block.instructions
        if instruction.access is not None
    )


@dataclass(frozen=True, slots=True)
class _Staging:
    """What a block copies to shared memory over its life, all arrays together; `waits` are a warp's, in a row."""

    requests: float
    waits: float
    stores: float
    size_bytes: float
    lines: float
    sectors: float
    dram_sectors: float
    waiting_sectors: float
    """Of the sectors, those that are on their way from device memory when a block asks for them."""


def _staging_of(case: OneLaunch) -> _Staging:
    requests = waits = stores = size_bytes = lines = sectors = dram_sectors = waiting_sectors = 0.0
    warps = max(1, round(case.warps_per_block))
    for choice in case.launch.shared:
        copy, often = copy_of_choice(choice, case.launch.threads_per_block, case.gpu), choice.stagings_per_block
        requests += float(copy.requests[0]) * often
        of_warp = float(copy.requests[0]) / warps
        beside = sum(
            (other.is_written, other.stagings_per_block > 1) == (choice.is_written, often > 1)
            for other in case.launch.shared
        )
        waits += of_warp * often / (beside if of_warp <= 1 else min(of_warp, COPIES_IN_FLIGHT))
        stores += float(copy.requests[0]) if choice.is_written else 0.0
        size_bytes += choice.staged_bytes_per_block
        lines += float(copy.lines[0]) * often
        sectors += float(copy.sectors[0]) * often
        traffic = case.accesses.staged[choice.array]
        dram_sectors += traffic.dram_share * (float(copy.sectors[0]) * often)
        waiting_sectors += traffic.waits_dram * (float(copy.sectors[0]) * often)
    return _Staging(requests, waits, stores, size_bytes, lines, sectors, dram_sectors, waiting_sectors)


def _in_turn(case: OneLaunch, waiting: Table) -> float:
    """Loads that wait in turn for the registers that hold what is on its way: twelve words of a thread at most."""
    words = 0.0
    for often, cost, facts in zip(waiting[0], case.costs, case.kernel.accesses, strict=True):
        if cost.served_by != "shared":
            words += often * ceil(requested_bytes(facts) / 4)
    return words / 12


def _partial_sectors(case: OneLaunch) -> Table:
    """Sectors of L2 that a warp's stores to one record write in part, on average, spread over these stores."""
    combined = {reduction.variable for reduction in case.kernel.reductions}
    is_counted = [
        facts.is_write
        and not facts.is_private
        and facts.access.array not in combined
        and case.gpu.l2.partial_stores_per_s is not None
        for facts in case.kernel.accesses
    ]
    records: dict[tuple[object, ...], list[int]] = {}
    for column, facts in enumerate(case.kernel.accesses):
        if is_counted[column]:
            linear = None if facts.is_gathered else facts.address.linear_index
            known = (
                None
                if linear is None
                else linear.partial({n: case.sizes[n] for n in linear.symbols if n in case.sizes})
            )
            moving = None if known is None else known - known.constant_term
            strides = tuple((loop, evaluate_known(stride, case.sizes)) for loop, stride in facts.stride_bytes)
            key = (
                facts.access.array,
                moving,
                requested_bytes(facts),
                facts.access.element_bytes * (moving is not None),
            )
            records.setdefault((*key, strides), []).append(column)
    partial = np.zeros((1, len(is_counted)))
    for columns in records.values():
        for column in columns:
            facts = case.kernel.accesses[column]
            number = _partly_stored([case.kernel.accesses[each] for each in columns], case) / len(columns)
            if case.costs[column].served_by != "shared":
                partial[0, column] = number / (2 if facts.is_read else 1)
    return partial


def _partly_stored(stores: list[AccessFacts], case: OneLaunch) -> float:
    """Sectors of which the warps of a block store some bytes and not all, on average."""
    launch, size, sector = case.launch, requested_bytes(stores[0]), case.gpu.l2.sector_bytes
    place = place_threads(case.kernel, launch.block, case.sizes, launch.outputs_per_thread)
    threads, active = warp_lanes(launch.block, place.threads, case.gpu.warp_size_threads)
    lanes = first_iterations(threads, place.output_steps)
    of_stores = []
    for facts in stores:
        addresses = lane_addresses(facts.address, iterator_values(case.kernel, lanes, case.sizes), case.sizes)
        if addresses is None or facts.is_gathered:
            strides = [evaluate_known(dict(facts.stride_bytes).get(loop), case.sizes) for loop in place.loops]
            addresses = scattered_addresses(lanes, strides, case.gpu.l1.line_bytes)
        of_stores.append(addresses)
    of_warps: list[int] = []
    for warp, on in enumerate(active):
        stored = Counter(int(start) // sector for start in {at for each in of_stores for at in each[warp][on].tolist()})
        if stored:
            of_warps.append(sum(number * size < sector for number in stored.values()))
    return sum(of_warps) / len(of_warps) if of_warps else 0.0


def _share(part: float, whole: float) -> float:
    """0 of nothing."""
    return part / whole if whole else 0.0


def _column(value: float) -> Column:
    return np.array([value], dtype=np.float64)


def _table(costs: tuple[AccessCost, ...], name: str) -> Table:
    return np.array([[getattr(cost, name) for cost in costs]], dtype=np.float64)


def _served(case: OneLaunch, name: str, elsewhere: float) -> Table:
    """What is known of accesses to global memory, `elsewhere` of others."""
    served = case.accesses.served
    rows = [served.get(facts.access.id) for facts in case.kernel.accesses]
    return np.array([[elsewhere if row is None else getattr(row, name) for row in rows]], dtype=np.float64)


def _beyond_l2(case: OneLaunch, slots: int) -> float:
    """Share of all resident threads' local memory, four bytes a slot, that L2 does not hold."""
    sms = max(1, min(case.gpu.sm_count, case.grid.blocks))
    warps = case.occupancy.blocks_per_sm * case.warps_per_block
    whole_bytes = 4 * slots * case.gpu.warp_size_threads * warps * sms
    held = case.gpu.l2.size_bytes
    return max(0.0, 1 - held / whole_bytes) if whole_bytes > held > 0 else 0.0
