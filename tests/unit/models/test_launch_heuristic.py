"""5.2.1: the three bounds of warps per block, and the shapes beside it."""

from dataclasses import replace

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launches.launch_heuristic import (
    familiarity,
    heuristic_block,
    heuristic_launch,
    warps_per_block,
)
from warplens.hwprofiles.loader import gpu_names, load_gpu


@pytest.mark.parametrize(("n", "warps"), [(1, 1), (224, 1), (225, 2), (1024, 5), (7 * 32 * 31, 31), (10**9, 32)])
def test_the_work_is_spread_over_the_sms(vecadd: NestFacts, n: int, warps: int) -> None:
    assert warps_per_block(SizedKernel(vecadd.kernels[0], {"n": n}), load_gpu("gtx460"), 16, 0.0) == warps


@pytest.mark.parametrize(("registers", "warps"), [(16, 32), (32, 32), (63, 16)])
def test_registers_leave_room_for_fewer_warps(vecadd: NestFacts, registers: int, warps: int) -> None:
    assert warps_per_block(SizedKernel(vecadd.kernels[0], {"n": 10**9}), load_gpu("gtx460"), registers, 0.0) == warps


def test_shared_memory_leaves_room_for_fewer_warps(vecadd: NestFacts) -> None:
    # 48 kB / (32 threads · 96 B)
    assert warps_per_block(SizedKernel(vecadd.kernels[0], {"n": 10**9}), load_gpu("gtx460"), 16, 96.0) == 16


def test_two_dimensions_put_the_warp_along_x(matmul: NestFacts) -> None:
    kernel = matmul.kernels[0]
    assert heuristic_block(SizedKernel(kernel, {"n": 4096}), load_gpu("a100"), 32) == (32, 32, 1)
    assert heuristic_block(SizedKernel(kernel, {"n": 64}), load_gpu("a100"), 32) == (32, 2, 1)


@pytest.mark.long
@pytest.mark.parametrize("name", gpu_names())
def test_the_block_is_within_the_limits(some_facts: NestFacts, name: str) -> None:
    gpu = load_gpu(name)
    for n in (0, 1, 100, 10**6):
        launch = heuristic_launch(SizedKernel(some_facts.kernels[0], {"n": n, "t": 5}), gpu)
        assert 1 <= launch.threads_per_block <= gpu.occupancy.max_threads_per_block
        assert launch == LaunchConfig(launch.block)


def test_a_kernel_with_many_registers_gets_smaller_blocks(vecadd: NestFacts) -> None:
    kernel = replace(vecadd.kernels[0], register_pressure=255)
    assert heuristic_launch(SizedKernel(kernel, {"n": 10**8}), load_gpu("a100")).threads_per_block <= 256


def test_familiar_shapes_come_before_others() -> None:
    blocks = np.array([(32, 8, 1), (4, 8, 1), (16, 16, 1), (32, 8, 2)])
    first, unknown, square, deep = familiarity(blocks).tolist()
    assert first < square < unknown == deep
