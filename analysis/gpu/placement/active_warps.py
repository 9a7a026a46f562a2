"""Warps of a block that have a thread in the grid: blocks that hang over its edge have warps that end at once.

A product of 2 x n outputs by blocks of 16 x 16 threads has work for one warp of eight in each block; the others hold
their registers as long as the block runs, and do nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column, Flags, Table


def active_warps(iterations: Sequence[float], block: Integers, outputs: Integers, warp_size: int) -> Column:
    """Warps with a thread in the grid, the mean over a launch's blocks; at least 1, also of a grid without threads.

    Blocks count as often as their threads run an output along x: warps x outputs (`outputs_run`) are those of the grid.
    Shape: `iterations` of the grid along x, y, z; `block` and `outputs` per thread (launches, 3).
    Assumes: a block's threads are numbered x fastest; outputs lie a block apart along x, side by side along y and z.
    """
    tile = block * outputs
    extents = np.array(iterations, dtype=np.float64)
    whole = np.floor(extents / tile)
    left = np.clip(extents - whole * tile, 0.0, tile)
    rest = np.ceil(left / outputs)
    rest[:, 0] = np.minimum(block[:, 0], left[:, 0])
    runs = np.ceil(left[:, 0] / block[:, 0])
    total, every = np.zeros(len(block)), np.zeros(len(block))
    # Blocks are whole or cut off along each axis: eight kinds at most.
    for is_cut in product((False, True), repeat=3):
        number = np.where(is_cut, rest > 0, whole).prod(axis=1) * (runs if is_cut[0] else outputs[:, 0])
        if number.any():
            every += number
            total += number * _warps_of(np.where(is_cut, rest, block), block, warp_size)
    mean: Column = np.maximum(1.0, np.divide(total, every, out=np.ones_like(total), where=every > 0))
    return mean


def _warps_of(covered: Table, block: Integers, warp_size: int) -> Column:
    """Warps of a block of which so many threads along x, y, z are in the grid, from the first on.

    Fewer idle threads in a row than a warp has leave no warp idle: those that are in the grid are one run. Others part
    rows, or else planes, and no warp has threads of two parts.
    """
    (x, y, z), (width, height, _) = covered.T, block.T
    in_plane = (y - 1) * width + x
    rows_apart, planes_apart = width - x >= warp_size, width * height - in_plane >= warp_size
    run = np.where(rows_apart, x, np.where(planes_apart, in_plane, in_plane + (z - 1) * width * height))
    runs = np.where(rows_apart, y * z, np.where(planes_apart, z, 1.0))
    warps: Column = runs * np.ceil(run / warp_size)
    distance = np.where(rows_apart, width, width * height)
    inside_warps = (rows_apart | planes_apart) & (distance % warp_size != 0)
    if inside_warps.any():
        per_plane = np.where(rows_apart, height, 1)
        kept = np.stack((run, distance, np.where(rows_apart, y, 1.0), per_plane, z))[:, inside_warps]
        warps[inside_warps] = _warps_of_runs(kept, warp_size)
    return warps


def _warps_of_runs(runs: Table, warp_size: int) -> Column:
    """Warps that runs of threads reach into, which begin anywhere in a warp.

    Shape: `runs` (5, launches): threads of a run, threads from one to the next, the runs of a plane that are in the
    grid and all of them, and planes.
    """
    length, distance, present, per_plane, planes = runs[:, :, None]
    number = np.arange(float((per_plane * planes).max()))
    plane, place = np.divmod(number, per_plane)
    is_run: Flags = (plane < planes) & (place < present)
    begin = number * distance
    reached = np.floor((begin + length - 1) / warp_size) - np.floor(begin / warp_size) + 1
    warps: Column = np.where(is_run, reached, 0.0).sum(axis=1)
    return warps
