"""What blocks could stage in shared memory and what it saves them (Resios 6.1, 6.2)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.launch.launches import Column, Flags
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles, tiles_of
from warplens.analysis.gpu.requests.coalescing import lane_addresses
from warplens.analysis.gpu.requests.requests import RequestPattern, pattern_of, touched_bytes, unshifted_granules
from warplens.analysis.gpu.staging.staged_regions import (
    StagedRegion,
    room_bytes,
    stageable_arrays,
    staged_regions,
)


@dataclass(frozen=True, slots=True, eq=False)
class StagingOpportunity:
    """A region with what a block does to it: `reads`, of one that is written stores, and their bytes without caches.

    Shape: (tiles,).
    """

    region: StagedRegion
    reads: Column
    traffic_bytes: Column

    @property
    def saved_bytes(self) -> Column:
        """What a block saves: traffic, less that of the stagings."""
        return self.traffic_bytes - self.region.moved_bytes * self.region.stagings

    @property
    def is_read_again(self) -> Flags:
        """Whether a block reads elements more often than it fills them."""
        again: Flags = self.reads > self.region.elements * self.region.stagings
        return again

    @property
    def is_worth(self) -> Flags:
        """Whether a block asks for more sectors than its copies take, for elements again or for scattered ones.

        Scattered: what the requests want is half of the sectors that they touch, or less.
        """
        is_scattered = self.traffic_bytes >= 2 * self.reads * self.region.box.element_bytes
        worth: Flags = np.greater(self.saved_bytes, 0) & (self.is_read_again | is_scattered)
        return worth

    def take(self, rows: Integers) -> StagingOpportunity:
        """Return the region in some of the tiles, in that order."""
        return replace(
            self, region=self.region.take(rows), reads=self.reads[rows], traffic_bytes=self.traffic_bytes[rows]
        )

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
            element_bytes=region.box.element_bytes,
            is_written=region.is_written,
            pad_elements=int(region.box.pads[tile]),
            pad_bytes=int(size_bytes - region.moved_bytes[tile]),
        )


def staging_opportunity(sized: SizedKernel, region: StagedRegion, tiles: Tiles, gpu: Gpu) -> StagingOpportunity:
    """What blocks of each tile read of a region, and the traffic of that without any cache."""
    rows, sizes = tiles.rows, sized.sizes
    values = rows.values(sized)
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
        variation = sized.variations.get(facts.access.id, Variation())
        executions = sized.executions[facts.access.id] * tiles.copies_along(sized.kernel.thread_order, variation)
        reads += executions * threads
        traffic += executions * warps * sectors[pattern] * gpu.l2.sector_bytes
    return StagingOpportunity(region, reads, traffic)


def shared_opportunities(
    sized: SizedKernel, block: Extent, gpu: Gpu, outputs: Extent = ONE_OUTPUT
) -> tuple[SharedChoice, ...]:
    """Regions that a block reads again or accesses scattered, in greedy order: decreasing benefit = accesses / size.

    The region of an array is the box that all its reads touch while the block's threads run. A sequential loop longer
    than the block's x extent is cut into chunks of that many iterations (the tile of a matrix product), so that the
    region is staged once per chunk, and again in every iteration of the loops outside it. With several `outputs` per
    thread the box is that of all of them; what registers share between them is read once.
    Units: bytes per block. `saved_bytes` is the traffic of the requests without any cache, less that of the stagings.
    Source: Resios 6.1 (footprint), algorithm 6.2 (benefit).
    Assumes: arrays that the kernel only reads, or that blocks may collect (`collected_arrays`); all subscripts
    polynomial.
    Not modelled: regions larger than `room_bytes` in part; arrays that a thread owns (registers serve those).
    Raises: KeyError for a parameter without value.
    """
    found = (each for each in block_opportunities(sized, block, gpu, outputs) if each.is_worth[0])
    return in_greedy_order(each.choice(0) for each in found if each.region.size_bytes[0] <= room_bytes(gpu))


def wished_choice(
    sized: SizedKernel, array: str, block: Extent, gpu: Gpu, outputs: Extent = ONE_OUTPUT
) -> SharedChoice | None:
    """The region of an array that a block stages when it is told to; None where it can't.

    One that saves nothing has no benefit and saves 0 bytes. Raises: KeyError for a parameter without value.
    """
    for choice in shared_opportunities(sized, block, gpu, outputs):
        if choice.array == array:
            return choice
    for region in block_opportunities(sized, block, gpu, outputs):
        choice = region.choice(0)
        if choice.array == array:
            return replace(choice, reads_per_block=0.0, benefit=0.0, saved_bytes=0.0)
    return None


def block_opportunities(
    sized: SizedKernel, block: Extent, gpu: Gpu, outputs: Extent = ONE_OUTPUT
) -> tuple[StagingOpportunity, ...]:
    """Every region that a block can stage, in one row: worth it or not, and however large.

    Raises: KeyError for a parameter without value.
    """
    arrays = tuple(stageable_arrays(sized))
    if not arrays:
        return ()
    tiles = tiles_of(np.array([block]), np.array([outputs]), sized.iterations, gpu.warp_size_threads)
    regions = staged_regions(sized, arrays, tiles, gpu).values()
    return tuple(staging_opportunity(sized, region, tiles, gpu) for region in regions)


def in_greedy_order(choices: Iterable[SharedChoice]) -> tuple[SharedChoice, ...]:
    """The best to stage first."""
    return tuple(sorted(choices, key=lambda choice: (-choice.benefit, choice.array)))
