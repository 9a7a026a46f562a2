"""GPUPerf on nests: finite times on any machine, parts that add up, and what its extensions are for."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from math import isfinite

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.gpuperf.gpuperf import gpuperf
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_inputs, gpuperf_time_s, model_assumptions
from warplens.analysis.models.gpuperf.gpuperf_prediction import predict_gpuperf
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.whole_launch import whole_launches_s
from warplens.analysis.models.results.quantity import only
from warplens.hwprofiles.loader import gpu_names, load_gpu

HALF_PRECISION_OF_TIME = """void f(int n, double *restrict a) { for (int i = 0; i < n; i++) {
 double x = a[i]; for (int k = 0; k < 200; k++) x = x * 1.000001 + 0.5; a[i] = x; } }"""
DIVERGENT = """void f(int n, const float *restrict a, float *restrict b) {
 for (int i = 0; i < n; i++) { float x = a[i]; if (x > 0) x = x * x * x + 1; else x = x * 0.5f + x; b[i] = x; } }"""
SPECIAL = f"""float exp2f(float); void f(int n, float *restrict a) {{ for (int i = 0; i < n; i++) {{ float x = a[i];
 {"x = exp2f(x); " * 256} a[i] = x; }} }}"""
NO_LOAD = "void f(int n, float *restrict a) { for (int i = 0; i < n; i++) a[i] = 1.0f; }"

machine: Callable[[str], Gpu] = cache(load_gpu)


def case_of(kernel: Kernel, gpu: Gpu, block: tuple[int, int, int], n: int, *, staged: bool = False) -> KernelOnGpu:
    sizes = {"n": n, "t": 10}
    chosen = shared_opportunities(SizedKernel(kernel, sizes), block, gpu) if staged else ()
    launch = LaunchConfig(block, chosen)
    return kernel_on_gpu(SizedKernel(kernel, sizes), launch, gpu)


def without_caches(gpu: Gpu) -> Gpu:
    return replace(gpu, l1=replace(gpu.l1, size_bytes=0), l2=replace(gpu.l2, size_bytes=0))


def with_64_lanes(gpu: Gpu) -> Gpu:
    return replace(gpu, warp_size_threads=64)


@pytest.mark.parametrize("name", ["fx5600", "k20", "mi250x"])
@pytest.mark.parametrize("n", [0, 1, 1000])
def test_every_number_is_finite_and_adds_up(some_facts: NestFacts, name: str, n: int) -> None:
    case = case_of(some_facts.kernels[0], machine(name), (32, 8, 1), n)
    made = predict_gpuperf(case)
    assert isfinite(made.time_s)
    assert (made.time_s > 0) == (n > 0)
    assert sum(seconds for _, seconds in made.breakdown_s) == pytest.approx(made.time_s, rel=1e-12, abs=0.0)
    assert all(seconds >= 0 for _, seconds in made.breakdown_s)
    assert sum(spot.idle_share for spot in made.hotspots) <= 1 + 1e-9
    assert whole_launches_s(case.work, gpuperf_time_s(case.work))[0] == made.time_s


@pytest.mark.parametrize("change", [without_caches, with_64_lanes])
@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("block", [(1, 1, 1), (16, 16, 1), (1024, 1, 1), (1024, 4, 1)])
def test_odd_machines_and_blocks_have_a_time(
    some_facts: NestFacts, change: Callable[[Gpu], Gpu], staged: bool, block: tuple[int, int, int]
) -> None:
    kernel = some_facts.kernels[0]
    if len(kernel.grid) == 1:
        block = (block[0], 1, 1)
    made = predict_gpuperf(case_of(kernel, change(machine("a100")), block, 1000, staged=staged))
    assert 0 < made.time_s < 10


def test_streaming_reaches_the_bandwidth_and_no_more(vecadd: NestFacts) -> None:
    gpu = machine("a100")
    made = predict_gpuperf(case_of(vecadd.kernels[0], gpu, (256, 1, 1), 2**24))
    roof_s = 3 * 4 * 2**24 / gpu.dram.bandwidth_bytes_per_s
    assert roof_s <= made.time_s <= 1.05 * roof_s
    assert made.bound_by == "memory bandwidth"
    assert sum(spot.idle_share for spot in made.hotspots) == pytest.approx(1.0, abs=0.05)


def test_filling_an_array_takes_its_bytes_though_nothing_waits_for_a_store(
    facts_of: Callable[[str], NestFacts],
) -> None:
    gpu = machine("a100")
    made = predict_gpuperf(case_of(facts_of(NO_LOAD).kernels[0], gpu, (256, 1, 1), 2**24))
    assert made.time_s >= 4 * 2**24 / gpu.dram.bandwidth_bytes_per_s


@pytest.mark.parametrize(("name", "share_of_fp32"), [("a100", 0.5), ("rtx2080ti", 1 / 32)])
def test_double_precision_issues_at_its_own_rate(
    facts_of: Callable[[str], NestFacts], name: str, share_of_fp32: float
) -> None:
    gpu = machine(name)
    fma = gpu.timing("fp64_fma")
    assert fma.results_per_cycle_per_sm / gpu.timing("fp32_fma").results_per_cycle_per_sm == share_of_fp32
    n = 2**20
    made = predict_gpuperf(case_of(facts_of(HALF_PRECISION_OF_TIME).kernels[0], gpu, (256, 1, 1), n))
    least_s = 200 * n / fma.results_per_cycle_per_sm / gpu.sm_count / gpu.clock_hz
    assert least_s <= made.time_s < 2.5 * least_s
    assert made.bound_by == "computation"


@pytest.mark.long
@pytest.mark.parametrize("name", gpu_names())
def test_w_parallel_is_never_below_the_throughput_of_the_op_mix(some_facts: NestFacts, name: str) -> None:
    gpu = machine(name)
    work = case_of(some_facts.kernels[0], gpu, (32, 8, 1), 4096).work
    result = gpuperf(gpuperf_inputs(work))
    busy = np.array([gpu.warp_size_threads / gpu.timing(op).results_per_cycle_per_sm for op in OP_CLASSES])
    least = work.arithmetic_per_warp[0] @ busy * work.warps[0] / work.active_sms[0]
    assert float(np.asarray(result.w_parallel)[0]) + float(np.asarray(result.o_sfu)[0]) >= least * (1 - 1e-9)


def test_one_block_more_than_sms_takes_twice_as_long_where_computation_counts(
    facts_of: Callable[[str], NestFacts],
) -> None:
    gpu = machine("a100")
    kernel = facts_of(HALF_PRECISION_OF_TIME).kernels[0]
    full, more = (
        predict_gpuperf(case_of(kernel, gpu, (1024, 1, 1), blocks * 1024)).time_s
        for blocks in (gpu.sm_count, gpu.sm_count + 1)
    )
    assert more - gpu.kernel_start_s == pytest.approx(2 * (full - gpu.kernel_start_s), rel=0.05)


def test_a_barrier_waits_no_longer_than_memory(matmul: NestFacts) -> None:
    gpu = machine("k20")
    work = case_of(matmul.kernels[0], gpu, (16, 16, 1), 2048, staged=True).work
    inputs = gpuperf_inputs(work)
    waited = float(np.asarray(gpuperf(inputs).o_sync)[0])
    rounds = 128 * 128 / 13 / 8  # blocks over SMs and resident blocks
    assert work.barriers_per_warp[0] == 2 * 128
    assert waited == pytest.approx(256 * rounds * gpu.dram.latency_cycles, rel=0.05)
    assert float(np.asarray(gpuperf(replace(inputs, most_sync_cycles=np.inf)).o_sync)[0]) > 10 * waited


def test_a_stream_from_memory_hits_no_cache_and_waits_for_its_loads(vecadd: NestFacts) -> None:
    inputs = gpuperf_inputs(case_of(vecadd.kernels[0], machine("a100"), (256, 1, 1), 2**24).work)
    # Two loads and a store.
    assert (only(inputs.mem_insts), only(inputs.hit_lat)) == (3.0, 0.0)
    assert only(inputs.miss_ratio) == pytest.approx(2 / 3)


def test_registers_that_are_reloaded_are_waited_for(vecadd: NestFacts) -> None:
    gpu = machine("a100")
    work = case_of(vecadd.kernels[0], gpu, (256, 1, 1), 2**24).work
    spills, reloads, through_l1 = (np.array([count]) for count in (10.0, 4.0, 6.0))
    inputs = gpuperf_inputs(
        replace(
            work,
            spill_requests_per_warp=spills,
            spill_reloads_per_warp=reloads,
            spill_l2_requests_per_warp=through_l1,
        )
    )
    # L1 has all four: only the six stores go through it.
    assert only(inputs.hit_lat) == pytest.approx(4 * gpu.l1.latency_cycles / 13)


def test_a_request_replays_what_one_pass_over_the_banks_leaves(matmul: NestFacts) -> None:
    work = case_of(matmul.kernels[0], machine("a100"), (32, 32, 1), 1024, staged=True).work
    cycles = {
        degree: only(gpuperf_inputs(replace(work, conflict_degree=np.full((1, 3), degree))).bank_replay_cycles)
        for degree in (1.0, 2.0, 5.0)
    }
    # Two reads of shared memory per iteration, a cycle for each further pass of words.
    assert cycles == {1.0: 0.0, 2.0: 2048.0, 5.0: 4 * 2048.0}


def test_what_only_divergent_sides_do_is_no_instruction_of_the_average_thread(
    facts_of: Callable[[str], NestFacts],
) -> None:
    work = case_of(facts_of(DIVERGENT).kernels[0], machine("a100"), (256, 1, 1), 2**20).work
    inputs = gpuperf_inputs(work)
    floating = sum(
        count for op, count in zip(OP_CLASSES, work.arithmetic_per_warp[0], strict=True) if op.startswith("fp")
    )
    insts, divergent = only(inputs.insts), only(inputs.divergent_insts)
    assert divergent == work.divergent_per_warp[0] > 0
    assert only(inputs.fp_insts) == pytest.approx(floating * insts / (insts + divergent))


def test_sms_that_are_not_full_share_the_bandwidth_of_those_that_are(vecadd: NestFacts) -> None:
    gpu = machine("k20")
    inputs = gpuperf_inputs(case_of(vecadd.kernels[0], gpu, (1024, 1, 1), 1024 * (gpu.sm_count + 1)).work)
    # 14 blocks on 13 SMs: as long as two on each of seven.
    assert (only(inputs.active_sms), only(inputs.warps_per_sm)) == (7.0, 64.0)


def test_the_unit_of_special_functions_is_counted_in_their_overhead_only(
    facts_of: Callable[[str], NestFacts],
) -> None:
    gpu = machine("gtx580")
    inputs = gpuperf_inputs(case_of(facts_of(SPECIAL).kernels[0], gpu, (256, 1, 1), 2**20).work)
    assert only(inputs.sfu_insts) > 200
    assert only(inputs.simd_width) == pytest.approx(gpu.timing("fp32_fma").results_per_cycle_per_sm, rel=0.02)
    assert only(gpuperf(inputs).o_sfu) > 0


def test_values_nobody_published_are_shown_as_assumed() -> None:
    subjects = {assumption.subject for assumption in model_assumptions(machine("k20"))}
    assert {"sync_factor", "departure_delay_cycles"} <= subjects
