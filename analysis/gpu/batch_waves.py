"""What the waves of many launches fetch from device memory: the L2 part of `served.served_shares` over columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.batch_reuse import BatchLevel, Number
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Flags, Table
from warplens.analysis.gpu.tiles import Tiles
from warplens.analysis.gpu.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class BatchWaves:
    """L2 as waves of blocks and the whole grid see it; `fits` where all that a wave touches stays in it.

    `number` are the waves of a launch, a part of one included, at least 1.
    """

    wave: BatchLevel
    grid: BatchLevel
    number: Column
    fits: Flags
    grid_fits: bool

    def fetched(self, group: int) -> Number:
        """Sectors of a group that the grid fetches from device memory; infinite where nothing stays in L2."""
        once = self.grid.sectors(group, self.grid.groups[group].path)
        if self.fits.all():
            return once
        return np.where(self.fits, once, self.number * self.wave.sectors_through(group))


def batch_waves(
    kernel: Kernel,
    groups: Sequence[WalkGroup],
    tiles: Tiles,
    tile: Integers,
    resident: Column,
    trips: Mapping[NodeId, float],
    gpu: Gpu,
) -> BatchWaves:
    """Waves of launches with so many `resident` blocks per SM whose accesses to L2 are `groups`."""
    l2 = gpu.l2
    blocks = tiles.blocks[tile]
    wave_blocks = np.maximum(1.0, resident * gpu.sm_count)
    counts = box_counts(kernel, tiles, tile, _wave_extent(blocks, wave_blocks))
    wave = BatchLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, counts, 1.0, groups, trips)
    whole = {loop: float(tiles.iterations[axis]) for axis, loop in enumerate(kernel.thread_order)}
    grid = BatchLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, whole, 1.0, groups, trips)
    return BatchWaves(
        wave,
        grid,
        np.maximum(1.0, blocks.prod(axis=1) / wave_blocks),
        np.broadcast_to(wave.whole_bytes() <= l2.size_bytes, tile.shape),
        bool(grid.whole_bytes() <= l2.size_bytes),
    )


def box_counts(kernel: Kernel, tiles: Tiles, tile: Integers, box: Number) -> dict[NodeId, Number]:
    """Iterations of the grid loops that a box of blocks covers (`waves.Placement.counts`)."""
    extents = np.minimum(np.array(tiles.iterations, dtype=np.float64), box * tiles.tile[tile])
    return {loop: extents[:, axis] for axis, loop in enumerate(kernel.thread_order)}


def _wave_extent(blocks: Table, wave_blocks: Column) -> Table:
    """Blocks along x, y, z of the box that holds one wave: blocks are handed out x fastest (`waves.wave_extent`)."""
    plane = blocks[:, 0] * blocks[:, 1]
    none = np.zeros_like(wave_blocks)
    rows = np.ceil(np.divide(wave_blocks, blocks[:, 0], out=none.copy(), where=blocks[:, 0] > 0))
    planes = np.ceil(np.divide(wave_blocks, plane, out=none, where=plane > 0))
    extent: Table = np.minimum(blocks, np.stack((wave_blocks, rows, planes), axis=1))
    return extent
