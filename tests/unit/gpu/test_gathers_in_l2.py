"""What data decides is not found in L2 because a wave of blocks touches little: only if all that is gathered stays."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

GPU = load_gpu("rtx2080ti")
N = 2**24


def gathered(elements: int, threads: int) -> AccessCost:
    source = "void f(int n, const int *restrict k, const float *restrict a, float *restrict c) {"
    kernel = only_kernel(source + " for (int i = 0; i < n; i++) c[i] = a[k[i]]; }")
    costs = kernel_on_gpu(
        SizedKernel(kernel, {"n": N, "elements of a": elements}), LaunchConfig((threads, 1, 1)), GPU
    ).costs
    return next(cost for cost in costs if cost.pattern == "gathered")


@pytest.mark.parametrize("threads", [32, 64, 256, 576, 1024])
def test_each_gather_beyond_l2_comes_from_memory(threads: int) -> None:
    # With 32 or 576 threads a wave's lines fit in L2, with the others they do not.
    found = gathered(N, threads)
    assert found.dram_sectors == found.sectors == GPU.warp_size_threads


@pytest.mark.parametrize("threads", [32, 256])
def test_an_array_that_stays_in_l2_comes_once(threads: int) -> None:
    elements = 2**18
    found = gathered(elements, threads)
    sectors = 4 * elements / GPU.l2.sector_bytes
    assert found.dram_sectors * N / GPU.warp_size_threads == pytest.approx(sectors)
