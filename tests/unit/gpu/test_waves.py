"""Blocks, waves and the tail."""

import pytest
from support.one_launch.placement import blocks_extent, wave_extent, waves
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.placement.grid_extents import threads_extent


@pytest.mark.parametrize(
    ("blocks", "expected"),
    [(0, (0, 0, 0.0)), (108, (1, 108, 0.5)), (216, (1, 216, 1.0)), (217, (2, 1, 217 / 432))],
)
def test_waves_and_tail(blocks: int, expected: tuple[int, int, float]) -> None:
    run = waves(blocks, 2, 108)
    assert (run.waves, run.tail_blocks, run.efficiency) == expected


def test_blocks_cover_the_grid(gemm: Kernel) -> None:
    threads = threads_extent(gemm, {"n": 1000})
    assert threads == (1000, 1000, 1)
    assert blocks_extent(threads, (32, 8, 1)) == (32, 125, 1)


@pytest.mark.parametrize(
    ("blocks", "wave", "expected"),
    [
        ((4, 4, 4), 3, (3, 1, 1)),
        ((4, 4, 4), 10, (4, 2.5, 1)),
        ((4, 4, 4), 33, (4, 4, 33 / 16)),
        ((4, 4, 4), 999, (4, 4, 4)),
    ],
)
def test_wave_is_a_box_filled_along_x(blocks, wave, expected) -> None:
    assert wave_extent(blocks, wave) == expected
