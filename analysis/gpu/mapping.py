"""Threads of a warp as iterator values: CUDA's linearisation, x fastest."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.extent import Extent
from warplens.analysis.gpu.waves import loops_in_thread_order

Lanes = NDArray[np.int64]

_FAR_ELEMENTS = tuple(2**12 * (2 ** (16 + 12 * axis) + 1) for axis in range(3))
"""Along x, y and z: whole lines whatever an element's size is, and no sum of coordinates in a block meets another."""


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


def iterator_values(kernel: Kernel, iterations: Lanes, sizes: Mapping[str, int]) -> dict[str, Lanes]:
    """Values of the grid iterators for coordinates in the grid (`warp_lanes`, `first_iterations`).

    What data adds to a subscript has one too, where grid loops change it: a number of lines, far from that of any other
    coordinate along those loops (Resios ch. 6: an unknown stride is one transaction per thread).
    """
    loops = loops_in_thread_order(kernel)
    values = {
        loop.iterator: wrapped(loop.start.evaluate(_known(loop.start.symbols, sizes))) + loop.step * iterations[axis]
        for axis, loop in enumerate(loops)
    }
    for name, moved_by in (unknown for facts in kernel.accesses for unknown in facts.unknown):
        axes = [axis for axis, loop in enumerate(loops) if loop.loop in moved_by]
        if axes:
            values[name] = sum(_FAR_ELEMENTS[axis] * iterations[axis] for axis in axes)
    return values


def wrapped(value: int) -> int:
    """Value modulo 2^64 as a signed number: distances and alignment of addresses stay right for any problem size."""
    return (value + 2**63) % 2**64 - 2**63


def _all_alike(block: Extent, threads: Extent, warp_size: int) -> bool:
    if any(count < size for count, size in zip(threads, block, strict=True)):
        return False
    if block[0] % warp_size == 0:
        return True
    plane = block[0] * block[1]
    planes_fill_warps = warp_size % plane == 0 and plane * block[2] % warp_size == 0
    return warp_size % block[0] == 0 and (plane % warp_size == 0 or planes_fill_warps)


def _known(symbols: frozenset[str], sizes: Mapping[str, int]) -> dict[str, int]:
    """Values of the symbols; iterators of loops around the kernel and of other grid loops stand at 0."""
    return {name: sizes.get(name, 0) for name in symbols}
