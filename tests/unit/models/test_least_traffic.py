"""Bytes that have to pass between device memory and chip: each element once for each direction."""

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.least_traffic import least_dram_bytes
from warplens.analysis.models.results.quantity import only
from warplens.hwprofiles.loader import load_gpu

N = 4096
ROWS = "void f(int n, const float a[restrict n][n], float *restrict b, float c[restrict n][n]) {"
LOOPS = "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"


def case_of(source: str, *, staged: bool = False) -> KernelOnGpu:
    kernel, gpu = only_kernel(source), load_gpu("a100")
    block = (256, 1, 1) if len(kernel.grid) == 1 else (32, 8, 1)
    shared = shared_opportunities(SizedKernel(kernel, {"n": N}), block, gpu) if staged else ()
    assert bool(shared) == staged
    return kernel_on_gpu(SizedKernel(kernel, {"n": N}), LaunchConfig(block, shared), gpu)


@pytest.mark.parametrize(
    ("body", "elements"),
    [
        (f"{LOOPS} c[i][j] = a[i][j];", 2 * N * N),
        (f"{LOOPS} c[i][j] = a[i-1][j] + a[i][j-1] + a[i][j] + a[i][j+1] + a[i+1][j];", 2 * N * N),
        (f"{LOOPS} c[i][j] = c[i][j] * 2 + a[i][j];", 3 * N * N),
        (f"{LOOPS} c[i][j] = a[j][i];", 2 * N * N),
        ("for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < n; k++) s += a[i][k]; b[i] = s; }", N * N + N),
    ],
    ids=["copy", "stencil", "update", "transpose", "sums of rows"],
)
def test_each_element_passes_once_in_each_direction(body: str, elements: int) -> None:
    assert only(least_dram_bytes(case_of(f"{ROWS} {body} }}").work)) == pytest.approx(4 * elements, rel=2e-3)


def test_what_is_staged_passes_once_too() -> None:
    source = f"{ROWS} {LOOPS} c[i][j] = a[i-1][j] + a[i][j-1] + a[i][j] + a[i][j+1] + a[i+1][j]; }}"
    assert only(least_dram_bytes(case_of(source, staged=True).work)) == pytest.approx(8 * N * N, rel=0.01)
