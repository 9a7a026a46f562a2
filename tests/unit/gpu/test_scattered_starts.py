"""Threads that walk on from where data says (rows of a sparse matrix), and gathers that threads share."""

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

_SPMV = """void f(int n, const int *restrict row, const int *restrict col, const double *restrict v,
 const double *restrict x, double *restrict y) {
 for (int i = 0; i < n; i++) { double s = 0; for (int k = row[i]; k < row[i + 1]; k++) s += v[k] * x[col[k]];
 y[i] = s; } }"""
_SPMV_BY_NAME = _SPMV.replace("for (int k = row[i]; k < row[i + 1];", "int b = row[i]; for (int k = b; k < row[i + 1];")
_ALL_THE_SAME = _SPMV.replace("k = row[i]; k < row[i + 1]", "k = row[0]; k < row[1]")
_SIZES = {"n": 1 << 20, "iterations of k": 24, "elements of x": 1 << 20, "row[0]": 0, "row[1]": 24}


def _costs(kernel: Kernel, rows: int) -> dict[str, AccessCost]:
    costs = kernel_on_gpu(SizedKernel(kernel, {**_SIZES, "n": rows}), LaunchConfig((256, 1, 1)), load_gpu("a100")).costs
    return {facts.access.array: cost for facts, cost in zip(kernel.accesses, costs, strict=True)}


@pytest.mark.parametrize("source", [_SPMV, _SPMV_BY_NAME], ids=["in the header", "through a scalar"])
def test_rows_of_a_sparse_matrix_are_read_thread_by_thread(source: str) -> None:
    kernel = only_kernel(source)
    costs = _costs(kernel, 108 * 256)
    assert (costs["v"].pattern, costs["v"].sectors, costs["v"].stride_bytes) == ("gathered", 32, None)
    assert (costs["col"].pattern, costs["col"].sectors) == ("gathered", 32)
    # 4 doubles and 8 columns of the row share a sector: the next iterations of the same thread find it in L1.
    assert costs["v"].l2_sectors == pytest.approx(8.0)
    assert costs["col"].l2_sectors == pytest.approx(4.0)
    assert costs["x"].pattern == "gathered"


def test_rows_of_a_sparse_matrix_fall_out_of_l1_with_many_threads() -> None:
    # 2048 threads with a line each of v, of col and of x are 768 KiB. Beside the KiB that each of 8 blocks has of
    # shared memory, L1 has room for 184: so often the next of 4 iterations finds the sector of the one before.
    kept = 184 / 768
    assert _costs(only_kernel(_SPMV), 1 << 20)["v"].l2_sectors == pytest.approx(8 * kept + 32 * (1 - kept))


def test_rows_of_a_sparse_matrix_are_not_staged() -> None:
    opportunities = shared_opportunities(SizedKernel(only_kernel(_SPMV), _SIZES), (256, 1, 1), load_gpu("a100"))
    assert {"v", "col"}.isdisjoint(choice.array for choice in opportunities)


def test_a_start_that_all_threads_share_is_a_broadcast() -> None:
    costs = _costs(only_kernel(_ALL_THE_SAME), 1 << 20)
    assert [costs[name].pattern for name in ("v", "col", "x")] == ["broadcast"] * 3
    assert costs["x"].sectors == 1


def test_a_gather_along_y_is_contiguous_in_each_row() -> None:
    kernel = only_kernel(
        "void f(int n, int m, const int *restrict p, const float (*restrict a)[512], float (*restrict b)[512]) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < 512; j++) b[i][j] = a[p[i]][j]; }"
    )
    costs = kernel_on_gpu(
        SizedKernel(kernel, {"n": 512, "m": 1, "elements of a": 512}), LaunchConfig((16, 2, 1)), load_gpu("a100")
    ).costs
    by_array = {facts.access.array: cost for facts, cost in zip(kernel.accesses, costs, strict=True)}
    assert by_array["p"].sectors == 1
    # 2 rows of 16 floats, each at any of the 8 alignments in a sector: 2 sectors at one of them, 3 at the others.
    assert (by_array["a"].pattern, by_array["a"].sectors) == ("misaligned", 2 * (2 * 1 + 3 * 7) / 8)
