"""Which launches the search considers."""

from collections.abc import Callable

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launches import Launches
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launches.launch_space import launch_space
from warplens.hwprofiles.loader import load_gpu

VOLUME = """void f(int n, const float *restrict a, float *restrict o) {
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) for (int k = 0; k < n; k++)
 o[(i*n+j)*n+k] = a[(i*n+j)*n+k] * 2; }"""


def shapes(launches: Launches) -> set[tuple[int, ...]]:
    return {tuple(block) for block in launches.block.tolist()}


def test_a_line_has_every_multiple_of_the_warp_and_every_number_of_outputs(vecadd: NestFacts) -> None:
    launches = launch_space(SizedKernel(vecadd.kernels[0], {"n": 10**8}), load_gpu("k20"))
    assert shapes(launches) == {(threads, 1, 1) for threads in range(32, 1025, 32)}
    assert {x for x, _, _ in launches.outputs_per_thread.tolist()} == {1, 2, 3, 4, 5, 6, 8, 12, 16, 24, 32}
    assert launches.arrays == ()


def test_a_product_has_thousands_with_every_subset_of_its_arrays(matmul: NestFacts) -> None:
    launches = launch_space(SizedKernel(matmul.kernels[0], {"n": 4096}), load_gpu("rtx2080ti"))
    assert len(launches) >= 2000
    assert set(launches.arrays) == {"a", "b"}
    assert len({tuple(row) for row in launches.staged.tolist()}) == 4
    assert {(32, 8, 1), (16, 16, 1), (8, 8, 1), (256, 1, 1), (32, 32, 1), (4, 8, 1), (32, 9, 1)} <= shapes(launches)
    tiles = {(x, y) for x, y, _ in launches.outputs_per_thread.tolist()}
    assert {(1, 1), (2, 2), (4, 4), (8, 8), (8, 16), (16, 16), (1, 4), (4, 1), (1, 8)} <= tiles


@pytest.mark.parametrize("gpu", ["gtx460", "k20", "a100"])
def test_every_launch_is_whole_warps_within_the_limit_and_different(matmul: NestFacts, gpu: str) -> None:
    machine = load_gpu(gpu)
    launches = launch_space(SizedKernel(matmul.kernels[0], {"n": 1000}), machine)
    threads = launches.threads_per_block
    assert (threads % machine.warp_size_threads == 0).all()
    assert threads.max() == machine.occupancy.max_threads_per_block
    rows = np.concatenate((launches.block, launches.outputs_per_thread, launches.staged), axis=1)
    assert len(np.unique(rows, axis=0)) == len(rows)


@pytest.mark.parametrize("n", [1, 7, 20, 100])
def test_little_of_a_block_lies_beyond_a_small_grid(matmul: NestFacts, n: int) -> None:
    launches = launch_space(SizedKernel(matmul.kernels[0], {"n": n}), load_gpu("a100"))
    assert len(launches) > 0
    covered = launches.block * launches.outputs_per_thread
    several = launches.outputs_per_thread > 1
    assert (covered[several] < 2 * n).all()
    if n >= 20:
        assert (launches.block[:, :2] < 2 * n).all()


def test_a_volume_has_blocks_with_depth(facts_of: Callable[[str], NestFacts]) -> None:
    launches = launch_space(SizedKernel(facts_of(VOLUME).kernels[0], {"n": 256}), load_gpu("v100"))
    assert {(32, 2, 4), (8, 8, 4), (32, 8, 1)} <= shapes(launches)


def test_the_simplest_launches_come_first(matmul: NestFacts) -> None:
    launches = launch_space(SizedKernel(matmul.kernels[0], {"n": 4096}), load_gpu("k20"))
    count = len(shapes(launches))
    assert (launches.outputs_per_thread[:count] == 1).all()
    assert not launches.staged[:count].any()
