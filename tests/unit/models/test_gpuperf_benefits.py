"""What the benefits of a launch say: the bottleneck that is there, in the words of the kernel."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.gpuperf.gpuperf import gpuperf
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_inputs
from warplens.analysis.models.gpuperf.gpuperf_prediction import predict_gpuperf
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.results.benefit import Benefit, BenefitKind
from warplens.analysis.models.results.quantity import only
from warplens.hwprofiles.loader import load_gpu

DIVERGENT = """void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) {
 float x = a[i];
 if (x > 0) { for (int k = 0; k < 100; k++) x = x * x + 2; } else { for (int k = 0; k < 100; k++) x = x * x * x + 3; }
 c[i] = x; } }"""
SPECIAL = """void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) {
 float x = a[i]; for (int k = 0; k < 100; k++) x = __builtin_sqrtf(x); c[i] = x; } }"""
ROWS = """void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) {
 float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k]; c[i] = s; } }"""
CHASE = """void f(int n, const int *restrict a, const int *restrict b, float *restrict c) {
 for (int i = 0; i < n; i++) c[i] = a[b[a[b[a[i]]]]]; }"""

machine: Callable[[str], Gpu] = cache(load_gpu)


def case_of(
    kernel: Kernel, gpu: str, block: tuple[int, int, int], n: int, *, staged: bool = False, pads: bool = True
) -> KernelOnGpu:
    chosen = shared_opportunities(SizedKernel(kernel, {"n": n}), block, machine(gpu)) if staged else ()
    if not pads:
        read = (each for each in chosen if not each.is_written)
        chosen = tuple(replace(each, size_bytes=each.moved_bytes, pad_elements=0, pad_bytes=0) for each in read)
    return kernel_on_gpu(
        SizedKernel(kernel, {"n": n, "t": 10, "elements of a": n, "elements of b": n}),
        LaunchConfig(block, chosen),
        machine(gpu),
    )


def of_kind(found: tuple[Benefit, ...], kind: BenefitKind) -> Benefit:
    return next(benefit for benefit in found if benefit.kind == kind)


@pytest.mark.parametrize("name", ["gtx460", "k20", "h100"])
@pytest.mark.parametrize("staged", [False, True])
@pytest.mark.parametrize("n", [0, 1, 1000, 2**40])
def test_benefits_are_parts_of_the_predicted_time_in_order(
    some_facts: NestFacts, name: str, staged: bool, n: int
) -> None:
    kernel = some_facts.kernels[0]
    block = (256, 1, 1) if len(kernel.grid) == 1 else (16, 16, 1)
    case = case_of(kernel, name, block, n, staged=staged)
    found = benefits(case)
    made = predict_gpuperf(case)
    assert [benefit.cycles for benefit in found] == sorted((b.cycles for b in found), reverse=True)
    for benefit in found:
        assert 0 <= benefit.share <= 1
        assert benefit.time_s == pytest.approx(benefit.cycles / machine(name).clock_hz)
        assert benefit.time_s <= made.time_s * (1 + 1e-9)
        assert benefit.how
        if benefit.kind != "memory parallelism":
            assert benefit.cycles <= benefit.potential_cycles * (1 + 1e-9)


def test_the_potentials_are_the_papers_stack(matmul: NestFacts) -> None:
    case = case_of(matmul.kernels[0], "k20", (16, 16, 1), 2048, staged=True)
    result = gpuperf(gpuperf_inputs(case.work))
    stack = only(result.t_fp) + sum(b.potential_cycles for b in benefits(case) if b.kind != "memory parallelism")
    assert stack == pytest.approx(only(result.t_comp))


def test_nothing_computational_gains_where_memory_hides_it(vecadd: NestFacts) -> None:
    found = benefits(case_of(vecadd.kernels[0], "a100", (256, 1, 1), 2**24))
    assert all(benefit.share < 0.01 for benefit in found)
    assert of_kind(found, "other instructions").potential_cycles > 0


def test_uncoalesced_access_is_named_with_its_sectors(matmul: NestFacts) -> None:
    kernel = matmul.kernels[0]
    swapped = replace(kernel, thread_order=tuple(reversed(kernel.thread_order)))
    best = benefits(case_of(swapped, "k20", (32, 32, 1), 2048))[0]
    assert (best.kind, best.cause) == ("memory parallelism", "uncoalesced")
    assert best.how.startswith("`a[i*n+k]` touches 32 sectors per request where 4 would do")
    assert best.share > 0.8


def test_coalesced_data_that_is_read_again_wants_shared_memory(matmul: NestFacts) -> None:
    best = benefits(case_of(matmul.kernels[0], "k20", (16, 16, 1), 2048))[0]
    assert (best.kind, best.cause) == ("memory parallelism", "fetched again")


def test_barriers_of_a_tiled_product(matmul: NestFacts) -> None:
    def serial(gpu: str) -> Benefit:
        return of_kind(benefits(case_of(matmul.kernels[0], gpu, (8, 8, 1), 2048, staged=True)), "serialisation")

    assert serial("h100").cause == "barriers"
    assert "512 barriers" in serial("h100").how
    assert serial("h100").share > 0.1
    # A K20 takes two cycles for each line of the narrow tiles: behind that barriers hardly show.
    assert serial("k20").share < 0.05


def test_bank_conflicts_of_a_transposed_tile(matmul: NestFacts) -> None:
    kernel = matmul.kernels[0]
    swapped = replace(kernel, thread_order=tuple(reversed(kernel.thread_order)))
    best = benefits(case_of(swapped, "h100", (32, 32, 1), 2048, staged=True, pads=False))[0]
    assert (best.kind, best.cause) == ("serialisation", "bank conflicts")
    assert "needs 8 words of one bank" in best.how
    padded = benefits(case_of(swapped, "h100", (32, 32, 1), 2048, staged=True))
    assert all(benefit.cause != "bank conflicts" or benefit.share == 0 for benefit in padded)


def test_divergence(facts_of: Callable[[str], NestFacts]) -> None:
    serial = of_kind(benefits(case_of(facts_of(DIVERGENT).kernels[0], "h100", (256, 1, 1), 2**22)), "serialisation")
    assert serial.cause == "divergence"
    assert serial.share == pytest.approx(0.5, abs=0.05)


def test_few_warps_leave_latency_visible(facts_of: Callable[[str], NestFacts]) -> None:
    source = DIVERGENT.replace("if (x > 0)", "if (n > 0)").replace("100", "1000")
    found = benefits(case_of(facts_of(source).kernels[0], "h100", (32, 1, 1), 32 * 132))
    parallel = of_kind(found, "instruction parallelism")
    assert found[0] == parallel
    assert "a larger grid" in parallel.how
    assert parallel.share > 0.5


def test_dependent_loads_of_few_warps_wait_for_latency(facts_of: Callable[[str], NestFacts]) -> None:
    best = benefits(case_of(facts_of(CHASE).kernels[0], "h100", (32, 1, 1), 32 * 132))[0]
    assert (best.kind, best.cause) == ("memory parallelism", "memory latency")


def test_rows_are_read_across(facts_of: Callable[[str], NestFacts]) -> None:
    best = benefits(case_of(facts_of(ROWS).kernels[0], "h100", (256, 1, 1), 4096))[0]
    assert best.cause == "uncoalesced"
