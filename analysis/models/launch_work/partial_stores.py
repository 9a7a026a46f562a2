"""Stores of parts of sectors: L2 takes them at a rate of their own, far below that of whole sectors.

On one H100 transposes of 2048 and of 8192 rows, by blocks of 32 x 8 and of 8 x 32, a stencil by blocks of 8 x 32 whose
rows start off a sector, and a scatter into memory that L2 holds all made 51 to 55 thousand million of them a second,
whatever they loaded meanwhile (tests/accuracy/gpu_day/results), a fifth of what L2 moves in whole sectors.
Assumes: stores of a thread to one record are put together before they reach L2, as those to three members of a
structure of eight numbers were there.
Not modelled: outputs of a thread in a row, which are put together in part; data beyond L2, where memory reads the rest
of each sector first.
"""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.launch_work.kernel_work import KernelWork


def partial_stores_s(work: KernelWork) -> Column:
    """Seconds that no launch is faster than, for the parts of sectors that it stores; 0 where nobody measured those."""
    per_s = work.gpu.l2.partial_stores_per_s
    if per_s is None:
        return np.zeros(len(work.blocks))
    stored: Column = (work.requests_per_warp * work.partial_sectors_per_request).sum(axis=1) * work.warps
    return stored / per_s
