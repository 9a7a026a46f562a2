"""Elements to add to a tile's rows, so that the threads of a warp read from different banks.

Source: CUDA C++ Best Practices Guide, Shared Memory in Matrix Multiplication (C = AA^T): a tile of 32 + 1 columns.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT
from warplens.analysis.gpu.placement.tiles import tiles_of
from warplens.analysis.gpu.placement.warp_lanes import Lanes
from warplens.analysis.gpu.staging.bank_conflicts import row_conflict_degrees

_MOST_PAD_ELEMENTS = 4


def best_pad(
    moves: Sequence[Sequence[tuple[int, int, int]]],
    widths: Sequence[int],
    block: Extent,
    element_bytes: int,
    gpu: Gpu,
) -> int:
    """Pad of the innermost dimension with the fewest passes over all reads of a warp; the smallest of equals.

    `moves` has for each read, per dimension of the tile, the elements by which neighbouring threads along x, y and z
    are apart. Not modelled: members of a structure that are read for themselves.

    >>> from warplens.hwprofiles.loader import load_gpu
    >>> column = [((1, 0, 0), (0, 1, 0))]
    >>> best_pad(column, (32, 32), (32, 8, 1), 4, load_gpu("a100"))
    1
    """
    if len(widths) < 2:
        return 0
    warps = tiles_of(np.array([block]), np.array([ONE_OUTPUT]), block, gpu.warp_size_threads).rows
    fewest, best = None, 0
    for pad in range(_MOST_PAD_ELEMENTS + 1):
        passes = 0
        for read in moves:
            addresses = _addresses(read, (*widths[:-1], widths[-1] + pad), warps.iterations) * element_bytes
            passes += int(row_conflict_degrees(addresses, warps.active, element_bytes, gpu.shared).sum())
        if fewest is None or passes < fewest:
            fewest, best = passes, pad
    return best


def _addresses(read: Sequence[tuple[int, int, int]], widths: Sequence[int], lanes: Lanes) -> Lanes:
    """Elements from the tile's start at which each lane reads, up to what is the same for all."""
    total: Lanes = np.zeros(lanes.shape[1:], dtype=np.int64)
    for (x, y, z), width in zip(read, widths, strict=True):
        total = total * width + lanes[0] * x + lanes[1] * y + lanes[2] * z
    return total
