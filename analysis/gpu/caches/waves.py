"""What waves of blocks fetch from device memory: all that L2 does not keep for them.

When the wave's data fits in L2 the whole grid's sectors come from DRAM once (gathered ones once per wave), and when the
grid's does, once for all launches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.gpu.caches.reuse import CachedLevel, Reach
from warplens.analysis.gpu.launch.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launches import Column, Flags, Table
from warplens.analysis.gpu.launch.numbers import Number, as_number
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class WaveTraffic:
    """L2 as waves of blocks and the whole grid see it; `number` are the waves of a launch, at least 1."""

    wave: CachedLevel
    grid: CachedLevel
    number: Column

    @property
    def fits(self) -> Flags:
        """Where all that a wave touches stays in L2."""
        return np.asarray(self.wave.whole_bytes() <= self.wave.capacity_bytes)

    @property
    def grid_fits(self) -> Flags:
        """Where all that the grid touches stays in L2."""
        return np.asarray(self.grid.whole_bytes() <= self.grid.capacity_bytes)

    def reached_by(self, reach: Reach) -> WaveTraffic:
        """Return the same waves, where other launches have the groups in global memory."""
        return replace(self, wave=self.wave.reached_by(reach), grid=self.grid.reached_by(reach))

    def fetched(self, group: int, asked: Number) -> Number:
        """Sectors of a group that the grid fetches from device memory, of those `asked` for of L2."""
        fetched, fits = self._of_waves(group), self.fits
        if fits.all():
            return fetched
        kept = np.minimum(1.0, self.wave.capacity_bytes / np.maximum(1.0, self.wave.whole_bytes()))
        again = self.number * self.wave.sectors_through(group, asked / self.number)
        return np.where(fits, fetched, kept * np.minimum(fetched, again) + (1 - kept) * again)

    def _of_waves(self, number: int) -> Number:
        """Sectors of a group where all that a wave touches stays in L2.

        Neighbouring waves touch neighbouring data, so that each sector comes once; where data decides which, each wave
        fetches its own, unless all that the grid touches of them stays.
        """
        grid, group = self.grid, self.grid.groups[number]
        once = grid.sectors(number, group.path)
        if not group.is_scattered_along((*grid.threads, *group.path)) or np.all(
            grid.bytes_of(number) <= grid.capacity_bytes
        ):
            return once
        return self.number * self.wave.sectors(number, group.path)


def wave_traffic(sized: SizedKernel, tiles: Tiles, tile: Integers, resident: Column, gpu: Gpu) -> WaveTraffic:
    """Waves of launches with so many `resident` blocks per SM, all of whose accesses go to L2."""
    axes, groups, trips, l2 = sized.kernel.thread_order, sized.groups, sized.trips, gpu.l2
    first, which = distinct_rows([tile, resident.astype(np.int64)])
    placed = tiles.take(tile[first])
    wave_blocks = np.maximum(1.0, resident[first] * gpu.sm_count)
    counts = box_counts(axes, tiles.iterations, placed.tile, _wave_extent(placed.blocks, wave_blocks))
    reach: Reach = [None] * len(groups)
    wave = CachedLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, counts, which, 1.0, groups, reach, trips)
    whole = dict(zip(axes, tiles.iterations, strict=False))
    grid = CachedLevel(l2.size_bytes, l2.line_bytes, l2.sector_bytes, whole, which, 1.0, groups, reach, trips)
    return WaveTraffic(wave, grid, placed.waves_of(wave_blocks.astype(np.int64))[which])


def box_counts(axes: Sequence[NodeId], iterations: Extent, tile: Integers, box: Number) -> dict[NodeId, Number]:
    """Iterations of the grid loops that a box of blocks covers, a block covering `tile`."""
    extents = np.minimum(np.array(iterations, dtype=np.float64), box * tile)
    return {loop: as_number(extents[:, axis]) for axis, loop in enumerate(axes)}


def _wave_extent(blocks: Table, wave_blocks: Column) -> Table:
    """Blocks along x, y, z of the box that holds one wave: they are handed out x fastest.

    A wave that fills a part of its last row or plane counts with that part: the others go on where it ends.
    """
    row, plane = np.maximum(1.0, blocks[:, 0]), np.maximum(1.0, blocks[:, 0] * blocks[:, 1])
    wanted = np.stack((wave_blocks, np.maximum(1.0, wave_blocks / row), np.maximum(1.0, wave_blocks / plane)))
    extent: Table = np.minimum(blocks, wanted.T)
    return extent
