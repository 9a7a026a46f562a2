"""Haigh's model on nests: its sum, and what it has beyond the paper."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.haigh.haigh_of_work import HaighCost, haigh_cost, haigh_time_s, predict_haigh
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.hwprofiles.loader import load_gpu


def case(kernel: Kernel, n: int, block: tuple[int, int, int] = (256, 1, 1), gpu: str = "k20") -> KernelOnGpu:
    return kernel_on_gpu(SizedKernel(kernel, {"n": n, "t": 3}), LaunchConfig(block), load_gpu(gpu))


def cost(kernel: Kernel, n: int, block: tuple[int, int, int] = (256, 1, 1)) -> HaighCost:
    return haigh_cost(case(kernel, n, block).work)


def time_s(kernel: Kernel, n: int, block: tuple[int, int, int] = (256, 1, 1), gpu: str = "k20") -> float:
    return float(haigh_time_s(case(kernel, n, block, gpu).work)[0])


@pytest.mark.parametrize("gpu", ["gtx580", "k20", "rtx2080ti", "a100"])
def test_a_long_stream_takes_its_bytes_over_the_bandwidth_and_its_instructions(vecadd: NestFacts, gpu: str) -> None:
    n = 2**26
    on = case(vecadd.kernels[0], n, gpu=gpu)
    cost = haigh_cost(on.work)
    assert float(cost.memory_s[0]) == pytest.approx(12 * n / on.gpu.dram.bandwidth_bytes_per_s, rel=0.02)
    assert 0 < float(cost.computation_s[0]) < 0.5 * float(cost.memory_s[0])


def test_the_breakdown_adds_up_and_names_the_largest_part(some_facts: NestFacts) -> None:
    on = case(some_facts.kernels[0], 2048)
    prediction = predict_haigh(on)
    parts = dict(prediction.breakdown_s)
    assert sum(parts.values()) == pytest.approx(prediction.time_s)
    assert min(parts.values()) >= 0
    assert prediction.bound_by in {"launch overhead", max(parts, key=lambda name: parts[name])}
    assert prediction.time_s == pytest.approx(float(whole_launches_s(on.work, haigh_time_s(on.work))[0]), rel=1e-12)
    assert parts["launch overhead"] == on.gpu.kernel_start_s
    assert 0 < sum(spot.idle_share for spot in prediction.hotspots) <= 1 + 1e-9


def test_few_warps_leave_bandwidth_unused(vecadd: NestFacts) -> None:
    # One warp per block: 16 blocks of an SM hold 16 warps of the 64 that it has room for.
    few, many = (time_s(vecadd.kernels[0], 2**24, (threads, 1, 1)) for threads in (32, 256))
    assert few > 1.15 * many
    on = case(vecadd.kernels[0], 2**24, (32, 1, 1))
    parts = dict(predict_haigh(on).breakdown_s)
    assert parts["memory bandwidth"] == pytest.approx(12 * 2**24 / on.gpu.dram.bandwidth_bytes_per_s, rel=0.01)
    assert parts["memory latency"] > 0.1 * parts["memory bandwidth"]
    assert dict(predict_haigh(case(vecadd.kernels[0], 2**24)).breakdown_s)["memory latency"] < 1e-3 * many


def test_loads_that_do_not_wait_for_each_other_and_independent_instructions_fill_the_machine(vecadd: NestFacts) -> None:
    # One warp: neither bandwidth nor issue is used to the full, so twice as much in flight takes half the time.
    work = case(vecadd.kernels[0], 32, (32, 1, 1)).work
    one, two = haigh_cost(work), haigh_cost(replace(work, mlp=2 * work.mlp, ilp=2 * work.ilp))
    assert float(two.memory_s[0]) == pytest.approx(float(one.memory_s[0]) / 2)
    assert float(two.computation_s[0]) == pytest.approx(float(one.computation_s[0]) / 2)


def test_conflicts_in_shared_memory_are_computation(matmul: NestFacts) -> None:
    work = staged(matmul, 1024)
    free, conflicting = (haigh_cost(replace(work, conflict_degree=np.full((1, 3), degree))) for degree in (1.0, 32.0))
    assert float(conflicting.computation_s[0]) > 4 * float(free.computation_s[0])
    assert float(conflicting.memory_s[0]) == float(free.memory_s[0])


@pytest.mark.parametrize(("n", "barriers", "waits"), [(32, 1, False), (96, 6, True), (2048, 128, False)])
def test_the_only_block_of_an_sm_takes_twice_as_long_where_a_loop_synchronises(
    matmul: NestFacts, n: int, barriers: int, waits: bool
) -> None:
    # One block, nine on 13 SMs, and two per SM; a loop of one chunk has the barrier before it only.
    work = staged(matmul, n)
    found = haigh_cost(work)
    assert work.barriers_per_warp[0] == barriers
    assert float(found.synchronisation_s[0]) == pytest.approx(
        float(found.memory_s[0] + found.computation_s[0]) if waits else 0.0, abs=1e-18
    )


def test_a_half_filled_gpu_does_half_the_work_in_the_same_time(heavy: Kernel) -> None:
    sms = load_gpu("k20").sm_count
    assert time_s(heavy, 256 * sms) == pytest.approx(time_s(heavy, 256 * (sms // 2)), rel=0.02)
    assert time_s(heavy, 256 * sms * 100) > 5 * time_s(heavy, 256 * sms)


def test_a_block_alone_computes_as_long_and_has_the_bandwidth_for_itself(heavy: Kernel, vecadd: NestFacts) -> None:
    sms, block = load_gpu("k20").sm_count, (1024, 1, 1)
    alone, each = (cost(heavy, 1024 * blocks, block) for blocks in (1, sms))
    assert float(alone.computation_s[0]) == pytest.approx(float(each.computation_s[0]))
    alone, each = (cost(vecadd.kernels[0], 1024 * blocks, block) for blocks in (1, sms))
    assert float(alone.memory_s[0]) < 0.8 * float(each.memory_s[0])


def test_one_more_block_than_a_wave_costs_another_one(heavy: Kernel) -> None:
    on = case(heavy, 10**7, (1024, 1, 1))
    wave = on.occupancy.blocks_per_sm * on.gpu.sm_count
    works = [case(heavy, 1024 * blocks, (1024, 1, 1)).work for blocks in (wave, 1, wave + 1)]
    # A block's ends are short runs of device memory, which weigh more where it is the only one.
    full, one, beyond = (haigh_cost(replace(work, dram_run=works[-1].dram_run)) for work in works)
    # The last wave is that of a block with the GPU for itself.
    assert float(beyond.computation_s[0]) == pytest.approx(float(full.computation_s[0] + one.computation_s[0]))
    assert float(beyond.memory_s[0]) == pytest.approx(float(full.memory_s[0] + one.memory_s[0]))
    assert 1.2 * full.time_s[0] < beyond.time_s[0] < 2.2 * full.time_s[0]


def staged(matmul: NestFacts, n: int) -> KernelWork:
    """A product with tiles of 32 x 32 in shared memory."""
    gpu, kernel, block = load_gpu("k20"), matmul.kernels[0], (32, 32, 1)
    shared = shared_opportunities(SizedKernel(kernel, {"n": n}), block, gpu)
    assert len(shared) == 2
    return kernel_on_gpu(SizedKernel(kernel, {"n": n}), LaunchConfig(block, shared), gpu).work


@pytest.fixture
def heavy(facts_of: Callable[[str], NestFacts]) -> Kernel:
    """Two hundred dependent operations per element."""
    return facts_of(
        """void f(int n, double *restrict a) {
 for (int i = 0; i < n; i++) { double x = a[i]; for (int k = 0; k < 200; k++) x = x * 1.000001 + 0.5; a[i] = x; } }"""
    ).kernels[0]
