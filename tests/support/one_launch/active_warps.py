"""Warps of a block with a thread in the grid: each thread of each kind of block is looked at."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

from warplens.analysis.gpu.launch.extent import Extent


def mean_active_warps(iterations: Extent, block: Extent, outputs: Extent, warp_size_threads: int) -> float:
    """Warps with a thread that has an iteration to run, the mean over the blocks of a launch; at least 1.

    Blocks count as often as their threads run an output along x.
    Blocks are alike along an axis but for the last one. Outputs lie a block apart along x, side by side along y and z.
    """
    kinds = [_kinds(*axis) for axis in zip(range(3), iterations, block, outputs, strict=True)]
    blocks, warps = 0, 0
    for (many_x, x), (many_y, y), (many_z, z) in product(*kinds):
        number = many_x * many_y * many_z
        blocks += number
        warps += number * _warps_with_work((x, y, z), block, warp_size_threads)
    return float(max(Fraction(1), Fraction(warps, blocks))) if blocks else 1.0


def _kinds(axis: int, iterations: int, size: int, outputs: int) -> list[tuple[int, int]]:
    """How many blocks along an axis, each as often as it counts, have so many threads with an iteration."""
    whole, rest = divmod(iterations, size * outputs)
    if axis == 0:
        kinds = (whole * outputs, size), (-(-rest // size), min(size, rest))
    else:
        kinds = (whole, size), (1, -(-rest // outputs))
    return [(number, some) for number, some in kinds if number and some]


def _warps_with_work(inside: Extent, block: Extent, warp_size_threads: int) -> int:
    coordinates = product(*(range(count) for count in inside))
    return len({(x + block[0] * (y + block[1] * z)) // warp_size_threads for x, y, z in coordinates})
