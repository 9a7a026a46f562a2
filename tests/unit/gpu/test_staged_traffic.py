"""What blocks copy to shared memory: each element from DRAM once as long as L2 holds what a wave touches."""

from dataclasses import replace
from itertools import pairwise

import pytest
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.hwprofiles.loader import load_gpu


def shares(
    kernel: Kernel, n: int, l2_bytes: int, tile: int = 16, outputs: tuple[int, int, int] = (1, 1, 1)
) -> dict[str, float]:
    gpu = gpu_with(l2_bytes)
    block, sizes = (tile, tile, 1), {"n": n}
    sized = SizedKernel(kernel, sizes)
    choices = shared_opportunities(sized, block, gpu, outputs)
    copies = kernel_on_gpu(sized, LaunchConfig(block, choices, outputs), gpu).copies
    return {choice.array: copy.dram_share for choice, copy in zip(choices, copies, strict=True)}


def gpu_with(l2_bytes: int) -> Gpu:
    gpu = load_gpu("a100")
    return replace(gpu, l2=replace(gpu.l2, size_bytes=l2_bytes))


def test_tiles_of_a_matrix_product_that_fits_in_l2_come_from_dram_once(gemm: Kernel) -> None:
    # Each of the n / 16 blocks of a row copies the same tiles of a, each of a column those of b.
    assert shares(gemm, 1024, 2**30) == {"a": pytest.approx(16 / 1024), "b": pytest.approx(16 / 1024)}


def test_larger_tiles_leave_less_to_l2(gemm: Kernel) -> None:
    assert shares(gemm, 1024, 2**30, outputs=(2, 2, 1))["a"] == pytest.approx(32 / 1024)


def test_without_l2_all_comes_from_dram(gemm: Kernel) -> None:
    assert shares(gemm, 1024, 0) == {"a": 1.0, "b": 1.0}


def test_one_block_finds_nothing_in_l2(gemm: Kernel) -> None:
    assert shares(gemm, 32, 2**30, tile=32) == {"a": 1.0, "b": 1.0}


def test_a_larger_l2_never_means_more_traffic(gemm: Kernel) -> None:
    sizes = [0, 2**14, 2**16, 2**18, 2**20, 2**22, 2**25, 2**30]
    found = [shares(gemm, 2048, size) for size in sizes]
    for smaller, larger in pairwise(found):
        assert all(larger[array] <= smaller[array] for array in ("a", "b"))
    assert found[0]["a"] > found[-1]["a"]
