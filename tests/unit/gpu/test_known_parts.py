"""Subscripts of which data decides a part only: threads side by side along the other loops read side by side."""

from dataclasses import replace

import pytest
from support.c_nests.parsed import facts_of, only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.workload.loops.derived_symbols import extend_sizes
from warplens.hwprofiles.loader import load_gpu

_NEST = """void f(int n, int m, int pitch, const unsigned char *restrict x, const float *restrict shift,
 float *restrict y) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;
 for (int k = 0; k < m; k++) s += x[k * pitch + j + (int)(DELAY)]; y[i * n + j] = s; } }"""
_TABLE, _LINE = (_NEST.replace("DELAY", delay) for delay in ("0.02f * shift[k * n + i]", "i * 0.02f * shift[k]"))
_HEAD = "void f(int n, int m, const int *restrict row, const float *restrict x, float *restrict y) "
_ROWS = _HEAD + "{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) y[i * n + j] = x[row[i] + j]; }"
_SUM = (
    _HEAD
    + """{ for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += x[SUBSCRIPT];
 y[i] = s; } }"""
)

_ANY_FLOAT = (4 * 1 + 5 * 7) / 8
"""Sectors of 32 floats: 4 at one of 8 alignments in a sector, 5 at the others."""
_ANY_BYTE = (1 * 1 + 2 * 31) / 32
_SIZES = {"n": 4096, "m": 64, "elements of x": 1 << 24}


def _cost(kernel: Kernel, block: tuple[int, int, int], **sizes: int) -> AccessCost:
    costs = kernel_on_gpu(SizedKernel(kernel, {**_SIZES, **sizes}), LaunchConfig(block), load_gpu("a100")).costs
    return next(cost for facts, cost in zip(kernel.accesses, costs, strict=True) if facts.access.array == "x")


@pytest.mark.parametrize(
    ("source", "block", "sectors"),
    [
        (_TABLE, (256, 1, 1), _ANY_BYTE),
        (_TABLE, (16, 16, 1), 2 * (1 * 17 + 2 * 15) / 32),  # two delays, 16 bytes of each
        (_ROWS, (256, 1, 1), _ANY_FLOAT),
        (_ROWS, (16, 16, 1), 2 * (2 * 1 + 3 * 7) / 8),
        (_ROWS, (1, 256, 1), 32),
        (_SUM.replace("SUBSCRIPT", "row[k] + i"), (256, 1, 1), _ANY_FLOAT),
        (_SUM.replace("SUBSCRIPT", "row[k] * n + 2 * i"), (256, 1, 1), (8 * 2 + 9 * 6) / 8),
        (_SUM.replace("SUBSCRIPT", "row[k]"), (256, 1, 1), 1),
    ],
    ids=["delays", "two delays", "rows", "two rows", "down the rows", "row by row", "every other", "one for all"],
)
def test_sectors_are_those_of_a_run_at_any_alignment(source: str, block: tuple[int, int, int], sectors: float) -> None:
    cost = _cost(only_kernel(source), block)
    assert cost.sectors == pytest.approx(sectors)
    # Down the rows neighbouring threads are where data says, and nowhere else.
    assert (cost.pattern == "gathered") == (block[0] == 1)
    assert (cost.stride_bytes is None) == (block[0] == 1)


@pytest.mark.parametrize("subscript", ["row[i] + k", "row[i] * n + k", "k + i % 7 * n"])
def test_what_data_moves_with_the_thread_stays_gathered(subscript: str) -> None:
    cost = _cost(only_kernel(_SUM.replace("SUBSCRIPT", subscript)), (256, 1, 1), n=108 * 256)
    assert (cost.pattern, cost.sectors, cost.stride_bytes) == ("gathered", 32, None)
    # Along k each thread walks on: 8 floats of its row share a sector, which L1 still has.
    assert cost.l2_sectors == pytest.approx(4.0)


def test_a_row_that_data_moves_with_every_iteration_is_never_found_again() -> None:
    walked, jumped = (_cost(only_kernel(_SUM.replace("SUBSCRIPT", s)), (256, 1, 1)) for s in ("i + k", "i + row[k]"))
    assert walked.l2_sectors < jumped.l2_sectors / 8


def test_threads_down_the_rows_are_gathered() -> None:
    kernel = only_kernel(_ROWS)
    swapped = replace(kernel, thread_order=tuple(reversed(kernel.thread_order)))
    cost = _cost(swapped, (256, 1, 1))
    assert (cost.pattern, cost.sectors) == ("gathered", 32)


def test_rows_that_data_chooses_are_not_staged() -> None:
    opportunities = shared_opportunities(
        SizedKernel(only_kernel(_TABLE), {**_SIZES, "pitch": 5000}), (256, 1, 1), load_gpu("a100")
    )
    assert "x" not in {choice.array for choice in opportunities}


def test_starts_that_are_not_known_share_nothing() -> None:
    kernel = only_kernel(
        "void f(int n, float a, float b, const float *restrict x, float *restrict y) {"
        " for (int i = 0; i < n; i++) y[i] = x[(int)a + i] * x[(int)b + i]; }"
    )
    n = 1 << 24
    costs = kernel_on_gpu(
        SizedKernel(kernel, {"n": n, "elements of x": 2 * n}), LaunchConfig((256, 1, 1)), load_gpu("a100")
    ).costs
    reads = [cost for facts, cost in zip(kernel.accesses, costs, strict=True) if facts.access.array == "x"]
    assert [(cost.sectors, cost.dram_sectors) for cost in reads] == [(4, 4), (4, 4)]


@pytest.mark.parametrize(("step", "bytes_touched"), [(1, 17), (2, 18), (16, 32)])
def test_delays_that_grow_evenly_lie_in_one_row(step: int, bytes_touched: int) -> None:
    facts = facts_of(_LINE)
    sizes = extend_sizes({**_SIZES, "pitch": _SIZES["n"] + step * (_SIZES["n"] - 1)}, facts.nest)
    cost = _cost(facts.kernels[0], (16, 16, 1), **sizes)
    assert cost.sectors == pytest.approx(1 + (bytes_touched - 1) / 32)
    assert cost.pattern != "gathered"
    down_the_rows = _cost(facts.kernels[0], (1, 256, 1), **sizes)
    assert down_the_rows.sectors == pytest.approx(1 + 31 * step / 32)
