"""Where the bytes come from that blocks copy to shared memory, for many launches: `staged_traffic` over columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.batch_regions import BatchRegion
from warplens.analysis.gpu.batch_waves import batch_waves
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column
from warplens.analysis.gpu.staged_copy import staged_copy
from warplens.analysis.gpu.tiles import Tiles
from warplens.analysis.gpu.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId


def batch_staged_dram_share(
    kernel: Kernel,
    groups: Sequence[WalkGroup],
    staged: Sequence[BatchRegion],
    tiles: Tiles,
    tile: Integers,
    resident: Column,
    trips: Mapping[NodeId, float],
    gpu: Gpu,
) -> Column:
    """Share of the sectors that blocks copy of the `staged` regions that L2 does not have; 0 where they copy nothing.

    `groups` are all accesses of the kernel. Source and what is assumed: `staged_traffic.staged_dram_shares`.
    """
    waves = batch_waves(kernel, groups, tiles, tile, resident, trips, gpu)
    filled_blocks = tiles.filled_blocks[tile]
    from_dram, copied = np.zeros(len(tile)), np.zeros(len(tile))
    threads = tiles.block.prod(axis=1).astype(np.float64)
    for region in staged:
        array = region.accesses[0].access.array
        fetched = np.zeros(len(tile))
        for number, group in enumerate(groups):
            if group.walks[0].facts.access.array == array:
                fetched += waves.fetched(number)
        of_block = (
            staged_copy(region.size_bytes, region.rows, region.element_bytes, threads, gpu).sectors * region.stagings
        )[tile]
        of_grid = of_block * filled_blocks
        share = np.divide(fetched, of_grid, out=np.ones_like(of_grid), where=of_grid > 0)
        from_dram += np.minimum(1.0, share) * of_block
        copied += of_block
    return np.divide(from_dram, copied, out=np.zeros_like(copied), where=copied > 0)
