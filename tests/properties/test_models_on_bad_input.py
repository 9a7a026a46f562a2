"""Any program, machine, size and launch has a defined answer of each model and search, without a warning of numpy."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from math import isfinite, isnan

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.c_nests import parsed
from support.examples import examples
from support.one_launch.shared_memory import choice_of
from support.one_launch.shared_region import shared_regions
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.occupancy import occupancy
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.compare_models import PREDICT, compare_models
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.gpuperf.gpuperf import gpuperf
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_inputs
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import gpu_names, load_cpu, load_gpu

pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NESTS = {
    "no memory and no arithmetic": "for (int i = 0; i < n; i++) { }",
    "no memory": "for (int i = 0; i < n; i++) { float t = i * 0.5f; t = t * t + 1; }",
    "arithmetic only": "float s = 0; for (int i = 0; i < n; i++) s += i * 0.5f; c[0] = s;",
    "no arithmetic": "for (int i = 0; i < n; i++) c[i] = a[i];",
    "stores only": "for (int i = 0; i < n; i++) c[i] = 1;",
    "one element": "for (int i = 0; i < n; i++) c[0] = a[0];",
    "a single iteration": "for (int i = 0; i < 1; i++) c[i] = a[i] + b[i];",
    "no iteration": "for (int i = 0; i < 0; i++) c[i] = a[i] + b[i];",
    "no iteration inside": """for (int i = 0; i < n; i++) { float s = 0;
 for (int j = 5; j < 5; j++) s += a[i*8+j]; c[i] = s; }""",
    "a size as step": "for (int i = 0; i < n; i += m) c[i] = a[i];",
    "a quotient as bound": "for (int i = 0; i < n / m; i++) c[i] = a[i] + b[i % m];",
    "difference of sizes": "for (int i = m; i < n; i++) for (int j = i; j < n; j++) c[i*n+j] = a[i*n+j-m];",
    "matrix product": """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int t = 0; t < m; t++) s += a[i*m+t] * b[t*n+j]; c[i*n+j] = s; }""",
    "a large tile": """for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int t = 0; t < 4000; t++) s += a[i*4000+t] * b[j*4000+t]; c[i*n+j] = s; }""",
    "seven points": """for (int h = 1; h < n-1; h++) for (int i = 1; i < m-1; i++) for (int j = 1; j < n-1; j++)
 c[(h*m+i)*n+j] = a[(h*m+i)*n+j] + a[((h-1)*m+i)*n+j] + a[((h+1)*m+i)*n+j] + a[(h*m+i-1)*n+j];""",
    "four loops": """for (int g = 0; g < m; g++) for (int h = 0; h < n; h++) for (int i = 0; i < m; i++)
 for (int j = 0; j < n; j++) c[((g*n+h)*m+i)*n+j] = a[((g*n+h)*m+i)*n+j] + b[j];""",
    "many registers": "for (int i = 0; i < n; i++) {"
    + " ".join(f"float r{k} = a[i*97+{k}] * b[i+{k}];" for k in range(60))
    + " c[i] = "
    + " + ".join(f"r{k} * r{59 - k}" for k in range(60))
    + "; }",
    "special functions": "for (int i = 0; i < n; i++) c[i] = sqrtf(a[i]) / expf(b[i]);",
    "gather": "for (int i = 0; i < n; i++) c[i] = a[d[i]] + b[d[i + m]];",
    "histogram": "for (int i = 0; i < n; i++) c[d[i]] += a[i];",
    "sparse rows": """for (int i = 0; i < n; i++) { float s = 0;
 for (int t = d[i]; t < d[i+1]; t++) s += a[t] * b[t]; c[i] = s; }""",
    "divergent": """for (int i = 0; i < n; i++) { if (a[i] > 0) c[i] = b[i] * 2 + 1;
 else if (i < m) c[i] = expf(b[i]); }""",
    "own table": """for (int i = 0; i < n; i++) { float t[64]; for (int j = 0; j < 64; j++) t[j] = a[64*i+j];
 float s = 0; for (int j = 0; j < m; j++) s += t[j] * b[j]; c[i] = s; }""",
    "steps": "for (int s = 0; s < m; s++) for (int i = 0; i < n; i++) c[i] = c[i] * 0.5f + a[i];",
    "a value of a struct": "for (int i = 0; i < n; i++) c[i * g.columns] = a[i] * g.scale;",
    "backwards": "for (int i = n - 1; i >= 0; i--) c[i] = a[n - 1 - i];",
}
SIZES = (-(2**60), -1, 0, 1, 2, 3, 31, 33, 1000, 4096, 2**20, 2**31, 2**60)
EXTENTS = (1, 2, 3, 7, 16, 31, 32, 33, 64, 100, 256, 1024, 2048)
OUTPUTS = (1, 1, 1, 2, 3, 8, 32)


def test_a_launch_has_threads_and_outputs() -> None:
    for block, outputs in (((0, 1, 1), (1, 1, 1)), ((32, -1, 1), (1, 1, 1)), ((32, 1, 1), (1, 0, 1))):
        with pytest.raises(ValueError, match="a launch of"):
            LaunchConfig(block, (), outputs)


@cache
def facts_of(name: str) -> NestFacts:
    source = (
        "struct grid { int columns; float scale; } g; float sqrtf(float); float expf(float); "
        "void f(int n, int m, const float *restrict a, const float *restrict b,"
        f" float *restrict c, const int *restrict d) {{ {NESTS[name]} }}"
    )
    return parsed.facts_of(source)


gpu_of = cache(load_gpu)


@st.composite
def problems(draw: st.DrawFn, names: tuple[str, ...]) -> tuple[Kernel, dict[str, int]]:
    """A kernel at sizes that nobody would want."""
    facts = facts_of(draw(st.sampled_from(names)))
    sizes = {name: draw(st.sampled_from(SIZES)) for name in facts.parameters}
    values = extend_sizes(sizes, facts.nest)
    return kernel_at(draw(st.sampled_from(facts.kernels)), values), values


KERNELS = tuple(name for name in NESTS if facts_of(name).kernels)


@st.composite
def launches(draw: st.DrawFn, kernel: Kernel, sizes: Mapping[str, int]) -> LaunchConfig:
    """Blocks that no GPU launches among them, and regions larger than any shared memory."""
    x = draw(st.sampled_from(EXTENTS))
    y, z = (draw(st.sampled_from([extent for extent in EXTENTS if extent * x <= 64])) if x <= 64 else 1 for _ in "yz")
    each = draw(st.sampled_from(OUTPUTS)), draw(st.sampled_from(OUTPUTS)), draw(st.sampled_from(OUTPUTS))
    staged = tuple(
        choice_of(region, 0.0, 0.0) for region in shared_regions(kernel, (x, y, z), sizes, each) if draw(st.booleans())
    )
    return LaunchConfig((x, y, z), staged, each)


@st.composite
def machines(draw: st.DrawFn) -> Gpu:
    """A profile, or one that lacks registers, shared memory or both."""
    gpu = gpu_of(draw(st.sampled_from(gpu_names())))
    limits = gpu.occupancy
    if draw(st.integers(0, 4)) == 0:
        limits = replace(limits, registers_max_per_thread=draw(st.sampled_from((1, 4, 14))))
    if draw(st.integers(0, 4)) == 0:
        limits = replace(limits, shared_per_block_bytes=64, shared_per_sm_bytes=64)
    return replace(gpu, occupancy=limits)


@st.composite
def cases(draw: st.DrawFn) -> KernelOnGpu:
    kernel, sizes = draw(problems(KERNELS))
    return kernel_on_gpu(SizedKernel(kernel, sizes), draw(launches(kernel, sizes)), draw(machines()))


def assert_defined(prediction: Prediction, gpu: Gpu) -> None:
    time_s, parts = prediction.time_s, dict(prediction.breakdown_s)
    assert isfinite(time_s)
    assert time_s >= 0
    assert min(parts.values()) >= 0
    assert sum(parts.values()) == pytest.approx(time_s, rel=1e-9)
    if time_s < gpu.host.launch_overhead_s:
        assert prediction.bound_by == "launch overhead"
    else:
        assert parts[prediction.bound_by] == max(parts.values())
    assert parts.get("launch overhead", 0.0) >= gpu.kernel_start_s * (prediction.threads > 0)
    for spot in prediction.hotspots:
        assert 0 <= spot.idle_share <= 1
        assert isfinite(spot.delay_cycles)
        assert spot.delay_cycles >= 0
    assert 0 <= prediction.occupancy.fraction <= 1
    for amount in (prediction.flops_per_s, prediction.effective_bandwidth_bytes_per_s, prediction.bytes_moved):
        assert isfinite(amount)
        assert amount >= 0


@given(case=cases())
@settings(max_examples=examples(80))
def test_every_model_has_an_answer(case: KernelOnGpu) -> None:
    for predict in PREDICT.values():
        assert_defined(predict(case), case.gpu)
    compared = compare_models(case, ())
    assert isfinite(compared.spread)
    assert compared.spread >= 1
    numbers = compared.mwp_cwp
    for number in (numbers.mwp, numbers.cwp, numbers.cycles_per_instruction):
        assert isfinite(number)
        assert number >= 0


@given(case=cases())
@settings(max_examples=examples(150))
def test_benefits_are_not_below_zero_and_the_stack_is_the_time_of_computation(case: KernelOnGpu) -> None:
    for benefit in benefits(case):
        assert 0 <= benefit.share <= 1
        for amount in (benefit.cycles, benefit.time_s, benefit.potential_cycles):
            assert isfinite(amount)
            assert amount >= 0
        assert benefit.how
    result = gpuperf(gpuperf_inputs(case.work))
    stack = result.t_fp + result.b_fp + result.b_itilp + result.b_serial
    assert stack == pytest.approx(result.w_parallel + result.w_serial, rel=1e-9)
    assert result.t_exec >= max(result.t_comp, result.t_mem) * (1 - 1e-9)


@pytest.mark.parametrize("model", ["resios", "haigh"])
@given(case=cases(), factor=st.sampled_from((1.01, 2.0, 1000.0)))
@settings(max_examples=examples(60))
def test_more_bandwidth_is_never_slower(model: str, case: KernelOnGpu, factor: float) -> None:
    dram = replace(case.gpu.dram, bandwidth_bytes_per_s=case.gpu.dram.bandwidth_bytes_per_s * factor)
    faster = kernel_on_gpu(SizedKernel(case.kernel, case.sizes), case.launch, replace(case.gpu, dram=dram))
    assert PREDICT[model](faster).time_s <= PREDICT[model](case).time_s * (1 + 1e-9)


@pytest.mark.parametrize("model", COST_MODELS)
@given(problem=problems(KERNELS), gpu=machines(), data=st.data())
@settings(max_examples=examples(12))
def test_every_search_has_an_answer(
    model: str, problem: tuple[Kernel, dict[str, int]], gpu: Gpu, data: st.DataObject
) -> None:
    kernel, sizes = problem
    current = data.draw(launches(kernel, sizes))
    ranking = search(SizedKernel(kernel, sizes), gpu, model, current)
    assert ranking.possible <= ranking.searched
    assert len(ranking.ranked) <= ranking.possible
    assert bool(ranking.ranked) == bool(ranking.possible)
    assert bool(ranking.reasons) == bool(ranking.ranked)
    for entry in ranking.ranked[:5]:
        launch = entry.launch
        resident = occupancy(gpu, launch.threads_per_block, entry.registers_per_thread, launch.shared_bytes_per_block)
        assert resident.blocks_per_sm > 0
        assert 0 < entry.occupancy <= 1
    assert all(isfinite(entry.time_s) and entry.time_s >= 0 for entry in ranking.ranked)
    assert ranking.current is not None
    assert isfinite(ranking.current.time_s)
    assert ranking.current.time_s >= 0
    if ranking.ranked:
        assert isfinite(ranking.current_slowdown)
        assert ranking.current_slowdown >= 0
    assert not any(time_s < 0 or isnan(time_s) for row in ranking.map.times_s for time_s in row)


@given(name=st.sampled_from(tuple(NESTS)), gpu=machines(), data=st.data())
@settings(max_examples=examples(20))
def test_every_nest_is_evaluated(name: str, gpu: Gpu, data: st.DataObject) -> None:
    facts = facts_of(name)
    sizes = {parameter: data.draw(st.sampled_from(SIZES)) for parameter in facts.parameters}
    evaluation = evaluate_nest(facts, sizes, gpu, load_cpu("server"))
    assert len(evaluation.kernels) == len(evaluation.kernel_facts.kernels)
    for kernel in evaluation.kernels:
        assert_defined(kernel.prediction, gpu)
    offload = evaluation.offload
    if offload is not None:
        for seconds in (offload.kernels_s, offload.transfer_in_s, offload.transfer_out_s, offload.one_core_s):
            assert isfinite(seconds)
            assert seconds >= 0


@pytest.mark.long
@pytest.mark.parametrize("gpu", gpu_names())
@pytest.mark.parametrize(
    ("name", "sizes"),
    [
        ("a value of a struct", {"n": 1000}),
        ("a quotient as bound", {"n": 1000, "m": 0}),
        ("sparse rows", {"n": 1000, "iterations of t": -5}),
        ("matrix product", {"n": -7, "m": 2**60}),
    ],
)
def test_sizes_that_once_had_no_answer(name: str, sizes: dict[str, int], gpu: str) -> None:
    evaluation = evaluate_nest(facts_of(name), sizes, gpu_of(gpu), load_cpu("server"))
    assert evaluation.kernels
    for kernel in evaluation.kernels:
        assert_defined(kernel.prediction, gpu_of(gpu))
