"""What launches stage and what it saves them, for many at once, as `shared_memory.shared_opportunities` has it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.batch_regions import BatchRegion, batch_regions
from warplens.analysis.gpu.batch_requests import RequestPattern, pattern_of, touched_bytes, unshifted_granules
from warplens.analysis.gpu.coalescing import lane_addresses
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launch import SharedChoice
from warplens.analysis.gpu.launches import Column, Flags, Launches
from warplens.analysis.gpu.tiles import Tiles, tiles_of_launches
from warplens.analysis.gpu.walk import thread_loop_trips
from warplens.analysis.work.kernels.work_per_thread import varying_accesses


@dataclass(frozen=True, slots=True, eq=False)
class BatchOpportunity:
    """A region with what a block reads of it, `reads` and bytes of traffic without any cache. Shape: (tiles,)."""

    region: BatchRegion
    reads: Column
    traffic_bytes: Column

    @property
    def saved_bytes(self) -> Column:
        """What a block saves: traffic, less that of the stagings."""
        return self.traffic_bytes - self.region.size_bytes * self.region.stagings

    @property
    def is_worth(self) -> Flags:
        """Whether a block reads the region more often than it fills it, and asks for more sectors than that takes."""
        elements = self.region.widths.prod(axis=1) * self.region.stagings
        worth: Flags = np.greater(self.saved_bytes, 0) & (self.reads > elements)
        return worth

    def choice(self, tile: int) -> SharedChoice:
        """The region in one tile as something to stage."""
        region, size_bytes = self.region, float(self.region.size_bytes[tile])
        return SharedChoice(
            array=region.accesses[0].access.array,
            accesses=tuple(facts.access.id for facts in region.accesses),
            size_bytes=int(size_bytes),
            reads_per_block=float(self.reads[tile]),
            benefit=float(self.reads[tile]) / size_bytes,
            saved_bytes=float(self.saved_bytes[tile]),
            stagings_per_block=float(region.stagings[tile]),
            row_bytes=int(region.rows.row_bytes[tile]),
            alignment_bytes=int(region.rows.alignment_bytes[tile]),
            element_bytes=region.element_bytes,
        )


def batch_opportunity(
    kernel: Kernel, region: BatchRegion, tiles: Tiles, sizes: Mapping[str, int], gpu: Gpu
) -> BatchOpportunity:
    """What blocks of each tile read of a region; source and what is assumed: `shared_memory.shared_opportunities`."""
    rows = tiles.rows
    values = rows.values(kernel, sizes)
    varying = varying_accesses(kernel)
    warps = -(-tiles.block.prod(axis=1) // gpu.warp_size_threads)
    row_threads = np.add.reduceat(rows.active.sum(axis=1), rows.first_row)
    threads = (row_threads / np.bincount(rows.shape_of_row))[tiles.shape_of_tile] * warps
    reads, traffic = np.zeros(len(warps)), np.zeros(len(warps))
    sectors: dict[RequestPattern, Column] = {}
    for facts in region.accesses:
        addresses = lane_addresses(facts.address, values, sizes)
        if addresses is None:
            continue
        pattern = pattern_of(facts, values, sizes, gpu.l2.sector_bytes)
        if pattern not in sectors:
            touched = touched_bytes(addresses, rows.active, facts.access.element_bytes)
            sectors[pattern] = unshifted_granules(touched, tiles, gpu.l2.sector_bytes)
        executions = float(facts.executions_per_thread.evaluate(sizes))
        executions_of_tile = executions * tiles.copies_along(
            kernel.thread_order, varying.get(facts.access.id, Variation())
        )
        reads += executions_of_tile * threads
        traffic += executions_of_tile * warps * sectors[pattern] * gpu.l2.sector_bytes
    return BatchOpportunity(region, reads, traffic)


def staged_choices(
    kernel: Kernel, launches: Launches, sizes: Mapping[str, int], gpu: Gpu
) -> Sequence[tuple[SharedChoice, ...]]:
    """What each launch stages, in greedy order; of arrays that have a region.

    Raises: KeyError for a parameter without value.
    """
    used = [array for array, chosen in zip(launches.arrays, launches.staged.T, strict=True) if chosen.any()]
    if not used:
        return [()] * len(launches)
    tiles, tile = tiles_of_launches(kernel, launches, sizes, gpu)
    regions = batch_regions(kernel, used, tiles, thread_loop_trips(kernel, sizes), sizes, gpu)
    choices: list[list[SharedChoice]] = [[] for _ in range(len(launches))]
    for array, chosen in zip(launches.arrays, launches.staged.T, strict=True):
        if array in regions:
            opportunity = batch_opportunity(kernel, regions[array], tiles, sizes, gpu)
            of_tile = {each: opportunity.choice(each) for each in set(tile[chosen].tolist())}
            for row in np.flatnonzero(chosen).tolist():
                choices[row].append(of_tile[int(tile[row])])
    return [tuple(sorted(each, key=lambda choice: (-choice.benefit, choice.array))) for each in choices]
