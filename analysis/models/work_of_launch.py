"""The work of one launch in columns of one row, from the costs that the scalar path found."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from warplens.analysis.facts.program import ThreadLoop, blocks
from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.gpu.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launches import Column, Launches, Table
from warplens.analysis.gpu.staged_copy import copy_of_choice
from warplens.analysis.models.instruction_counts import (
    arithmetic_per_warp,
    at_least_one,
    copies_of_kinds,
    instruction_counts,
    saved_by_tiles,
    with_copies,
)
from warplens.analysis.models.kernel_work import KernelWork
from warplens.analysis.models.loads_in_flight import load_chain_per_warp
from warplens.analysis.models.spill_requests import spill_requests
from warplens.analysis.simulation.combining import combining_per_warp

if TYPE_CHECKING:
    from warplens.analysis.models.kernel_on_gpu import KernelOnGpu


def work_of(case: KernelOnGpu) -> KernelWork:
    """What the closed-form models read of one launch; the counts are those of the simulation's trace."""
    kernel, gpu, launch = case.kernel, case.gpu, case.launch
    launches = launches_of((launch,))
    shape = case.grid
    counts = instruction_counts(kernel, case.sizes)
    copies = copies_of_kinds(counts, np.array([shape.outputs_run]))
    staged = frozenset(access for choice in launch.shared for access in choice.accesses)
    is_staged = np.array([[cost.served_by == "shared" for cost in case.costs]], dtype=np.bool_)
    waiting = with_copies(counts.waiting, copies)
    instructions = with_copies(counts.instructions, copies)
    saved = saved_by_tiles(counts, copies, is_staged, _column(launch.block[0]))
    computed = arithmetic_per_warp(counts, copies, launches.outputs_per_thread)
    warps_per_block = _column(shape.warps_per_block)
    combining = combining_per_warp(kernel, gpu, warps_per_block, case.combining) * counts.instructions.any()
    load_chain = load_chain_per_warp(kernel, case.sizes, staged)
    resident = case.occupancy
    fits = resident.blocks_per_sm > 0
    spills = spill_requests(
        gpu,
        counts.busiest,
        _column(case.registers.spill_stores),
        _column(case.registers.spill_loads),
        _column(case.registers.spill_slots),
        _column(resident.blocks_per_sm),
        _column(resident.warps_per_sm),
        _column(launch.shared_bytes_per_block),
    )
    copies_to_shared = [copy_of_choice(choice, launch.threads_per_block, gpu) for choice in launch.shared]
    fillings = [choice.stagings_per_block for choice in launch.shared]
    staged_bytes = sum(choice.staged_bytes_per_block for choice in launch.shared)
    requests = sum(copy.requests * often for copy, often in zip(copies_to_shared, fillings, strict=True))
    lines = sum(copy.lines * often for copy, often in zip(copies_to_shared, fillings, strict=True))
    sectors = sum(copy.sectors * often for copy, often in zip(copies_to_shared, fillings, strict=True))
    return KernelWork(
        kernel=kernel,
        sizes=case.sizes,
        gpu=gpu,
        launches=launches,
        is_launchable=np.array([fits]),
        threads=_column(shape.threads),
        blocks=_column(shape.blocks),
        warps_per_block=warps_per_block,
        active_sms=_column(max(1, min(gpu.sm_count, shape.blocks))),
        resident_blocks_per_sm=_column(resident.blocks_per_sm if fits else 1),
        resident_warps_per_sm=_column(resident.warps_per_sm if fits else shape.warps_per_block),
        registers_per_thread=_column(case.registers.per_thread),
        shared_bytes_per_block=_column(launch.shared_bytes_per_block),
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
        conflict_degree=_table(case.costs, "conflict_degree"),
        spill_requests_per_warp=spills.requests,
        spill_reloads_per_warp=spills.reloads,
        spill_l2_requests_per_warp=spills.to_l2,
        staging_requests_per_warp=_column(requests / shape.warps_per_block),
        staging_bytes_per_request=_column(staged_bytes / requests if requests else 0.0),
        staging_lines_per_request=_column(lines / requests if requests else 0.0),
        staging_sectors_per_request=_column(sectors / requests if requests else 0.0),
        staging_dram_share=_column(_staging_dram_share(case)),
        barriers_per_warp=_column(barriers_per_warp(case)),
        ilp=at_least_one(instructions, counts.chain),
        mlp=at_least_one((waiting * ~is_staged).sum(axis=1), load_chain),
    )


def launches_of(launches: tuple[LaunchConfig, ...]) -> Launches:
    """Launch configurations as columns; `arrays` are those that any of them stages."""
    arrays = tuple(sorted({choice.array for launch in launches for choice in launch.shared}))
    staged = [[any(choice.array == array for choice in launch.shared) for array in arrays] for launch in launches]
    return Launches(
        np.array([launch.block for launch in launches], dtype=np.int64).reshape(-1, 3),
        np.array([launch.outputs_per_thread for launch in launches], dtype=np.int64).reshape(-1, 3),
        arrays,
        np.array(staged, dtype=np.bool_).reshape(len(launches), len(arrays)),
    )


def barriers_per_warp(case: KernelOnGpu) -> float:
    """Barriers over a block's life: one after the copies before the body, two for each chunk of a loop.

    The arrays that one loop reads share its barriers.
    """
    loops = [region for region in case.kernel.program if isinstance(region, ThreadLoop)]
    chunked = [c for c in case.launch.shared if c.stagings_per_block > 1 and any(_uses(loop, c) for loop in loops)]
    barriers = 1.0 if len(chunked) < len(case.launch.shared) else 0.0
    for loop in loops:
        stagings = [choice.stagings_per_block for choice in chunked if _uses(loop, choice)]
        chunked = [choice for choice in chunked if not _uses(loop, choice)]
        barriers += 2 * max(stagings, default=0.0)
    return barriers


def _staging_dram_share(case: KernelOnGpu) -> float:
    """Of all sectors that blocks copy to shared memory; 0 where they copy none."""
    shares = {cost.access: cost.staged_dram_share for cost in case.costs}
    copied = from_dram = 0.0
    for choice in case.launch.shared:
        sectors = copy_of_choice(choice, case.launch.threads_per_block, case.gpu).sectors * choice.stagings_per_block
        copied += sectors
        from_dram += shares[choice.accesses[0]] * sectors
    return from_dram / copied if copied else 0.0


def _uses(loop: ThreadLoop, choice: SharedChoice) -> bool:
    return any(i.access in choice.accesses for block, _ in blocks((loop,)) for i in block.instructions)


def _column(value: float) -> Column:
    return np.array([value], dtype=np.float64)


def _table(costs: tuple[AccessCost, ...], name: str) -> Table:
    return np.array([[getattr(cost, name) for cost in costs]], dtype=np.float64)
