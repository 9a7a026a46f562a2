"""Where the bytes come from that blocks copy to shared memory, for many launches: `staged_traffic` over columns."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from warplens.analysis.gpu.batch_regions import BatchRegion
from warplens.analysis.gpu.batch_waves import BatchWaves
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.launches import Column, Flags
from warplens.analysis.gpu.tiles import Tiles


def batch_staged_dram_share(
    waves: BatchWaves, staged: Iterable[tuple[BatchRegion, Flags]], tiles: Tiles, tile: Integers
) -> Column:
    """Share of the sectors that blocks copy to shared memory that L2 does not have; 0 where they copy nothing.

    `staged` says of each region which launches copy it, `waves` are those of all accesses of the kernel.
    Source and what is assumed: `staged_traffic.staged_dram_shares`.
    """
    filled_blocks = tiles.filled_blocks[tile]
    from_dram, copied = np.zeros(len(tile)), np.zeros(len(tile))
    for region, chosen in staged:
        array = region.accesses[0].access.array
        fetched = np.zeros(len(tile))
        for number, group in enumerate(waves.grid.groups):
            if group.walks[0].facts.access.array == array:
                fetched += waves.fetched(number)
        of_block = np.where(chosen, (region.copy.sectors * region.stagings)[tile], 0.0)
        of_grid = of_block * filled_blocks
        share = np.divide(fetched, of_grid, out=np.ones_like(of_grid), where=of_grid > 0)
        from_dram += np.minimum(1.0, share) * of_block
        copied += of_block
    return np.divide(from_dram, copied, out=np.zeros_like(copied), where=copied > 0)
