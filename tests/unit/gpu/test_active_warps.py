"""Warps with a thread in the grid: held against a count of every block's threads."""

from itertools import product
from math import ceil, prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from warplens.analysis.gpu.placement.active_warps import active_warps
from warplens.analysis.gpu.placement.grid_extents import outputs_run

WARP = 32
Extents = tuple[int, int, int]


def warps_and_outputs(iterations: Extents, block: Extents, outputs: Extents) -> float:
    """Sum over the blocks of their warps with a thread in the grid, each as often as it runs an output."""
    total = 0.0
    tile = [size * each for size, each in zip(block, outputs, strict=True)]
    for place in product(*(range(ceil(n / along)) for n, along in zip(iterations, tile, strict=True))):
        left = [min(along, n - at * along) for n, along, at in zip(iterations, tile, place, strict=True)]
        inside = [min(size, rest) for size, rest in zip(block, left, strict=True)]
        threads = product(range(inside[2]), range(inside[1]), range(inside[0]))
        warps = {((z * block[1] + y) * block[0] + x) // WARP for z, y, x in threads}
        total += len(warps) * prod(ceil(rest / size) for rest, size in zip(left, block, strict=True))
    return total


def predicted(iterations: Extents, block: Extents, outputs: Extents) -> float:
    """The same from the mean and what a warp runs on average."""
    (warps,) = active_warps(iterations, np.array([block]), np.array([outputs]), WARP)
    blocks = prod(ceil(n / (size * each)) for n, size, each in zip(iterations, block, outputs, strict=True))
    return float(warps) * blocks * prod(map(outputs_run, iterations, block, outputs))


extents = st.tuples(st.integers(1, 300), st.integers(1, 20), st.integers(1, 5))
few = st.tuples(st.integers(1, 4), st.integers(1, 4), st.integers(1, 2))
whole_rows = st.sampled_from([(32, 1, 1), (32, 8, 1), (64, 2, 1), (64, 3, 2), (32, 1, 4)])


@given(extents, whole_rows, few)
def test_where_rows_are_whole_warps_all_outputs_are_counted_once(
    iterations: Extents, block: Extents, outputs: Extents
) -> None:
    assert predicted(iterations, block, outputs) == pytest.approx(warps_and_outputs(iterations, block, outputs))


@given(extents, st.sampled_from([(16, 16, 1), (8, 4, 4), (48, 2, 1), (1, 128, 1), (5, 7, 2)]), few)
def test_elsewhere_no_warp_with_work_is_left_out(iterations: Extents, block: Extents, outputs: Extents) -> None:
    assert predicted(iterations, block, outputs) >= warps_and_outputs(iterations, block, outputs) * (1 - 1e-9)


def test_launches_are_counted_together_as_alone() -> None:
    blocks, outputs = np.array([(32, 8, 1), (512, 1, 1), (16, 16, 1)]), np.array([(1, 1, 1), (3, 1, 1), (1, 2, 1)])
    alone = [float(active_warps((2046, 2046, 1), blocks[i : i + 1], outputs[i : i + 1], WARP)[0]) for i in range(3)]
    assert active_warps((2046, 2046, 1), blocks, outputs, WARP).tolist() == pytest.approx(alone)


def test_a_block_that_hangs_over_has_its_last_outputs_side_by_side() -> None:
    """510 of 1536 iterations: each of 510 threads runs one, none of 170 runs three."""
    assert active_warps((2046, 1, 1), np.array([(512, 1, 1)]), np.array([(3, 1, 1)]), WARP).tolist() == [16.0]


def test_most_of_a_block_may_have_no_work() -> None:
    assert active_warps((1024, 2, 1), np.array([(16, 16, 1)]), np.array([(1, 1, 1)]), WARP).tolist() == [1.0]
