"""Warps of a block that have a thread in the grid: blocks that hang over its edge have warps that end at once.

A product of 2 x n outputs by blocks of 16 x 16 threads has work for one warp of eight in each block; the others hold
their registers as long as the block runs, and do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column, Table


def active_warps(iterations: Sequence[float], block: Integers, outputs: Integers, warp_size: int) -> Column:
    """Warps with a thread in the grid, the mean over a launch's blocks; at least 1 where a block has a thread.

    Shape: `iterations` of the grid along x, y, z; `block` and `outputs` per thread (launches, 3).
    Assumes: a block's threads are numbered x fastest; outputs along an axis are spread over all of its threads.
    """
    threads = np.minimum(np.ceil(np.array(iterations, dtype=np.float64) / outputs), 2.0**60)
    whole = np.floor(threads / block)
    rest = threads - whole * block
    blocks = whole + (rest > 0)
    total = np.zeros(len(block))
    for parts in product((False, True), repeat=3):
        covered = np.where(parts, rest, block)
        share = np.where(parts, rest > 0, whole).prod(axis=1)
        total += share * _warps_of(covered, block, warp_size)
    every = blocks.prod(axis=1)
    mean: Column = np.maximum(1.0, np.divide(total, every, out=np.ones_like(total), where=every > 0))
    return mean


def _warps_of(covered: Table, block: Integers, warp_size: int) -> Column:
    """Warps of a block of which so many threads along x, y, z are in the grid, from the first on.

    Exact where a row of the block is whole warps, or warps are whole rows; the most there can be elsewhere.
    """
    (x, y, z), (width, height, _) = covered.T, block.T
    last = ((z - 1) * height + y - 1) * width + x
    in_a_row = np.ceil(last / warp_size)
    by_rows = np.where(width % warp_size == 0, y * z * np.ceil(x / warp_size), in_a_row)
    # Where a plane of the block is whole warps, planes are apart.
    plane = width * height
    by_planes = np.where(plane % warp_size == 0, z * np.ceil(((y - 1) * width + x) / warp_size), in_a_row)
    warps: Column = np.where((covered > 0).all(axis=1), np.minimum(in_a_row, np.minimum(by_rows, by_planes)), 0.0)
    return warps
