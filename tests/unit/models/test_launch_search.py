"""The search over launches: what it puts first, what it says of it, and that it always answers."""

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.launches.launch_heuristic import heuristic_launch
from warplens.analysis.models.launches.launch_search import GAIN_PER_DOUBLING, TOLERANCE, search
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.workload.kernels.kernel_at import kernel_at
from warplens.hwprofiles.loader import load_gpu

FactsOf = Callable[[str], NestFacts]
STENCIL = """void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {
 for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;
 for (int i = 0; i < 15; i++) for (int j = 0; j < 15; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j];
 c[y*n+x] = s; } }"""
CURRENT = LaunchConfig((256, 1, 1))


def ranking(
    facts: NestFacts, n: int, gpu: str = "rtx2080ti", model: str = "resios", most: int | None = 20
) -> LaunchRanking:
    sizes = {"n": n, "t": 3}
    kernel = kernel_at(facts.kernels[0], sizes)
    return search(SizedKernel(kernel, sizes), load_gpu(gpu), model, CURRENT, "default", most)


def time_s(facts: NestFacts, n: int, gpu: str, model: str, launch: LaunchConfig) -> float:
    sizes = {"n": n, "t": 3}
    return COST_MODELS[model].time_s(
        kernel_on_gpu(SizedKernel(kernel_at(facts.kernels[0], sizes), sizes), launch, load_gpu(gpu))
    )


@pytest.mark.parametrize("model", COST_MODELS)
@pytest.mark.parametrize("gpu", ["k20", "rtx2080ti"])
def test_listed_times_are_those_of_the_model(matmul: NestFacts, gpu: str, model: str) -> None:
    found = ranking(matmul, 1024, gpu, model)
    assert found.model == model
    assert found.searched >= 2000
    assert len(found.ranked) == 20 <= found.possible < found.searched
    assert found.one_output is not None
    shown = (found.best, found.one_output, *(() if COST_MODELS[model].simulated_s else found.ranked))
    for entry in shown:
        assert entry.time_s == pytest.approx(time_s(matmul, 1024, gpu, model, entry.launch), rel=1e-6)


@pytest.mark.parametrize("model", COST_MODELS)
def test_nothing_listed_is_faster_than_the_first_by_more_than_the_tolerances(matmul: NestFacts, model: str) -> None:
    found = ranking(matmul, 2048, "k20", model)
    fastest = min(time for row in found.map.times_s for time in row)
    assert found.best.time_s <= fastest * (1 + TOLERANCE) * (1 + 8 * GAIN_PER_DOUBLING)
    assert found.one_output is not None
    single = found.map.times_s[found.map.outputs_per_thread.index(1)]
    assert found.one_output.time_s <= min(single) * (1 + TOLERANCE) * (1 + 1e-9)
    assert found.current_slowdown > 2


def test_a_stream_keeps_a_simple_launch(vecadd: NestFacts) -> None:
    # The heuristic's 1024 threads on the K20 are predicted alike and stand behind smaller blocks.
    for gpu in ("gtx580", "k20", "rtx2080ti", "a100"):
        found = ranking(vecadd, 2**26, gpu)
        assert found.best.launch == CURRENT
        assert found.current_slowdown == 1
    assert heuristic_launch(SizedKernel(vecadd.kernels[0], {"n": 2**26}), load_gpu("k20")) == LaunchConfig((1024, 1, 1))


def test_a_product_wants_tiles_of_outputs_and_says_why(matmul: NestFacts) -> None:
    found = ranking(matmul, 4096)
    x, y, _ = found.best.launch.outputs_per_thread
    assert x >= 4
    assert y >= 4
    least = dict(zip(found.map.outputs_per_thread, map(min, found.map.times_s), strict=True))
    assert least[1] > least[4] > least[16] > least[64]
    assert least[256] > 1.2 * least[64]
    assert any("one output per thread" in reason and "loads of" in reason for reason in found.reasons)


def test_a_convolution_wants_several_outputs_along_its_rows_and_whole_warps_across(facts_of: FactsOf) -> None:
    facts = facts_of(STENCIL)
    found = ranking(facts, 4096)
    assert found.one_output is not None
    assert found.one_output.launch.block[0] >= 32
    assert 3 <= found.best.launch.outputs_per_thread[0] * found.best.launch.outputs_per_thread[1] <= 16
    half_warps = LaunchConfig((16, 16, 1), (), found.best.launch.outputs_per_thread)
    assert time_s(facts, 4096, "rtx2080ti", "resios", half_warps) > 1.3 * found.best.time_s
    assert any("one output per thread" in reason and "loads of" in reason for reason in found.reasons)


def test_few_iterations_leave_large_blocks_no_multiprocessors(facts_of: FactsOf) -> None:
    rows = facts_of(
        """void f(int n, const float *restrict a, const float *restrict x, float *restrict y) {
 for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * x[k]; y[i] = s; } }"""
    )
    found = ranking(rows, 4096)
    assert found.best.launch.threads_per_block <= 64
    assert any("multiprocessors idle" in reason for reason in found.reasons)


def test_the_whole_ranking_has_every_launch_once(vecadd: NestFacts) -> None:
    found = ranking(vecadd, 2**20, "k20", "haigh", None)
    assert len(found.ranked) == found.possible
    assert len({entry.launch for entry in found.ranked}) == found.possible
    assert found.map.threads_per_block == tuple(range(32, 1025, 32))


def test_a_model_that_there_is_not_is_refused(vecadd: NestFacts) -> None:
    with pytest.raises(KeyError, match="crystal ball"):
        ranking(vecadd, 1000, model="crystal ball")


@pytest.mark.parametrize(
    ("subscript", "current"), [("i*n+j", LaunchConfig((256, 1, 1))), ("j*n+i", LaunchConfig((1, 256, 1)))]
)
def test_the_best_line_is_what_a_directive_can_ask_for(
    facts_of: FactsOf, subscript: str, current: LaunchConfig
) -> None:
    loops = f"for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) o[{subscript}] = 2 * a[{subscript}];"
    facts = facts_of(f"void f(int n, const float *restrict a, float *restrict o) {{ {loops} }}")
    sizes = {"n": 2000}
    kernel = kernel_at(facts.kernels[0], sizes)
    for origin in ("default", "thread_limit(256)"):
        found = search(SizedKernel(kernel, sizes), load_gpu("a100"), "resios", current, origin)
        assert found.line is not None
        launch = found.line.launch
        assert (launch.shared, launch.outputs_per_thread) == ((), (1, 1, 1))
        axis = current.block.index(256)
        assert launch.block[axis] == launch.threads_per_block, "a line along the current one's axis"
        assert found.current is not None
        assert found.line.time_s <= found.current.time_s * (1 + TOLERANCE)
