"""Work per thread in a prediction: the matrix product wants outputs until the registers are used up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.models.resios.resios import predict
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.workload.kernels.work_per_thread import registers_needed
from warplens.hwprofiles.loader import load_gpu

BLOCKS = [(8, 8, 1), (16, 8, 1), (16, 16, 1), (32, 8, 1), (32, 32, 1)]


def best(kernel: Kernel, outputs: int) -> Prediction:
    gpu = load_gpu("rtx2080ti")
    launches = [LaunchConfig(block, (), (outputs, outputs, 1)) for block in BLOCKS]
    found = [predict(SizedKernel(kernel, {"n": 4096}), launch, gpu) for launch in launches]
    return min((p for p in found if p.occupancy.blocks_per_sm), key=lambda p: p.time_s)


def test_a_matrix_product_gains_from_outputs_until_they_spill(matmul_t: Kernel) -> None:
    """Order measured on an RTX 2080 Ti (4096 cubed): 8 x 8, 4 x 4, 2 x 2, 1 x 1; 16 x 16 spills and is slow again."""
    one, two, four, eight, sixteen = (best(matmul_t, outputs) for outputs in (1, 2, 4, 8, 16))
    assert eight.time_s < four.time_s < two.time_s < one.time_s
    assert [p.spills_per_thread for p in (one, two, four, eight)] == [0, 0, 0, 0]
    assert sixteen.spills_per_thread > 0
    assert sixteen.time_s > four.time_s


@pytest.mark.parametrize(("outputs", "least", "most"), [(1, 4, 24), (4, 25, 46), (8, 83, 96), (16, 256, 400)])
def test_registers_lie_between_what_nvcc_needs_and_what_it_takes(
    matmul_t: Kernel, outputs: int, least: int, most: int
) -> None:
    """nvcc 13 for sm_75: 24 (its least), 37, 83 without spills; 46 and 96 when it is free; 16 x 16 does not fit."""
    assert least <= registers_needed(matmul_t, (outputs, outputs, 1)) <= most


def test_a_sum_of_two_vectors_gains_nothing(vecadd_kernel: Kernel) -> None:
    gpu = load_gpu("rtx2080ti")
    times = [
        predict(SizedKernel(vecadd_kernel, {"n": 2**24}), LaunchConfig((256, 1, 1), (), (outputs, 1, 1)), gpu).time_s
        for outputs in (1, 2, 8)
    ]
    assert max(times) < 1.05 * min(times)


def test_outputs_enlarge_staged_tiles_and_share_reads(matmul: NestFacts, facts_of: Callable[[str], NestFacts]) -> None:
    n, gpu, outputs = 1024, load_gpu("a100"), (4, 2, 1)
    found = shared_opportunities(SizedKernel(matmul.kernels[0], {"n": n}), (16, 8, 1), gpu, outputs)
    tiles = {choice.array: choice for choice in found}
    assert tiles["a"].size_bytes == (8 * 2) * (16 + 1) * 4
    assert tiles["b"].size_bytes == 16 * (16 * 4) * 4
    assert {choice.stagings_per_block for choice in found} == {n / 16}
    assert tiles["a"].reads_per_block == 16 * 8 * 2 * n
    assert tiles["b"].reads_per_block == 16 * 8 * 4 * n
    stencil = facts_of(
        "void f(int n, const float *restrict a, float *restrict c) {"
        " for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"
        " c[i*n+j] = a[(i-1)*n+j] + a[i*n+j-1] + a[i*n+j] + a[i*n+j+1] + a[(i+1)*n+j]; }"
    ).kernels[0]
    (halo,) = shared_opportunities(SizedKernel(stencil, {"n": n}), (32, 8, 1), gpu, (1, 4, 1))
    assert halo.size_bytes == (32 + 2) * (8 * 4 + 2) * 4
    # Of a column of four outputs six elements are read, left and right neighbours of each besides.
    assert halo.reads_per_block == 32 * 8 * (6 + 2 * 4)


@pytest.fixture
def matmul_t(facts_of: Callable[[str], NestFacts]) -> Kernel:
    facts = facts_of(
        "void f(int n, const float *restrict a, const float *restrict b, float *restrict c) {"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
        " for (int k = 0; k < n; k++) s += a[k*n+i] * b[k*n+j]; c[i*n+j] = s; } }"
    )
    return facts.kernels[0]


@pytest.fixture
def vecadd_kernel(vecadd: NestFacts) -> Kernel:
    return vecadd.kernels[0]
