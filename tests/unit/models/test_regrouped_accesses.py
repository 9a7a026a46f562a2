"""Launches that stage an array for the order of its accesses alone: when the search has them, and what they gain."""

import pytest
from support.c_nests import parsed
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.launches.launch_space import launch_space, shareable_arrays
from warplens.hwprofiles.loader import load_gpu

HEAD = "void f(int n, const float *restrict a, const float *restrict x, float *restrict b)"
ROWS = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
TRANSPOSE = f"{HEAD} {{ {ROWS} b[j*n+i] = a[i*n+j]; }}"
COLUMNS_READ = f"{HEAD} {{ {ROWS} b[i*n+j] = a[j*n+i]; }}"
DENSE2 = f"{HEAD.replace('int n', 'int m, int n')} {{ for (int i = 0; i < m; i++) {{ float s = 0;\
 for (int j = 0; j < n; j++) s += a[i*n+j] * x[j]; b[i] = s; }} }}"
ADD = f"{HEAD} {{ {ROWS} b[i*n+j] = a[i*n+j] + 1; }}"


def sized(source: str, n: int) -> SizedKernel:
    return SizedKernel.of(parsed.facts_of(source).kernels[0], {"n": n})


@pytest.mark.parametrize(("source", "array"), [(TRANSPOSE, "b"), (COLUMNS_READ, "a")])
def test_transpose_goes_through_a_padded_tile(source: str, array: str) -> None:
    (choice,) = shared_opportunities(sized(source, 4096), (32, 8, 1), load_gpu("h100"), (1, 4, 1))
    assert (choice.array, choice.is_written, choice.is_read_again) == (array, array == "b", False)
    assert (choice.size_bytes, choice.moved_bytes, choice.pad_elements) == (32 * 33 * 4, 32 * 32 * 4, 1)


@pytest.mark.parametrize("model", COST_MODELS)
def test_tile_gains_what_it_was_measured_to_gain(model: str) -> None:
    # On an H100 a transpose of 8192 rows took 1.17 ms without a tile and 0.195 ms through one (32 x 33).
    kernel, gpu, time_s = sized(TRANSPOSE, 8192), load_gpu("h100"), COST_MODELS[model].time_s
    staged = shared_opportunities(kernel, (32, 8, 1), gpu, (1, 4, 1))
    plain = time_s(kernel_on_gpu(kernel, LaunchConfig((32, 8, 1)), gpu))
    tiled_case = kernel_on_gpu(kernel, LaunchConfig((32, 8, 1), staged, (1, 4, 1)), gpu)
    tiled = time_s(tiled_case)
    assert plain == pytest.approx(1.17e-3, rel=0.3)
    assert tiled == pytest.approx(0.195e-3, rel=0.15)
    assert 4 < plain / tiled < 9
    assert {cost.conflict_degree for cost in tiled_case.costs} == {1}


def test_search_puts_the_tile_first() -> None:
    ranking = search(sized(TRANSPOSE, 4096), load_gpu("h100"), "resios", most=1)
    assert [choice.array for choice in ranking.best.launch.shared] == ["b"]
    # What a directive can ask for has none.
    assert ranking.one_output is not None
    assert ranking.one_output.launch.shared == ()


@pytest.mark.parametrize(
    ("gpu", "rows", "least"), [("gtx580", 4096, 5), ("k20", 4096, 5), ("a100", 1 << 18, 2), ("h100", 1 << 18, 2.5)]
)
def test_rows_along_threads_are_read_through_a_tile(gpu: str, rows: int, least: float) -> None:
    # Haigh & McCreath's dense2.
    kernel = SizedKernel.of(parsed.facts_of(DENSE2).kernels[0], {"m": rows, "n": 4096})
    ranking = search(kernel, load_gpu(gpu), "resios", most=1)
    assert "a" in [choice.array for choice in ranking.best.launch.shared]
    assert ranking.one_output is not None
    assert ranking.one_output.time_s > least * ranking.best.time_s


@pytest.mark.parametrize("gpu", ["a100", "h100"])
def test_few_rows_are_read_from_l1_where_it_keeps_them(gpu: str) -> None:
    """A warp for each SM: its loads of 16 iterations are in flight together, of a copy four requests are."""
    kernel = SizedKernel.of(parsed.facts_of(DENSE2).kernels[0], {"m": 4096, "n": 4096})
    ranking = search(kernel, load_gpu(gpu), "resios", most=1)
    assert ranking.best.launch.shared == ()
    staged = shared_opportunities(kernel, (32, 1, 1), load_gpu(gpu))
    assert "a" in [choice.array for choice in staged]
    tiled = kernel_on_gpu(kernel, LaunchConfig((32, 1, 1), staged), load_gpu(gpu))
    assert COST_MODELS["resios"].time_s(tiled) > 2 * ranking.best.time_s
    # What the rows have of L1 is less than what it holds.
    (of_a,) = (facts for facts in tiled.kernel.accesses if facts.access.array == "a")
    plain = kernel_on_gpu(kernel, ranking.best.launch, load_gpu(gpu))
    assert plain.requests[of_a.access.id].l2_sectors < 0.2 * plain.requests[of_a.access.id].sectors


def test_what_only_cuda_can_stage_is_said_to_be(analyse_c) -> None:
    chain = f"{HEAD} {{ for (int i = 0; i < n; i++) {{ float s = 0;\
 for (int j = 0; j < n; j++) s = 0.5f * s + a[i*n+j]; b[i] = s; }} }}"
    found = analyse_c(chain, gpu="k20").functions[0].nests[0].evaluation
    assert [choice.array for choice in found.kernels[0].prediction.launch.shared] == ["a"]
    (kernel,) = found.with_one_output.kernels
    assert kernel.prediction.launch.shared == ()
    ((array, reason),) = kernel.shared_left_out
    assert (array, reason.split(",")[0]) == ("a", "only a port to CUDA can")


def test_no_launch_more_where_neighbours_use_neighbours() -> None:
    kernel, gpu = sized(ADD, 4096), load_gpu("h100")
    assert shareable_arrays(kernel, gpu) == ()
    assert not launch_space(kernel, gpu).staged.any()
