"""MWP-CWP fed from a nest: transactions by compute capability, what counts as a memory instruction, the prediction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from math import isfinite

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.mwp_cwp.mwp_cwp import COMPUTATION_BOUND, MEMORY_BOUND, NO_MEMORY, NOT_ENOUGH_WARPS
from warplens.analysis.models.mwp_cwp.mwp_cwp_of_work import (
    CASES,
    mwp_cwp_inputs,
    mwp_cwp_of_work,
    mwp_cwp_summary,
    mwp_cwp_time_s,
    predict_mwp_cwp,
)
from warplens.analysis.models.mwp_cwp.mwp_cwp_requests import requests_of
from warplens.hwprofiles.loader import gpu_names, load_gpu

SHIFTED = """void f(int n, const float *restrict a, float *restrict b) {
 for (int i = 0; i < n; i++) b[i] = a[i + 1]; }"""
FILL = "void f(int n, float *a) { for (int i = 0; i < n; i++) a[i] = 1.0f; }"
NO_ACCESS = "void f(int n) { for (int i = 0; i < n; i++) { float x = i; x = x * 0.5f; } }"
MANY_STEPS = """void f(int n, float *restrict a) { for (int i = 0; i < n; i++) {
 float x = a[i]; for (int k = 0; k < 1000; k++) x = x * 1.000001f + 0.5f; a[i] = x; } }"""
K20 = load_gpu("k20")
KINDS_OF_GPU = ("fx5600", "gtx580", "k20", "a100", "mi250x")


def case_of(
    facts: NestFacts, gpu: Gpu = K20, block: tuple[int, int, int] | None = None, n: int = 2**20, shared: bool = False
) -> KernelOnGpu:
    kernel = facts.kernels[0]
    if len(kernel.grid) > 1:
        n = min(n, 4096)
    shape = block or ((256, 1, 1) if len(kernel.grid) == 1 else (32, 8, 1))
    sizes = {"n": n, "t": 10}
    choices = shared_opportunities(SizedKernel(kernel, sizes), shape, gpu) if shared else ()
    return kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(shape, choices), gpu)


@pytest.mark.parametrize("name", KINDS_OF_GPU)
@pytest.mark.parametrize(("n", "shared"), [(0, False), (1, False), (1000, True), (2**20, True), (2**62, False)])
def test_every_number_is_finite_and_adds_up(some_facts: NestFacts, name: str, n: int, shared: bool) -> None:
    case = case_of(some_facts, load_gpu(name), n=n, shared=shared)
    made = predict_mwp_cwp(case)
    assert isfinite(made.time_s)
    assert (made.time_s > 0) == (n > 0)
    assert sum(seconds for _, seconds in made.breakdown_s) == pytest.approx(made.time_s, rel=1e-12)
    assert all(seconds >= 0 for _, seconds in made.breakdown_s)
    whole_s = whole_launches_s(case.work, mwp_cwp_time_s(case.work))
    assert made.time_s == pytest.approx(float(whole_s[0]), rel=1e-12)
    assert sum(spot.idle_share for spot in made.hotspots) <= 1 + 1e-9
    summary = mwp_cwp_summary(case)
    assert isfinite(summary.mwp)
    assert isfinite(summary.cycles_per_instruction)
    assert summary.case in CASES.values()


@pytest.mark.long
@pytest.mark.parametrize("name", gpu_names())
@pytest.mark.parametrize("block", [(64, 1, 1), (32, 1, 1), (1, 1, 1)])
def test_every_profile_has_a_time(vecadd: NestFacts, name: str, block: tuple[int, int, int]) -> None:
    assert 0 < predict_mwp_cwp(case_of(vecadd, load_gpu(name), block)).time_s < 1


@pytest.mark.parametrize("name", ["gtx280", "k20", "a100"])
@pytest.mark.parametrize(("n", "threads"), [(1, 1), (1000, 33), (2**20, 64), (2**20, 1024)])
def test_more_bandwidth_or_less_latency_is_never_slower(some_facts: NestFacts, name: str, n: int, threads: int) -> None:
    case = case_of(some_facts, load_gpu(name), (threads, 1, 1), n)
    now = predict_mwp_cwp(case).time_s
    dram, l2 = case.gpu.dram, case.gpu.l2
    for better in (
        replace(case.gpu, dram=replace(dram, bandwidth_bytes_per_s=2 * dram.bandwidth_bytes_per_s)),
        replace(case.gpu, dram=replace(dram, latency_cycles=dram.latency_cycles / 2)),
        replace(case.gpu, l2=replace(l2, bandwidth_bytes_per_s=2 * l2.bandwidth_bytes_per_s)),
        replace(case.gpu, l2=replace(l2, latency_cycles=l2.latency_cycles / 2)),
    ):
        assert predict_mwp_cwp(replace(case, counted=replace(case.counted, gpu=better))).time_s <= now * (1 + 1e-9)


def test_streaming_takes_its_bytes_at_full_bandwidth(vecadd: NestFacts) -> None:
    case = case_of(vecadd, n=2**24)
    made = predict_mwp_cwp(case)
    roof_s = 3 * 4 * 2**24 / K20.dram.bandwidth_bytes_per_s
    assert roof_s <= made.time_s <= 1.05 * roof_s
    assert made.bound_by == "memory bandwidth"
    assert [spot.idle_share for spot in made.hotspots] == pytest.approx([1 / 3] * 3, abs=0.02)
    assert mwp_cwp_summary(case).case == CASES[MEMORY_BOUND]


def test_loads_in_flight_together_are_one_memory_instruction(vecadd: NestFacts) -> None:
    work = case_of(vecadd).work
    inputs = mwp_cwp_inputs(work)
    assert inputs.mem_insts == pytest.approx(1.0)
    # Both loads and the store, each a long run of device memory.
    assert work.dram_run[0] == pytest.approx([1.0] * 3, rel=1e-3)
    assert inputs.load_bytes_per_warp == pytest.approx(128 * work.dram_run.sum())
    # The last of the three leaves when the two before it have.
    assert inputs.mem_ld_cycles == pytest.approx(K20.dram.latency_cycles + 2 / 3 * inputs.departure_del_coal_cycles)
    assert inputs.total_insts == pytest.approx(float(case_of(vecadd).work.arithmetic_per_warp.sum()) + 3)


def test_a_warp_alone_waits_for_its_loads_once(vecadd: NestFacts) -> None:
    made = predict_mwp_cwp(case_of(vecadd, n=32, block=(32, 1, 1)))
    of_threads_s = made.time_s - K20.kernel_start_s
    cycles = of_threads_s * K20.clock_hz
    assert K20.dram.latency_cycles < cycles < 1.2 * K20.dram.latency_cycles
    assert dict(made.breakdown_s)["memory latency"] > 0.9 * of_threads_s


def test_one_block_more_than_sms_shares_the_bandwidth_of_its_blocks(vecadd: NestFacts) -> None:
    sms, block = K20.sm_count, (1024, 1, 1)
    full, more, twice = (
        predict_mwp_cwp(case_of(vecadd, block=block, n=1024 * blocks)).time_s for blocks in (sms, sms + 1, 2 * sms)
    )
    assert full < more <= twice * (1 + 1e-9)
    # 14 blocks on 13 SMs: as two on each of seven.
    assert mwp_cwp_inputs(case_of(vecadd, block=block, n=1024 * (sms + 1)).work).active_sms == 7


def test_a_kernel_that_only_stores_is_bound_by_bandwidth(facts_of: Callable[[str], NestFacts]) -> None:
    made = predict_mwp_cwp(case_of(facts_of(FILL), n=2**24))
    roof_s = 4 * 2**24 / K20.dram.bandwidth_bytes_per_s
    assert roof_s <= made.time_s <= 1.25 * roof_s
    (spot,) = made.hotspots
    assert spot.idle_share == pytest.approx(roof_s / made.time_s, rel=0.01)


def test_without_memory_instructions_issue_is_the_time(facts_of: Callable[[str], NestFacts]) -> None:
    case = case_of(facts_of(NO_ACCESS))
    result = mwp_cwp_of_work(case.work)
    made = predict_mwp_cwp(case)
    assert result.case == NO_MEMORY
    parts = dict(made.breakdown_s)
    assert parts["computation"] == pytest.approx(made.time_s - parts["launch overhead"])
    assert parts["launch overhead"] == K20.kernel_start_s
    assert made.hotspots == ()


def test_many_steps_per_element_are_computation(facts_of: Callable[[str], NestFacts]) -> None:
    # Comp_cycles > Mem_cycles: the paper's condition would make it equation 23, below what issue takes.
    case = case_of(facts_of(MANY_STEPS))
    made = predict_mwp_cwp(case)
    fused = K20.timing("fp32_fma").results_per_cycle_per_sm
    assert made.bound_by == "computation"
    assert made.time_s >= 1000 * 2**20 / (K20.sm_count * fused * K20.clock_hz)
    assert mwp_cwp_of_work(case.work).case == COMPUTATION_BOUND


def test_few_warps_say_so(matmul: NestFacts) -> None:
    case = case_of(matmul, load_gpu("a100"), (8, 4, 1), n=64)
    assert mwp_cwp_of_work(case.work).case == NOT_ENOUGH_WARPS
    assert dict(predict_mwp_cwp(case).breakdown_s)["memory latency"] > 0


@pytest.mark.parametrize("name", ["fx5600", "gtx280", "gtx580", "k20"])
def test_a_column_of_a_matrix_is_a_transaction_per_thread(transpose: NestFacts, name: str) -> None:
    requests = requests_of(case_of(transpose, load_gpu(name), (32, 1, 1), n=1024).work)
    uncoalesced = ~requests.is_coalesced[0]
    assert uncoalesced.sum() == 1
    assert requests.transactions[0][uncoalesced] == pytest.approx(32.0)


@pytest.mark.parametrize(("name", "transactions"), [("fx5600", 1.0), ("gtx280", 1.0), ("gtx580", 1.0), ("k20", 4.0)])
def test_neighbouring_words_are_coalesced(vecadd: NestFacts, name: str, transactions: float) -> None:
    requests = requests_of(case_of(vecadd, load_gpu(name)).work)
    assert requests.is_coalesced.all()
    assert requests.transactions[0] == pytest.approx([transactions] * 3)


@pytest.mark.parametrize(("name", "transactions"), [("fx5600", 32.0), ("gtx280", 2.0), ("gtx580", 2.0), ("k20", 5.0)])
def test_misaligned_words_are_not(facts_of: Callable[[str], NestFacts], name: str, transactions: float) -> None:
    requests = requests_of(case_of(facts_of(SHIFTED), load_gpu(name)).work)
    assert sorted(requests.is_coalesced[0]) == [False, True]
    assert requests.transactions[0].max() == transactions


def test_the_fit_of_the_paper_is_used_where_the_profile_has_it(transpose: NestFacts) -> None:
    work = case_of(transpose, load_gpu("fx5600"), n=4096).work
    inputs, result = mwp_cwp_inputs(work), mwp_cwp_of_work(work)
    assert inputs.issue_cycles == 4.0
    assert inputs.departure_del_uncoal_cycles == pytest.approx(10)
    # A coalesced load, and a store of 32 transactions that goes with it.
    assert result.departure_delay_cycles == pytest.approx(4 + 320)


def test_departures_follow_from_the_path_without_a_fit(matmul: NestFacts) -> None:
    # A broadcast and a line. 32 x 32 threads: 5 sectors keep L2 busy for 5 cycles, 2 lines the load/store path for 4.
    requests = requests_of(case_of(matmul, block=(32, 32, 1), n=2048).work)
    assert requests.departure_cycles[0][:2] == pytest.approx([1.0, 4.0], rel=0.01)
    # 8 x 8 threads: 4 rows of one matrix and 32 bytes of the other are 5 lines and 5 sectors.
    narrow = requests_of(case_of(matmul, block=(8, 8, 1), n=2048).work)
    assert narrow.departure_cycles[0][:2] == pytest.approx([8.0, 2.0], rel=0.01)


def test_barriers_cost_departures(matmul: NestFacts) -> None:
    case = case_of(matmul, block=(32, 32, 1), n=1024, shared=True)
    work = case.work
    result = mwp_cwp_of_work(work)
    # No more warps than those of its block wait for a barrier.
    held = np.minimum(result.mwp, work.warps_per_block)
    expected = result.departure_delay_cycles * (held - 1) * work.barriers_per_warp * work.resident_blocks_per_sm
    assert work.barriers_per_warp > 0
    assert result.synch_cycles == pytest.approx(expected * result.rep)
    assert dict(predict_mwp_cwp(case).breakdown_s)["synchronisation"] > 0


def test_bank_conflicts_are_computation_once_they_keep_shared_memory_busier_than_issue(matmul: NestFacts) -> None:
    work = case_of(matmul, block=(32, 32, 1), n=1024, shared=True).work
    requests = float((work.requests_per_warp * work.is_staged).sum())
    assert requests > 0
    free, twofold, tenfold = (
        mwp_cwp_of_work(replace(work, conflict_degree=np.full_like(work.conflict_degree, degree))).comp_cycles
        for degree in (1.0, 2.0, 19.0)
    )
    # 19 passes of half a cycle each: banks of 8 bytes.
    assert free == twofold
    assert tenfold == pytest.approx(9.5 * requests, rel=0.1)


def test_the_grid_of_threads_on_rows_is_slower_the_larger_the_block(matmul: NestFacts) -> None:
    # Measured on a K20c at n = 2816: 1455, 2672, 5170 ms (gpuperfpredict, CC-BY-4.0).
    kernel = matmul.kernels[0]
    swapped = replace(kernel, thread_order=tuple(reversed(kernel.thread_order)))
    measured = {8: 1455.0, 16: 2672.0, 32: 5170.0}
    for edge, ms in measured.items():
        case = kernel_on_gpu(SizedKernel(swapped, {"n": 2816}), LaunchConfig((edge, edge, 1)), K20)
        made = predict_mwp_cwp(case)
        assert 1e3 * made.time_s == pytest.approx(ms, rel=0.1)
        assert made.bound_by == "memory bandwidth"


def test_departure_delays_that_nobody_published_are_assumed(vecadd: NestFacts) -> None:
    for name, is_assumed in (("k20", True), ("fx5600", False)):
        made = predict_mwp_cwp(case_of(vecadd, load_gpu(name)))
        assert any(assumption.subject == "departure_delay" for assumption in made.assumptions) == is_assumed
