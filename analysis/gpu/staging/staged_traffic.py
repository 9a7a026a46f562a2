"""Where the bytes come from that blocks copy to shared memory: from DRAM once per wave, and again from L2."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.caches.waves import WaveTraffic
from warplens.analysis.gpu.launch.launches import Column


def staged_dram_share(waves: WaveTraffic, array: str, copied_sectors: Column) -> Column:
    """Share of what blocks stage of one array that L2 does not have, 0..1; 1 where they copy nothing.

    Equation: the sectors that the layer conditions of reuse.py let through L2 for the threads of one wave, over
    those that its blocks copy (staged_copy.py); what several blocks of a wave stage is fetched once.
    `waves` are those of all accesses of the kernel, `copied_sectors` those of the whole grid.
    Assumes: the blocks of a wave are in step, so that a chunk is in L2 while all of them copy it; the registers
    that the outputs need. Source: as `served_shares`.
    """
    fetched = np.zeros(len(copied_sectors))
    for number, group in enumerate(waves.grid.groups):
        if group.walks[0].facts.access.array == array:
            fetched += waves.fetched(number, copied_sectors)
    whole = np.ones_like(copied_sectors)
    share: Column = np.minimum(1.0, np.divide(fetched, copied_sectors, out=whole, where=copied_sectors > 0))
    return share


def staged_dram_waits(waves: WaveTraffic, array: str, copied_sectors: Column) -> Column:
    """Share of what blocks stage of one array that is on its way from device memory when they ask for it, 0..1.

    Equation: the sectors that come from there over those that each wave of blocks touches: blocks of a wave are in
    step, and wait together for what the first of them asks for.
    """
    share = np.zeros(len(copied_sectors))
    for number, group in enumerate(waves.grid.groups):
        if group.walks[0].facts.access.array == array:
            touched = waves.number * waves.wave.sectors(number, group.path)
            share = np.maximum(
                share, np.minimum(1.0, waves.fetched(number, copied_sectors) / np.maximum(1e-9, touched))
            )
    return share
