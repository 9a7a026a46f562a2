"""Blocks that do little wait for the SM to start them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.block_launch import least_cycles
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.resios.kernel_time import BLOCK_LAUNCH_ASSUMPTION, kernel_time_s, predict_kernel
from warplens.analysis.models.resios.resios_estimate import estimated_time_s
from warplens.hwprofiles.loader import load_gpu

N = 1 << 24


def times_s(facts: NestFacts, gpu: Gpu, threads: int) -> tuple[float, float]:
    case = kernel_on_gpu(SizedKernel(facts.kernels[0], {"n": N}), LaunchConfig((threads, 1, 1)), gpu)
    return kernel_time_s(case), float(estimated_time_s(case.work)[0])


def test_a_block_starts_an_interval_after_the_one_before() -> None:
    gpu = replace(load_gpu("k20"), block_launch_cycles=50.0)
    blocks, resident, alone = np.array([0.0, 13.0, 1300.0]), np.full(3, 16.0), np.full(3, 700.0)
    assert least_cycles(gpu, blocks, resident, alone).tolist() == [0.0, 0.0, 84 * 50.0 + 700.0]
    assert not least_cycles(replace(gpu, block_launch_cycles=None), blocks, resident, alone).any()


@pytest.mark.parametrize("name", ["k20", "gtx680"])
def test_small_blocks_of_a_vector_sum_take_the_interval_on_kepler(vecadd: NestFacts, name: str) -> None:
    gpu = load_gpu(name)
    assert gpu.block_launch_cycles is not None
    least_s = N / 64 / gpu.sm_count * gpu.block_launch_cycles / gpu.clock_hz
    assert times_s(vecadd, gpu, 64) == pytest.approx((least_s, least_s), rel=0.01)


@pytest.mark.parametrize("name", ["k20", "gtx680"])
def test_large_blocks_do_not_wait_for_it(vecadd: NestFacts, name: str) -> None:
    gpu = load_gpu(name)
    assert times_s(vecadd, gpu, 256) == times_s(vecadd, replace(gpu, block_launch_cycles=None), 256)


def test_a_prediction_adds_up_and_says_where_the_interval_is_not_known(vecadd: NestFacts) -> None:
    known = load_gpu("k20")
    unknown = replace(known, block_launch_cycles=None)
    for gpu, is_assumed in ((known, False), (unknown, True)):
        prediction = predict_kernel(
            kernel_on_gpu(SizedKernel(vecadd.kernels[0], {"n": N}), LaunchConfig((64, 1, 1)), gpu)
        )
        assert sum(seconds for _, seconds in prediction.breakdown_s) == pytest.approx(prediction.time_s)
        assert (BLOCK_LAUNCH_ASSUMPTION in prediction.assumptions) == is_assumed
