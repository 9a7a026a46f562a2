"""Threads of the warps of one block: CUDA's linearisation, x fastest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.placement.warp_lanes import Lanes


def warp_lanes(block: Extent, threads: Extent, warp_size: int) -> tuple[Lanes, NDArray[np.bool_]]:
    """Thread coordinates of the warps of a block, and which lanes are active.

    Shape: coordinates (3, warps, lanes) as x, y, z; thread id = x + bx·(y + by·z), 32 in a row are a warp. A lane is
    inactive past the block's last thread or past the grid's extent `threads` (first block). Warps that are alike up to
    a shift (x extent a multiple of the warp or the warp one of the plane) are given once.
    Source: CUDA C++ Programming Guide, Thread Hierarchy.
    """
    per_block = block[0] * block[1] * block[2]
    warps = -(-per_block // warp_size)
    if _all_alike(block, threads, warp_size):
        warps = 1
    thread = np.arange(warps * warp_size, dtype=np.int64).reshape(warps, warp_size)
    lanes: Lanes = np.empty((3, *thread.shape), dtype=np.int64)
    x, y, z = lanes
    row, x[:] = np.divmod(thread, block[0])
    z[:], y[:] = np.divmod(row, block[1])
    active = (thread < per_block) & (x < threads[0]) & (y < threads[1]) & (z < threads[2])
    return lanes, active


def first_iterations(lanes: Lanes, steps: Extent) -> Lanes:
    """Coordinates of the first output of each thread; `steps` are the iterations between neighbouring threads."""
    return lanes if steps == (1, 1, 1) else lanes * np.array(steps, dtype=np.int64)[:, None, None]


def _all_alike(block: Extent, threads: Extent, warp_size: int) -> bool:
    if any(count < size for count, size in zip(threads, block, strict=True)):
        return False
    if block[0] % warp_size == 0:
        return True
    plane = block[0] * block[1]
    planes_fill_warps = warp_size % plane == 0 and plane * block[2] % warp_size == 0
    return warp_size % block[0] == 0 and (plane % warp_size == 0 or planes_fill_warps)
