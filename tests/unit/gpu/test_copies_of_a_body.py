"""Copies that the source makes of a loop's body touch what the iterations they stand for would touch."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu


def sectors_from_l2(copies: int) -> dict[str, float]:
    """Sectors per array that a warp gets from L2 for each iteration of the inner loop of a product."""
    body = "".join(f"s += a[(k + {copy}) * n + i] * b[(k + {copy}) * n + j];" for copy in range(copies))
    kernel = only_kernel(
        "void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        f" for (int k = 0; k < n; k += {copies}) {{ {body} }} c[i*n+j] = s; }} }}"
    )
    costs = kernel_on_gpu(SizedKernel(kernel, {"n": 4096}), LaunchConfig((16, 16, 1)), load_gpu("rtx2080ti")).costs
    total = {"a": 0.0, "b": 0.0}
    for cost, facts in zip(costs, kernel.accesses, strict=True):
        if facts.access.array in total:
            total[facts.access.array] += cost.l2_sectors / copies
    return total


@pytest.mark.parametrize("copies", [2, 4])
def test_copies_meet_other_threads_in_l1_as_iterations_do(copies: int) -> None:
    assert sectors_from_l2(copies) == pytest.approx(sectors_from_l2(1))
