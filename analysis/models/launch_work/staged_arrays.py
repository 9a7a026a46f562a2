"""What launches keep in shared memory: its size, how often blocks fill it, barriers and bank conflicts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import ThreadLoop, blocks
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.launch.launches import Column, Flags, Launches, Table, take_rows
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.staging.bank_conflicts import conflict_degrees
from warplens.analysis.gpu.staging.staged_copy import StagedCopy, copy_of_choice
from warplens.analysis.gpu.staging.staged_regions import StagedRegion, room_bytes, staged_regions
from warplens.analysis.gpu.staging.staging_opportunities import StagingOpportunity, in_greedy_order, staging_opportunity
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class StagedArray:
    """One array that some launches stage. Shape: (launches,); what the launches that do not stage it have says nothing.

    `size_bytes` are of shared memory, padding included, `moved_bytes` those of one filling, `stagings` how often a
    block fills them over its life, `copy` what one filling takes. `region` is the box that is filled in each launch,
    None where the analysis finds none; `opportunity` what a block saves by that (None: not asked). What `is_written` is
    copied out instead, once, behind a barrier.
    """

    array: str
    accesses: tuple[NodeId, ...]
    chosen: Flags
    size_bytes: Column
    moved_bytes: Column
    stagings: Column
    copy: StagedCopy
    region: StagedRegion | None
    is_written: bool = False
    opportunity: StagingOpportunity | None = None

    def take(self, rows: Integers) -> StagedArray:
        """Return what some launches stage of it, in that order."""
        return replace(
            self,
            chosen=self.chosen[rows],
            size_bytes=self.size_bytes[rows],
            moved_bytes=self.moved_bytes[rows],
            stagings=self.stagings[rows],
            copy=self.copy.take(rows),
            region=None if self.region is None else self.region.take(rows),
            opportunity=None if self.opportunity is None else self.opportunity.take(rows),
        )


@dataclass(frozen=True, slots=True, eq=False)
class StagedArrays:
    """What launches stage. Shape: (launches,); `is_staged` and `conflict_degree` (launches, accesses).

    `arrays` are those of all launches together; `is_worth` says whether all that a launch stages is worth it and has
    room, `regroups` whether some of it is accessed once, and staged for the order of the accesses alone.
    `size_bytes` are of shared memory, `staged_bytes` what a block copies there or back over its life, `requests`,
    `lines` and `sectors` what that takes, `stores` those of the requests that copy back, `barriers` how often its warps
    wait for each other.
    """

    arrays: tuple[StagedArray, ...]
    is_worth: Flags
    regroups: Flags
    is_staged: Flags
    size_bytes: Column
    staged_bytes: Column
    requests: Column
    stores: Column
    lines: Column
    sectors: Column
    barriers: Column
    conflict_degree: Table

    def take(self, rows: Integers) -> StagedArrays:
        """Return what some launches stage, in that order."""
        return StagedArrays(
            tuple(each.take(rows) for each in self.arrays),
            self.is_worth[rows],
            self.regroups[rows],
            take_rows(self.is_staged, rows),
            self.size_bytes[rows],
            self.staged_bytes[rows],
            self.requests[rows],
            self.stores[rows],
            self.lines[rows],
            self.sectors[rows],
            self.barriers[rows],
            take_rows(self.conflict_degree, rows),
        )

    def choices(self, row: int) -> tuple[SharedChoice, ...]:
        """What one launch stages, the best first; of arrays whose opportunity is known."""
        found = ((each.opportunity, each.chosen) for each in self.arrays)
        return in_greedy_order(each.choice(row) for each, chosen in found if each is not None and chosen[row])


def staged_arrays(sized: SizedKernel, launches: Launches, tiles: Tiles, tile: Integers, gpu: Gpu) -> StagedArrays:
    """What the staged arrays take, how often they are filled, and how their accesses conflict.

    `tile` says which of `tiles` a launch has. An array that has no region counts as not staged, and its launch as not
    worth it.
    """
    used = [array for array, column in zip(launches.arrays, launches.staged.T, strict=True) if column.any()]
    regions = staged_regions(sized, used, tiles, gpu) if used else {}
    is_worth, regroups = np.ones(len(launches), dtype=np.bool_), np.zeros(len(launches), dtype=np.bool_)
    arrays: list[StagedArray] = []
    degrees: dict[NodeId, Column] = {}
    for array, chosen in zip(launches.arrays, launches.staged.T, strict=True):
        region = regions.get(array)
        if region is None:
            is_worth &= ~chosen
            continue
        opportunity = staging_opportunity(sized, region, tiles, gpu)
        is_worth &= ~chosen | opportunity.is_worth[tile]
        accesses = tuple(facts.access.id for facts in region.accesses)
        of_tiles = conflict_degrees(region.box, sized, tiles, gpu.shared)
        degrees |= {access: degree[tile] for access, degree in zip(accesses, of_tiles, strict=True)}
        opportunity = opportunity.take(tile)
        region = opportunity.region
        arrays.append(
            StagedArray(
                array,
                accesses,
                chosen,
                region.size_bytes,
                region.moved_bytes,
                region.stagings,
                region.copy,
                region,
                region.is_written,
                opportunity,
            )
        )
        regroups |= chosen & ~opportunity.is_read_again
    together = _together(sized, arrays, degrees, is_worth, regroups)
    return replace(together, is_worth=is_worth & (together.size_bytes <= room_bytes(gpu)))


def staged_by(launch: LaunchConfig, sized: SizedKernel, tiles: Tiles, gpu: Gpu) -> StagedArrays:
    """What one launch stages, as it says itself: the same in one row."""
    once = np.ones(1, dtype=np.bool_)
    if not launch.shared:
        return _together(sized, [], {}, once, ~once)
    regions = staged_regions(sized, [choice.array for choice in launch.shared], tiles, gpu)
    arrays: list[StagedArray] = []
    degrees: dict[NodeId, Column] = {}
    for choice in launch.shared:
        region = regions.get(choice.array)
        if region is not None:
            as_said = region.box.padded_by(np.array([choice.pad_elements]))
            of_tiles = conflict_degrees(as_said, sized, tiles, gpu.shared)
            degrees |= {facts.access.id: degree for facts, degree in zip(region.accesses, of_tiles, strict=True)}
        copy = copy_of_choice(choice, launch.threads_per_block, gpu)
        size, moved = np.array([float(choice.size_bytes)]), np.array([float(choice.moved_bytes)])
        stagings = np.array([float(choice.stagings_per_block)])
        arrays.append(
            StagedArray(choice.array, choice.accesses, once, size, moved, stagings, copy, region, choice.is_written)
        )
    return _together(sized, arrays, degrees, once, ~once)


def _together(
    sized: SizedKernel,
    arrays: Sequence[StagedArray],
    degrees: dict[NodeId, Column],
    is_worth: Flags,
    regroups: Flags,
) -> StagedArrays:
    """Sum over the arrays that a launch stages."""
    number, accesses = len(is_worth), len(sized.kernel.accesses)
    is_staged = np.zeros((number, accesses), dtype=np.bool_, order="F")
    conflict_degree = np.ones((number, accesses), order="F")
    size_bytes, staged_bytes = np.zeros(number), np.zeros(number)
    once, at_end, stores = np.zeros(number), np.zeros(number), np.zeros(number)
    requests, lines, sectors = np.zeros(number), np.zeros(number), np.zeros(number)
    chunks: dict[int, Column] = {}
    for each in arrays:
        chosen, stagings = each.chosen, each.stagings
        size_bytes += np.where(chosen, each.size_bytes, 0.0)
        staged_bytes += np.where(chosen, each.moved_bytes * stagings, 0.0)
        requests += np.where(chosen, each.copy.requests * stagings, 0.0)
        lines += np.where(chosen, each.copy.lines * stagings, 0.0)
        sectors += np.where(chosen, each.copy.sectors * stagings, 0.0)
        for access in each.accesses:
            column = sized.column_of[access]
            is_staged[:, column] = chosen
            if access in degrees:
                conflict_degree[:, column] = np.where(chosen, degrees[access], 1.0)
        if each.is_written:
            stores += np.where(chosen, each.copy.requests, 0.0)
            at_end = np.where(chosen, 1.0, at_end)
            continue
        loop = first_loop_that_reads(sized.kernel, each.accesses)
        in_chunks = chosen & (stagings > 1) & (loop is not None)
        once = np.where(chosen & ~in_chunks, 1.0, once)
        if loop is not None:
            # The arrays that one loop reads share its barriers, two for each chunk.
            chunks[loop] = np.maximum(chunks.get(loop, 0.0), np.where(in_chunks, stagings, 0.0))
    barriers = once + at_end + 2 * sum(chunks.values(), start=np.zeros(number))
    return StagedArrays(
        tuple(arrays),
        is_worth,
        regroups,
        is_staged,
        size_bytes,
        staged_bytes,
        requests,
        stores,
        lines,
        sectors,
        barriers,
        conflict_degree,
    )


def first_loop_that_reads(kernel: Kernel, accesses: Collection[NodeId]) -> int | None:
    """Place in the program of the first outermost loop that makes one of the accesses."""
    for number, part in enumerate(kernel.program):
        if isinstance(part, ThreadLoop) and any(
            i.access in accesses for block, _ in blocks((part,)) for i in block.instructions
        ):
            return number
    return None
