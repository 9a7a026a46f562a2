"""Reads of a tile that are merged, held against counters of a tiled matrix product (gpuperfpredict, CC-BY-4.0)."""

from dataclasses import replace

import pytest
from support.c_nests.parsed import only_kernel
from support.one_launch.shared_memory import choice_of
from support.one_launch.shared_region import shared_regions
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.wide_reads import merged_sizes
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

SIZES = {"n": 2048}


def product(type_: str = "float", row: str = "a[i*n+k]") -> Kernel:
    return only_kernel(f"""void f(int n, const {type_} *restrict a, const {type_} *restrict b, {type_} *restrict c) {{
 for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {{
  {type_} s = 0; for (int k = 0; k < n; k++) s += {row} * b[k*n+j]; c[i*n+j] = s; }} }}""")


def degree_of_row(kernel: Kernel, gpu: Gpu, tile: int) -> int:
    """Conflict degree of the factor whose rows a thread runs along."""
    block = (tile, tile, 1)
    regions = shared_regions(kernel, block, SIZES)
    staged = tuple(choice_of(region, 0.0, 0.0) for region in regions)
    return kernel_on_gpu(SizedKernel(kernel, SIZES), LaunchConfig(block, staged), gpu).costs[0].conflict_degree


@pytest.mark.parametrize(
    ("gpu", "passes"),
    [("gtx980", {8: 8, 16: 16, 32: 32}), ("k20", {8: 2, 16: 8, 32: 16}), ("gtx680", {8: 2, 16: 8, 32: 16})],
)
def test_passes_of_a_request_of_16_bytes_are_those_counted(gpu: str, passes: dict[int, int]) -> None:
    # Counted: shared load transactions less one for each of the other factor's requests, over a quarter of these.
    plain = product()
    swapped = replace(plain, thread_order=tuple(reversed(plain.thread_order)))
    shared = load_gpu(gpu).shared
    for tile, counted in passes.items():
        requests_of_a_warp = 32 * 16 // (shared.banks * shared.bank_width_bytes)
        assert degree_of_row(swapped, load_gpu(gpu), tile) * requests_of_a_warp == counted


def test_rows_that_are_not_aligned_in_every_thread_are_read_one_by_one() -> None:
    plain = product()
    swapped = replace(plain, thread_order=tuple(reversed(plain.thread_order)))
    # Rows of 9 and 10 words: none of 16 bytes; of 8 bytes where the row is even.
    assert degree_of_row(swapped, load_gpu("gtx980"), 9) == 1
    assert degree_of_row(swapped, load_gpu("gtx980"), 10) == 1


def test_what_may_be_merged() -> None:
    row, column, _ = product().accesses
    assert merged_sizes(row, product()) == (8, 16)
    assert merged_sizes(column, product()) == ()
    assert merged_sizes(product("double").accesses[0], product("double")) == (16,)
    along_grid = only_kernel(
        "void f(int n, const float *restrict a, float *restrict c) { for (int i = 0; i < n; i++) c[i] = a[i]; }"
    )
    assert merged_sizes(along_grid.accesses[0], along_grid) == ()
    backwards = product(row="a[i*n+n-k]")
    assert merged_sizes(backwards.accesses[0], backwards) == ()
