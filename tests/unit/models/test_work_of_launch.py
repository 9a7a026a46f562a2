"""`work_of`: the same work as the simulation's trace, which is counted by other code."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import BasicBlock, ThreadLoop
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import pipe_cycles, program_cycles, staging_cycles
from warplens.analysis.models.launch_work.request_latency import request_latency_cycles
from warplens.analysis.models.launch_work.traffic import traffic_of
from warplens.analysis.workload.thread_program.unrolling import MOST_WORDS_IN_FLIGHT
from warplens.hwprofiles.loader import load_gpu

DIVERGENT = """void f(int n, const float *restrict a, float *restrict b) {
 for (int i = 0; i < n; i++) { if (a[i] > 0) b[i] = a[i] * 2 + 1; else b[i] = 0.5f; } }"""
APART = """void f(int n, const float *restrict a, float *restrict b, float *restrict c) {
 for (int i = 0; i < n; i++) { if (a[i] > 0) b[i] = a[i] * 2 + 1; else c[i] = 0.5f; } }"""
ROWS = """void f(int n, const int *restrict rows, const float *restrict a, float *restrict b) {
 for (int i = 0; i < n; i++) { float s = 0; for (int k = rows[i]; k < rows[i + 1]; k++) s += a[k]; b[i] = s; } }"""
DOT = """float f(int n, const float *restrict a, const float *restrict b) {
 float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; return s; }"""
CONVERTED = """void f(int n, const unsigned char *restrict a, int *restrict b) {
 for (int i = 0; i < n; i++) b[i] = (int)__builtin_exp2f(a[i]); }"""
UPDATE = "void f(int n, float *restrict a, const float *restrict b) { for (int i = 0; i < n; i++) a[i] += b[i]; }"


def case_of(
    facts: NestFacts, gpu: Gpu, n: int = 1000, shared: bool = False, outputs: tuple[int, int, int] = (1, 1, 1)
) -> KernelOnGpu:
    kernel = facts.kernels[0]
    block = (256, 1, 1) if len(kernel.grid) == 1 else (16, 16, 1)
    sizes = {"n": n, "t": 10, "iterations of k": 16}
    choices = shared_opportunities(SizedKernel(kernel, sizes), block, gpu, outputs) if shared else ()
    return kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block, choices, outputs), gpu)


def pipelines(work: KernelWork, warps_per_block: int) -> list[float]:
    """Cycles of one warp in each of the four pipelines, a block's copies spread over so many warps."""
    program, copies = program_cycles(work), staging_cycles(work)
    more = work.warps_per_block[0] / warps_per_block
    return [
        float(getattr(program, pipe)[0] + getattr(copies, pipe)[0] * more)
        for pipe in ("issue", "load_store", "l2", "dram")
    ]


@pytest.mark.parametrize("outputs", [(1, 1, 1), (3, 1, 1), (2, 4, 1), (16, 16, 1)])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", ["fx5600", "gtx580", "k20", "a100", "mi250x"])
def test_a_warp_occupies_the_pipelines_as_in_the_trace(
    some_facts: NestFacts, name: str, shared: bool, outputs: tuple[int, int, int]
) -> None:
    gpu = load_gpu(name)
    outputs = outputs if len(some_facts.kernels[0].grid) > 1 else (outputs[0], 1, 1)
    case = case_of(some_facts, gpu, shared=shared, outputs=outputs)
    found, expected = pipelines(case.work, case.trace.warps_per_block), case.trace.pipe_cycles_per_warp
    # Copies of several arrays are averaged before the least that a request takes on the load/store path.
    assert found[1] == pytest.approx(expected[1], rel=3e-3 if shared else 1e-9)
    assert (found[0], *found[2:]) == pytest.approx((expected[0], *expected[2:]))


@pytest.mark.parametrize("outputs", [(1, 1, 1), (3, 1, 1), (2, 4, 1), (16, 16, 1)])
@pytest.mark.parametrize("shared", [False, True])
@pytest.mark.parametrize("name", ["fx5600", "gtx580", "k20", "a100", "mi250x"])
def test_a_warp_alone_waits_as_long_as_in_the_trace(
    some_facts: NestFacts, name: str, shared: bool, outputs: tuple[int, int, int]
) -> None:
    outputs = outputs if len(some_facts.kernels[0].grid) > 1 else (outputs[0], 1, 1)
    case = case_of(some_facts, load_gpu(name), shared=shared, outputs=outputs)
    found = pipe_cycles(case.work)
    # Copies of several arrays have one latency, their average.
    delays = sum(operation.delay_cycles for operation in case.trace.operations)
    assert found.latency[0] == pytest.approx(delays, rel=0.02 if case.launch.shared else 1e-9)
    waited = sum(operation.delay_cycles for operation in case.trace.operations if operation.kind == "memory")
    assert found.waiting[0] == pytest.approx(waited, rel=0.02 if case.launch.shared else 1e-9)


@pytest.mark.parametrize(("name", "special"), [("k20", 1), ("a100", 1 + 2), ("mi250x", 0)])
def test_special_units_run_beside_the_others(facts_of: Callable[[str], NestFacts], name: str, special: int) -> None:
    gpu = load_gpu(name)
    case = case_of(facts_of(CONVERTED), gpu)
    cycles = pipe_cycles(case.work)
    one = gpu.warp_size_threads / gpu.timing("convert").results_per_cycle_per_sm
    assert case.trace.special_cycles_per_warp == pytest.approx(special * one)
    assert cycles.special[0] == pytest.approx(special * one)
    assert cycles.issue[0] == pytest.approx(case.trace.pipe_cycles_per_warp[0])


