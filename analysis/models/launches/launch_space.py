"""Every launch that the search considers: block shapes, outputs per thread, and what is staged (Haigh & McCreath)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.mapping import Team
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launches import Launches
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.simulation.grid import grid_extents

Shape = tuple[int, int, int]

_OUTPUTS = (1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32)
"""Of a line of threads; the paper's F."""

_ALONG_AN_AXIS = (1, 2, 3, 4, 6, 8, 16, 32)

_TILES: tuple[tuple[int, int], ...] = (
    *((1, outputs) for outputs in _ALONG_AN_AXIS),
    *((outputs, 1) for outputs in _ALONG_AN_AXIS[1:]),
    (2, 2), (2, 4), (4, 2), (4, 4), (2, 8), (8, 2), (4, 8), (8, 4), (8, 8), (8, 16), (16, 8), (16, 16),
)  # fmt: skip
"""Outputs along x and y: lines in both directions, and tiles, which share loads in both."""

_DEPTHS = (2, 4, 8)
"""Extents along z besides 1, of 3-D blocks."""

_ROWS = (1, 2, 4, 8, 16, 32)
"""Rows of a block whose warps have one each."""

_MOST_ARRAYS = 4
"""Of which every subset is tried: more than four arrays that a block reads again are not seen, and 2^n would be."""


def launch_space(sized: SizedKernel, gpu: Gpu, pin: LaunchPin = FREE) -> Launches:
    """All configurations of a kernel on a GPU, those without staging and with one output first.

    N is every multiple of the warp up to the limit of a block. 2-D blocks of a power of two have every x extent that is
    one, from 4 on; blocks of other sizes are rows of one warp. Left out: blocks and outputs of which half or more
    lies beyond the grid along an axis. A launch that the GPU can't run for lack of registers or shared memory is still
    here: `KernelWork.is_launchable` says so. With a pin those that have what it says, where that is beyond these too;
    with one output where it does not say how many.
    Source: Haigh & McCreath, section 2 (N, F, subsets of the arrays), extended to 2-D and 3-D.
    Not modelled: outputs along z; more than four shareable arrays (the first ones are taken).
    """
    x, y, z = (*(min(max(1, extent), 2**31) for extent in grid_extents(sized.kernel, sized.sizes)), 1, 1)[:3]
    extents = x, y, z
    if sized.kernel.team is not None:
        return _of_team(sized.kernel.team, extents, gpu, pin)
    dimensions = len(sized.kernel.thread_order)
    blocks = _within(_blocks(dimensions, gpu), extents) if pin.block is None else np.array([pin.block], dtype=np.int64)
    outputs = np.ones((1, 3), dtype=np.int64) if sized.kernel.is_one_each else _outputs(dimensions)
    if pin != FREE and not sized.kernel.is_one_each:
        outputs = outputs[outputs.prod(axis=1) == (pin.work_per_thread or 1)]
    arrays = shareable_arrays(sized, gpu) if pin.shared is None else pin.shared
    choices = (False, True) if pin.shared is None else (True,)
    subsets = np.array(list(product(choices, repeat=len(arrays))), dtype=np.bool_).reshape(
        len(choices) ** len(arrays), len(arrays)
    )
    block, each = (axis.ravel() for axis in np.meshgrid(np.arange(len(blocks)), np.arange(len(outputs)), indexing="ij"))
    covered = blocks[block] * outputs[each]
    fits = ((outputs[each] == 1) | (covered < 2 * np.array(extents))).all(axis=1)
    if pin == FREE or fits.any():
        block, each = block[fits], each[fits]
    order = np.argsort(outputs[each].prod(axis=1), kind="stable")
    block, each = block[order], each[order]
    count = len(subsets)
    return Launches(
        np.tile(blocks.T[:, block], count).T,
        np.tile(outputs.T[:, each], count).T,
        arrays,
        np.repeat(subsets.T, len(block), axis=1).T,
    )


def _of_team(team: Team, extents: Shape, gpu: Gpu, pin: LaunchPin) -> Launches:
    """A block of one row, or of as many rows as it has warps; a pinned block where its first extent is the team."""
    most = gpu.occupancy.max_threads_per_block // team.threads if team.is_warp else 1
    rows = [rows for rows in _ROWS if rows <= most and (rows == 1 or rows < 2 * extents[1])]
    shapes = [(team.threads, each, 1) for each in rows]
    if pin.block is not None and pin.block in {(team.threads, each, 1) for each in range(1, most + 1)}:
        shapes = [pin.block]
    blocks = np.array(shapes, dtype=np.int64)
    return Launches(blocks, np.ones_like(blocks), (), np.zeros((len(blocks), 0), dtype=np.bool_))


def works_per_thread(kernel: Kernel) -> tuple[int, ...]:
    """Numbers of outputs that a thread may have, over all axes: one in a team, and of the points of tiles."""
    if kernel.is_one_each:
        return (1,)
    return tuple(sorted({int(outputs) for outputs in _outputs(len(kernel.thread_order)).prod(axis=1)}))


def blocks_of(sized: SizedKernel, gpu: Gpu) -> tuple[Shape, ...]:
    """Shapes of blocks that are searched."""
    launches = launch_space(sized, gpu, LaunchPin(shared=()))
    return tuple((x, y, z) for x, y, z in launches.block.tolist())


def shareable_arrays(sized: SizedKernel, gpu: Gpu) -> tuple[str, ...]:
    """Arrays of which a block of a common shape reads a region more often than once, the best to stage first."""
    warp = gpu.warp_size_threads
    shapes = (
        ((warp, 1, 1), (8 * warp, 1, 1)) if len(sized.kernel.thread_order) == 1 else ((warp, 8, 1), (warp // 2, 16, 1))
    )
    found = (choice.array for shape in shapes for choice in shared_opportunities(sized, shape, gpu))
    return tuple(dict.fromkeys(found))[:_MOST_ARRAYS]


def _blocks(dimensions: int, gpu: Gpu) -> NDArray[np.int64]:
    """Shapes of every number of whole warps that a block may have."""
    warp = gpu.warp_size_threads
    shapes: list[Shape] = []
    for threads in range(warp, gpu.occupancy.max_threads_per_block + 1, warp):
        if dimensions == 1:
            shapes.append((threads, 1, 1))
            continue
        for x in _x_extents(threads, warp):
            shapes.append((x, threads // x, 1))
            if dimensions == 3:
                shapes += [(x, threads // x // z, z) for z in _DEPTHS if threads // x % z == 0]
    return np.array(shapes, dtype=np.int64).reshape(-1, 3)


def _x_extents(threads: int, warp: int) -> Iterator[int]:
    """Of a power of two all powers of two from 4 on, of any other number the warp."""
    if threads & (threads - 1):
        yield warp
        return
    x = min(4, warp)
    while x <= threads:
        yield x
        x *= 2


def _outputs(dimensions: int) -> NDArray[np.int64]:
    shapes = [(outputs, 1, 1) for outputs in _OUTPUTS] if dimensions == 1 else [(x, y, 1) for x, y in _TILES]
    return np.array(shapes, dtype=np.int64)


def _within(shapes: NDArray[np.int64], extents: Shape) -> NDArray[np.int64]:
    """Shapes of which less than half is beyond the grid along every axis; the smallest where none is."""
    fits = ((shapes == 1) | (shapes < 2 * np.array(extents))).all(axis=1)
    return shapes[fits] if fits.any() else shapes[:1]
