"""Loads of an unrolled loop stand next to each other: a warp finds its own lines in L1 that do not stay for others."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import windows_of
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu

SIZES = {"n": 4096, "r": 15}


def filter_of(columns: str) -> Kernel:
    source = f"""void f(int n, int r, const float *restrict a, const float *restrict b, float *restrict c) {{
 for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {{ float s = 0;
 for (int i = 0; i < 15; i++) for (int j = 0; j < {columns}; j++) s += a[(y+i)*(n+14)+x+j] * b[i*15+j];
 c[y*n+x] = s; }} }}"""
    return only_kernel(source)


def image(kernel: Kernel, l1_bytes: int, block: tuple[int, int, int] = (64, 4, 1), outputs: int = 1) -> AccessCost:
    gpu = gpu_with(l1_bytes)
    costs = kernel_on_gpu(SizedKernel(kernel, SIZES), LaunchConfig(block, (), (1, outputs, 1)), gpu).costs
    return next(
        cost
        for cost in costs
        if cost.access == next(f.access.id for f in kernel.accesses if f.is_read and f.access.array == "a")
    )


def gpu_with(l1_bytes: int) -> Gpu:
    gpu = load_gpu("mi250x")
    return replace(gpu, l1=replace(gpu.l1, size_bytes=l1_bytes))


def test_only_loops_of_constant_length_are_windows() -> None:
    assert len(windows_of(filter_of("15"))) == 1
    assert not windows_of(filter_of("r"))


def test_a_window_fetches_its_row_once() -> None:
    found = image(filter_of("15"), 2048)
    # 64 + 14 floats of a row are 5 sectors of 64 bytes, for 15 requests.
    assert found.l2_sectors * 15 == pytest.approx(5)
    assert "the same warp" in found.why
    assert found.l2_sectors < image(filter_of("r"), 2048).l2_sectors < found.sectors
    assert "the resident blocks" in image(filter_of("15"), 2**20).why


def test_a_window_that_does_not_fit_is_fetched_anew() -> None:
    """What is left is the share of what all resident blocks touch that there is room for, as in any other loop."""
    found = image(filter_of("15"), 256)
    assert "the same warp" not in found.why
    assert found.l2_sectors == image(filter_of("r"), 256).l2_sectors
    assert image(filter_of("15"), 0).l2_sectors == found.sectors


@pytest.mark.parametrize("columns", ["15", "r"])
def test_a_larger_l1_lets_less_through(columns: str) -> None:
    kernel = filter_of(columns)
    through = [image(kernel, size).l2_sectors for size in (0, 64, 128, 256, 1024, 2048, 4096, 8192, 2**14, 2**20)]
    assert through == sorted(through, reverse=True)
    # All of a row of the block's threads comes once where everything stays, all that is asked for without a cache.
    assert through[-1] < 0.2
    assert through[0] > 4.5
    # Between the two there are shares.
    assert len(set(through)) > 5


def test_outputs_side_by_side_have_a_window_of_their_rows() -> None:
    # Rows that outputs share are requested once, 15 + outputs - 1 of them; a window has as many rows as outputs.
    per_output = [image(filter_of("15"), 4096, outputs=f).l2_sectors * (15 + f - 1) * 15 / f for f in (2, 4, 8)]
    assert per_output == pytest.approx([per_output[0]] * 3)