@pytest.mark.parametrize("name", ["gtx580", "k20", "mi250x"])
@pytest.mark.parametrize("n", [0, 1000])
def test_a_reduction_issues_its_tree_as_in_the_trace(facts_of: Callable[[str], NestFacts], name: str, n: int) -> None:
    case = case_of(facts_of(DOT), load_gpu(name), n)
    assert pipelines(case.work, case.trace.warps_per_block) == pytest.approx(case.trace.pipe_cycles_per_warp)


@pytest.mark.parametrize("name", ["k20", "a100", "mi250x"])
def test_a_warp_runs_an_uneven_loop_as_in_the_trace(facts_of: Callable[[str], NestFacts], name: str) -> None:
    facts = facts_of(ROWS)
    case = case_of(facts, load_gpu(name))
    assert pipelines(case.work, case.trace.warps_per_block) == pytest.approx(case.trace.pipe_cycles_per_warp)
    delays = sum(operation.delay_cycles for operation in case.trace.operations)
    assert pipe_cycles(case.work).latency[0] == pytest.approx(delays)
    (uneven,) = (region for region in facts.kernels[0].program if isinstance(region, ThreadLoop))
    assert uneven.is_uneven
    even = tuple(replace(each, is_uneven=False) if each is uneven else each for each in facts.kernels[0].program)
    all_alike = case_of(replace(facts, kernels=(replace(facts.kernels[0], program=even),)), load_gpu(name))
    # Threads that are done wait, and ask for nothing.
    assert (case.work.requests_per_warp == all_alike.work.requests_per_warp).all()
    assert case.work.divergent_per_warp[0] > all_alike.work.divergent_per_warp[0] == 0
    assert case.work.arithmetic_per_warp.sum() > 1.2 * all_alike.work.arithmetic_per_warp.sum()


def test_both_sides_of_a_divergent_branch_are_issued(facts_of: Callable[[str], NestFacts]) -> None:
    # A load, the compare and the branch are needed by all; a warp stores twice where a thread stores once.
    apart = case_of(facts_of(APART), load_gpu("a100")).work
    assert apart.requests_per_warp.sum() == 3
    assert apart.divergent_per_warp[0] >= 1
    # What both sides store to one element is stored behind them.
    work = case_of(facts_of(DIVERGENT), load_gpu("a100")).work
    assert work.requests_per_warp.sum() == 2
    assert 0 < work.divergent_per_warp[0] < apart.divergent_per_warp[0]
    straight = case_of(facts_of(UPDATE), load_gpu("a100")).work
    assert straight.divergent_per_warp[0] == 0


def test_an_update_waits_for_its_load_only(facts_of: Callable[[str], NestFacts]) -> None:
    work = case_of(facts_of(UPDATE), load_gpu("a100")).work
    by_array = {facts.access.array: column for column, facts in enumerate(work.kernel.accesses)}
    assert work.requests_per_warp[0, by_array["a"]] == 2
    assert work.waiting_requests_per_warp[0, by_array["a"]] == 1
    assert not work.is_store.any()
    assert work.mlp[0] == 2


def test_unrolled_copies_load_together(matmul: NestFacts) -> None:
    plain = case_of(matmul, load_gpu("a100")).work
    staged = case_of(matmul, load_gpu("a100"), shared=True).work
    assert plain.mlp[0] == pytest.approx(MOST_WORDS_IN_FLIGHT)
    assert staged.mlp[0] == 1.0
    assert staged.is_staged.sum() == 2
    assert staged.barriers_per_warp[0] == 2 * -(-1000 // 16)


def test_instructions_of_one_block_run_side_by_side_as_its_graph_has_it(vecadd: NestFacts) -> None:
    (block,) = vecadd.kernels[0].program
    assert isinstance(block, BasicBlock)
    work = case_of(vecadd, load_gpu("a100")).work
    assert work.ilp[0] == pytest.approx(float(block.ilp))
    assert block.ilp > 1


def test_latency_lies_between_that_of_l1_and_dram(some_facts: NestFacts) -> None:
    gpu = load_gpu("k20")
    latency = request_latency_cycles(case_of(some_facts, gpu).work)
    levels = (gpu.l1.latency_cycles, gpu.l2.latency_cycles, gpu.dram.latency_cycles)
    assert np.all((latency >= min(levels)) & (latency <= max(levels)))


def test_a_block_that_does_not_fit_runs_alone(matmul: NestFacts) -> None:
    case = kernel_on_gpu(SizedKernel(matmul.kernels[0], {"n": 1000}), LaunchConfig((64, 64, 1)), load_gpu("a100"))
    work = case.work
    assert not work.is_launchable[0]
    assert work.resident_blocks_per_sm[0] == 1
    # Of the 64 rows of a block, those in the grid: 1000 in 16 blocks.
    assert work.resident_warps_per_sm[0] == pytest.approx(2 * 1000 / 16)


def test_traffic_of_vector_addition(vecadd: NestFacts) -> None:
    case = case_of(vecadd, load_gpu("a100"), n=2**20)
    traffic = traffic_of(case)
    assert traffic.flops == 2**20
    assert traffic.useful_bytes == 12 * 2**20
    assert traffic.bytes_moved == 12 * 2**20
