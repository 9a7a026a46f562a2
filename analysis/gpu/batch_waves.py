"""What the waves of many launches fetch from device memory: the L2 part of `served.served_shares` over columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.batch_reuse import BatchLevel, Number, Reach
from warplens.analysis.gpu.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.extent import Extent
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Flags, Table, take_rows
from warplens.analysis.gpu.tiles import Tiles
from warplens.analysis.gpu.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class BatchWaves:
    """L2 as waves of blocks and the whole grid see it; `number` are the waves of a launch, at least 1."""

    wave: BatchLevel
    grid: BatchLevel
    number: Column

    @property
    def fits(self) -> Flags:
        """Where all that a wave touches stays in L2."""
        return np.asarray(self.wave.whole_bytes() <= self.wave.capacity_bytes)

    @property
    def grid_fits(self) -> Flags:
        """Where all that the grid touches stays in L2."""
        return np.asarray(self.grid.whole_bytes() <= self.grid.capacity_bytes)

    def reached_by(self, reach: Reach) -> BatchWaves:
        """Return the same waves, where other launches have the groups in global memory."""
        return replace(self, wave=self.wave.reached_by(reach), grid=self.grid.reached_by(reach))

    def fetched(self, group: int) -> Number:
        """Sectors of a group that the grid fetches from device memory; infinite where nothing stays in L2."""
        fetched, fits = self._of_waves(group), self.fits
        if fits.all():
            return fetched
        return np.where(fits, fetched, self.number * self.wave.sectors_through(group))

    def _of_waves(self, number: int) -> Number:
        """Sectors of a group where all that a wave touches stays in L2 (`reuse.sectors_of_waves`)."""
        grid, group = self.grid, self.grid.groups[number]
        once = grid.sectors(number, group.path)
        if not group.is_scattered_along((*grid.threads, *group.path)) or np.all(
            grid.bytes_of(number) <= grid.capacity_bytes
        ):
            return once
        return self.number * self.wave.sectors(number, group.path)


def batch_waves(
    kernel: Kernel,
    groups: Sequence[WalkGroup],
    tiles: Tiles,
    tile: Integers,
    resident: Column,
    trips: Mapping[NodeId, float],
    gpu: Gpu,
) -> BatchWaves:
    """Waves of launches with so many `resident` blocks per SM, all of whose accesses go to L2."""
    l2 = gpu.l2
    first, which = distinct_rows([tile, resident.astype(np.int64)])
    blocks = take_rows(tiles.blocks, tile[first])
    wave_blocks = np.maximum(1.0, resident[first] * gpu.sm_count)
    counts = box_counts(kernel, tiles.iterations, take_rows(tiles.tile, tile[first]), _wave_extent(blocks, wave_blocks))
    reach: Reach = [None] * len(groups)
    wave = BatchLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, counts, which, 1.0, groups, reach, trips)
    whole = {loop: float(tiles.iterations[axis]) for axis, loop in enumerate(kernel.thread_order)}
    grid = BatchLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, whole, which, 1.0, groups, reach, trips)
    return BatchWaves(wave, grid, np.maximum(1.0, blocks.prod(axis=1) / wave_blocks)[which])


def box_counts(kernel: Kernel, iterations: Extent, tile: Integers, box: Number) -> dict[NodeId, Number]:
    """Iterations of the grid loops that a box of blocks covers (`waves.Placement.counts`), a block covering `tile`."""
    extents = np.minimum(np.array(iterations, dtype=np.float64), box * tile)
    return {loop: extents[:, axis] for axis, loop in enumerate(kernel.thread_order)}


def _wave_extent(blocks: Table, wave_blocks: Column) -> Table:
    """Blocks along x, y, z of the box that holds one wave (`waves.wave_extent`)."""
    row, plane = np.maximum(1.0, blocks[:, 0]), np.maximum(1.0, blocks[:, 0] * blocks[:, 1])
    wanted = np.stack((wave_blocks, np.maximum(1.0, wave_blocks / row), np.maximum(1.0, wave_blocks / plane)))
    extent: Table = np.minimum(blocks, wanted.T)
    return extent
