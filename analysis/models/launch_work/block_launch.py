"""How long an SM takes to start its blocks: what blocks that do little wait for."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu


def least_cycles(gpu: Gpu, blocks: Column, resident_blocks_per_sm: Column, alone_cycles: Column) -> Column:
    """Cycles until an SM's last block has taken the place of another and run, 0 where the profile has no interval.

    `alone_cycles` is how long a block takes with the SM for itself.
    On Kepler sums of vectors in blocks of 64 take the same cycles per block on two GPUs with other clocks and memories,
    at all lengths, and longer than their bytes take. An extension of Resios' model; the models of the other papers
    have no place for it.
    Assumes: blocks spread evenly. Not modelled: the start of the first blocks, for which there is room at once.
    """
    later: Column = np.maximum(0.0, blocks / gpu.sm_count - np.maximum(1.0, resident_blocks_per_sm))
    if gpu.block_launch_cycles is None:
        return np.zeros_like(later)
    return np.where(later > 0, later * gpu.block_launch_cycles + alone_cycles, 0.0)
