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


def active_warps(iterations: Sequence[float], block: Integers, outputs: Integers, warp_size: int) -> Column:
    """Warps of a block with a thread in the grid, the mean over all outputs that a launch's threads run one by one.

    Blocks count as often as their warps run an output (`outputs_run`), so that warps x outputs are those of the grid;
    at least 1. Shape: `iterations` of the grid along x, y, z; `block` and `outputs` per thread (launches, 3).
    Assumes: a block's threads are numbered x fastest; what a block that hangs over has along an axis is spread over all
    of its threads there, as it is along x.
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
        tile = size * each
        rest = extent % tile
        # Full blocks and one that hangs over: outputs that their threads run one by one, and threads of each block.
        full, over = (extent - rest) / tile * each, _whole_up(rest / size)
        ways.append(
            [(times, covered) for times, covered in ((full, size), (over, smaller(rest, size))) if is_ever(times > 0)]
        )
        every = every * (full + over)
    total: Number = 0.0
    for (x_times, x), (y_times, y), (z_times, z) in product(*ways):
        times = x_times * y_times * z_times
        total = total + either(times > 0, times * _warps_of(x, y, z, block, warp_size), 0.0)
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
