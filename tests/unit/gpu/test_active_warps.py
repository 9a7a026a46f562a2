"""Warps with a thread in the grid, against each thread of each block."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.one_launch.active_warps import mean_active_warps
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.active_warps import active_warps
from warplens.analysis.gpu.placement.grid_extents import outputs_run, working_threads
from warplens.analysis.simulation.grid import grid

Extent = tuple[int, int, int]


def mean_of(iterations: Extent, block: Extent, outputs: Extent = (1, 1, 1), warp: int = 32) -> float:
    return float(active_warps(iterations, np.array([block]), np.array([outputs]), warp)[0])


def threads_at_work(iterations: Extent, block: Extent, outputs: Extent) -> dict[Extent, set[int]]:
    """Numbers of the threads with an iteration, for each block: found by what each thread runs."""
    found: dict[Extent, set[int]] = {}
    for point in product(*(range(count) for count in iterations)):
        places = []
        for axis, (at, size, each) in enumerate(zip(point, block, outputs, strict=True)):
            number, inside = divmod(at, size * each)
            places.append((number, inside % size if axis == 0 else inside // each))
        (bx, x), (by, y), (bz, z) = places
        found.setdefault((bx, by, bz), set()).add(x + block[0] * (y + block[1] * z))
    return found


def extents(largest: int) -> st.SearchStrategy[Extent]:
    return st.tuples(*[st.integers(1, largest)] * 3)


@settings(max_examples=examples(400))
@given(extents(12), extents(7), extents(3), st.sampled_from([2, 4, 8, 32]))
def test_of_small_blocks_each_iteration_is_looked_at(
    iterations: Extent, block: Extent, outputs: Extent, warp: int
) -> None:
    at_work = threads_at_work(iterations, block, outputs)
    warps = {place: len({thread // warp for thread in threads}) for place, threads in at_work.items()}
    # Each block as often as its threads run an output along x: all of them together are what warps run.
    width, each = block[0], outputs[0]
    times = {place: min(each, -(-(iterations[0] - place[0] * width * each) // width)) for place in warps}
    run = sum(times[place] * number for place, number in warps.items())
    assert mean_of(iterations, block, outputs, warp) == pytest.approx(run / sum(times.values()))
    assert sum(times.values()) / len(times) == pytest.approx(outputs_run(iterations[0], width, each, 0))
    along = zip(iterations, block, outputs, range(3), strict=True)
    assert sum(map(len, at_work.values())) == np.prod([working_threads(*axis) for axis in along])


@settings(max_examples=examples(300))
@given(extents(5000), extents(40), extents(5))
def test_the_oracle_agrees_on_large_grids(iterations: Extent, block: Extent, outputs: Extent) -> None:
    assert mean_of(iterations, block, outputs) == pytest.approx(mean_active_warps(iterations, block, outputs, 32))


@given(st.lists(st.tuples(extents(40), extents(3)), min_size=1, max_size=6), extents(100))
def test_launches_together_are_each_alone(launches: list[tuple[Extent, Extent]], iterations: Extent) -> None:
    block, outputs = (np.array(each) for each in zip(*launches, strict=True))
    alone = [mean_of(iterations, *launch) for launch in launches]
    assert active_warps(iterations, block, outputs, 32).tolist() == alone


@pytest.mark.parametrize(
    ("iterations", "block", "outputs", "expected"),
    [
        # The example of the module: two of 16 rows.
        ((4096, 2, 1), (16, 16, 1), (1, 1, 1), 1.0),
        # One warp of the second block of two.
        ((129, 1, 1), (128, 1, 1), (1, 1, 1), 2.5),
        # 510 of 1536 iterations: each of 510 threads runs one, none of 170 runs three. Ten of them are one warp once.
        ((2046, 1, 1), (512, 1, 1), (3, 1, 1), 16.0),
        ((1546, 1, 1), (512, 1, 1), (3, 1, 1), (3 * 16 + 1) / 4),
        # Outputs lie a block apart along x, so that all threads have the first of their four.
        ((128, 1, 1), (128, 1, 1), (4, 1, 1), 4.0),
        # Side by side along y: 4 rows of threads have all 16 outputs.
        ((32, 16, 1), (32, 16, 1), (1, 4, 1), 4.0),
        # A row of each plane, and planes of 168 threads, which begin in the middle of warps: 0-7, 168-175, 336-343.
        ((8, 1, 3), (8, 21, 3), (1, 1, 1), 3.0),
        # Rows begin where a warp does, or 0, 28, 24, ... threads in: 24 of them reach into two warps from 12 on.
        ((24, 8, 1), (96, 8, 1), (1, 1, 1), 8.0),
        ((24, 8, 1), (60, 8, 1), (1, 1, 1), 13.0),
        ((0, 5, 1), (32, 1, 1), (1, 1, 1), 1.0),
    ],
)
def test_blocks_that_hang_over(iterations: Extent, block: Extent, outputs: Extent, expected: float) -> None:
    assert mean_of(iterations, block, outputs) == expected


def test_of_a_grid_beyond_all_numbers_nearly_all_blocks_are_whole() -> None:
    assert mean_of((2**200, 2**100, 10**60), (8, 8, 4)) == 8.0


def test_a_launch_has_the_warps_of_its_blocks(gemm: Kernel) -> None:
    run = grid(gemm, LaunchConfig((16, 16, 1)), {"n": 18}, 32)
    # Blocks of 16 x 16, 2 x 16, 16 x 2 and 2 x 2 threads.
    assert run.active_warps_per_block == (8 + 8 + 1 + 1) / 4
    assert (run.warps_per_block, run.simulated_warps_per_block, run.warps) == (8, 4, 18)
