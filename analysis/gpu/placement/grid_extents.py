"""The grid of a launch along x, y and z: its iterations, and the threads and outputs that run them."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil

from warplens.analysis.facts.nest_facts import GridLoop, Kernel
from warplens.analysis.gpu.launch.extent import Extent

ONE_OUTPUT: Extent = (1, 1, 1)
"""Outputs per thread along x, y, z: each thread runs one iteration of the grid loops."""


def threads_extent(kernel: Kernel, sizes: Mapping[str, int]) -> Extent:
    """Iterations of the grid along x, y, z, one thread each where a thread has one output (1 where there is no loop).

    An average trip count is rounded up.

    Raises KeyError for a parameter without value.
    """
    counts = [max(0, ceil(loop.trip_count.evaluate(sizes))) for loop in loops_in_thread_order(kernel)]
    x, y, z = (*counts, 1, 1, 1)[:3]
    return x, y, z


def tile_extent(block: Extent, outputs: Extent) -> Extent:
    """Iterations along x, y, z that a block covers."""
    x, y, z = (size * each for size, each in zip(block, outputs, strict=True))
    return x, y, z


def working_threads(iterations: int, block: int, outputs: int, axis: int) -> int:
    """Threads along an axis with an iteration to run: outputs lie a block apart along x, side by side along y and z.

    >>> working_threads(100, 8, 4, 0), working_threads(100, 8, 4, 1)
    (28, 25)
    """
    if axis or outputs == 1:
        return -(-iterations // outputs)
    whole, rest = divmod(iterations, block * outputs)
    return whole * block + min(block, rest)


def outputs_run(iterations: int, block: int, outputs: int, axis: int) -> float:
    """Outputs along an axis that a warp with work runs on average: what is beyond the grid is left out.

    Along x, where they lie a block apart, a warp of a block that is cut off leaves out its last ones. Side by side
    along y and z only the last thread has fewer: the others beyond the grid have none, nor do their warps
    (active_warps.py).

    >>> outputs_run(4096, 16, 8, 0), outputs_run(100, 8, 4, 0), outputs_run(10, 16, 8, 0)
    (8.0, 3.25, 1.0)
    >>> outputs_run(4096, 16, 8, 1), outputs_run(100, 8, 4, 1), outputs_run(10, 16, 8, 1)
    (8.0, 4.0, 5.0)
    """
    if axis:
        threads = working_threads(iterations, block, outputs, axis)
        return iterations / threads if threads else 1.0
    blocks = -(-iterations // (block * outputs))
    return -(-iterations // block) / blocks if blocks else 1.0


def loops_in_thread_order(kernel: Kernel) -> tuple[GridLoop, ...]:
    """Grid loops as x, y, z."""
    by_id = {loop.loop: loop for loop in kernel.grid}
    return tuple(by_id[loop] for loop in kernel.thread_order)
