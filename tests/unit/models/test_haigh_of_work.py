"""Haigh's model on nests: its sum, what it has beyond the paper, and that it always answers."""

from collections.abc import Callable
from math import isfinite

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.models.haigh_of_work import haigh_cost, haigh_time_s, predict_haigh
from warplens.analysis.models.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.work_of_launch import work_of
from warplens.hwprofiles.loader import gpu_names, load_gpu


def case(kernel: Kernel, n: int, block: tuple[int, int, int] = (256, 1, 1), gpu: str = "k20") -> KernelOnGpu:
    return kernel_on_gpu(kernel, LaunchConfig(block), {"n": n, "t": 3}, load_gpu(gpu))


def time_s(kernel: Kernel, n: int, block: tuple[int, int, int] = (256, 1, 1), gpu: str = "k20") -> float:
    return float(haigh_time_s(work_of(case(kernel, n, block, gpu)))[0])


@pytest.mark.parametrize("gpu", ["gtx580", "k20", "rtx2080ti", "a100"])
def test_a_long_stream_takes_its_bytes_over_the_bandwidth_and_its_instructions(vecadd: NestFacts, gpu: str) -> None:
    n = 2**26
    on = case(vecadd.kernels[0], n, gpu=gpu)
    cost = haigh_cost(work_of(on))
    assert float(cost.memory_s[0]) == pytest.approx(12 * n / on.gpu.dram.bandwidth_bytes_per_s, rel=0.02)
    assert 0 < float(cost.computation_s[0]) < 0.5 * float(cost.memory_s[0])


def test_the_breakdown_adds_up_and_names_the_largest_part(some_facts: NestFacts) -> None:
    prediction = predict_haigh(case(some_facts.kernels[0], 2048))
    parts = dict(prediction.breakdown_s)
    assert sum(parts.values()) == pytest.approx(prediction.time_s)
    assert min(parts.values()) >= 0
    assert prediction.bound_by in {"launch overhead", max(parts, key=lambda name: parts[name])}
    assert 0 < sum(spot.idle_share for spot in prediction.hotspots) <= 1 + 1e-9


def test_few_warps_leave_bandwidth_unused(vecadd: NestFacts) -> None:
    # One warp per block: 16 blocks of an SM hold 16 warps of the 64 that it has room for.
    few, many = (time_s(vecadd.kernels[0], 2**24, (threads, 1, 1)) for threads in (32, 256))
    assert few > 1.15 * many


def test_a_half_filled_gpu_does_half_the_work_in_the_same_time(heavy: Kernel) -> None:
    sms = load_gpu("k20").sm_count
    assert time_s(heavy, 256 * sms) == pytest.approx(time_s(heavy, 256 * (sms // 2)), rel=0.02)
    assert time_s(heavy, 256 * sms * 100) > 5 * time_s(heavy, 256 * sms)


def test_one_more_block_than_a_wave_costs_another_one(heavy: Kernel) -> None:
    on = case(heavy, 10**7, (1024, 1, 1))
    wave = on.occupancy.blocks_per_sm * on.gpu.sm_count
    full, beyond = (time_s(heavy, 1024 * blocks, (1024, 1, 1)) for blocks in (wave, wave + 1))
    assert 1.2 * full < beyond < 2.2 * full


@pytest.mark.parametrize("n", [-5, 0, 1, 33, 2**31, 2**62])
@pytest.mark.parametrize("gpu", gpu_names())
def test_any_size_on_any_gpu_has_an_answer(some_facts: NestFacts, gpu: str, n: int) -> None:
    prediction = predict_haigh(case(some_facts.kernels[0], n, (64, 1, 1), gpu))
    assert isfinite(prediction.time_s)
    assert prediction.time_s >= 0
    assert all(seconds >= 0 for _, seconds in prediction.breakdown_s)


@pytest.fixture
def heavy(facts_of: Callable[[str], NestFacts]) -> Kernel:
    """Two hundred dependent operations per element."""
    return facts_of(
        """void f(int n, double *restrict a) {
 for (int i = 0; i < n; i++) { double x = a[i]; for (int k = 0; k < 200; k++) x = x * 1.000001 + 0.5; a[i] = x; } }"""
    ).kernels[0]
