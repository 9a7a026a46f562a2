"""Warps of a block that have a thread in the grid: blocks that hang over its edge have warps that end at once.

A product of 2 x n outputs by blocks of 16 x 16 threads has work for one warp of eight in each block; the others hold
their registers as long as the block runs, and do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.launch.numbers import Number, as_number, either, is_ever, larger, smaller

_MOST_THREADS = 2.0**60
"""Of a grid along an axis."""


def active_warps(iterations: Sequence[float], block: Integers, outputs: Integers, warp_size: int) -> Column:
    """Warps with a thread in the grid, the mean over a launch's blocks; at least 1 where a block has a thread.

    Shape: `iterations` of the grid along x, y, z; `block` and `outputs` per thread (launches, 3).
    Assumes: a block's threads are numbered x fastest; outputs along an axis are spread over all of its threads.
    """
    sizes = [as_number(axis) for axis in block.T.astype(np.float64)]
    each = [as_number(axis) for axis in outputs.T.astype(np.float64)]
    mean = mean_active_warps(iterations, sizes, each, warp_size)
    return np.full(len(block), mean) if isinstance(mean, float) else mean


def mean_active_warps(
    iterations: Sequence[float], block: Sequence[Number], outputs: Sequence[Number], warp_size: int
) -> Number:
    """The same of numbers along x, y, z, or of columns."""
    ways: list[list[tuple[Number, Number]]] = []
    every: Number = 1.0
    for extent, size, each in zip(iterations, block, outputs, strict=True):
        threads = smaller(_whole_up(extent / each), _MOST_THREADS)
        whole = threads // size
        rest = threads - whole * size
        # Blocks along the axis, with the threads of each in the grid: full ones, and one that hangs over.
        hangs_over = either(rest > 0, 1.0, 0.0)
        ways.append(
            [(number, covered) for number, covered in ((whole, size), (hangs_over, rest)) if is_ever(number > 0)]
        )
        every = every * (whole + hangs_over)
    total: Number = 0.0
    for (x_blocks, x), (y_blocks, y), (z_blocks, z) in product(*ways):
        blocks = x_blocks * y_blocks * z_blocks
        total = total + either(blocks > 0, blocks * _warps_of(x, y, z, block, warp_size), 0.0)
    return larger(1.0, total / larger(1.0, every))


def _warps_of(x: Number, y: Number, z: Number, block: Sequence[Number], warp_size: int) -> Number:
    """Warps of a block of which so many threads along x, y, z are in the grid, from the first on.

    Exact where a row of the block is whole warps, or warps are whole rows; the most there can be elsewhere.
    """
    width, height, _ = block
    plane = width * height
    in_a_row = _whole_up(((z - 1) * plane + (y - 1) * width + x) / warp_size)
    by_rows = either(width % warp_size == 0, y * z * _whole_up(x / warp_size), in_a_row)
    # Where a plane of the block is whole warps, planes are apart.
    by_planes = either(plane % warp_size == 0, z * _whole_up(((y - 1) * width + x) / warp_size), in_a_row)
    return smaller(in_a_row, smaller(by_rows, by_planes))


def _whole_up(number: Number) -> Number:
    """Rounded up to a whole number, as a floating-point number."""
    return -(-number // 1)
