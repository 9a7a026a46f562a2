"""Instructions of a matrix product with staged tiles, beside what nvprof counts; what each staged array saves."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import OP_CLASSES, BasicBlock, Instruction, ThreadLoop
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.launch_work.instruction_counts import instruction_counts, saved_by_tiles
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.workload.thread_program.tile_reads import addresses_in_tiles
from warplens.hwprofiles.loader import load_gpu

N = 4608
A, B, STATEMENT = NodeId(1), NodeId(2), NodeId(3)


def product(matmul: NestFacts, gpu_name: str, tile: int, arrays: str) -> KernelOnGpu:
    gpu, kernel, sizes = load_gpu(gpu_name), matmul.kernels[0], {"n": N}
    block = (tile, tile, 1)
    choices = tuple(c for c in shared_opportunities(SizedKernel(kernel, sizes), block, gpu) if c.array in arrays)
    assert len(choices) == len(arrays)
    return kernel_on_gpu(SizedKernel(kernel, sizes), LaunchConfig(block, choices), gpu)


def unroll(matmul: NestFacts) -> int:
    """Iterations of the product's loop that the compiler puts side by side where it reads no tile."""
    (loop,) = (region for region in matmul.kernels[0].program if isinstance(region, ThreadLoop))
    assert loop.unroll == 16
    return loop.unroll


def instructions(work: KernelWork) -> float:
    """Per iteration of the product's loop, copies (a load and a store each) and barriers included."""
    copies = 2 * work.staging_requests_per_warp + work.barriers_per_warp
    return float((work.arithmetic_per_warp.sum(axis=1) + work.requests_per_warp.sum(axis=1) + copies)[0]) / N


@pytest.mark.parametrize(
    ("gpu", "tile", "measured"), [("k20", 32, 2.76), ("gtx980", 32, 2.94), ("k20", 16, 3.26), ("k20", 8, 4.26)]
)
def test_a_staged_product_executes_about_what_is_measured(
    matmul: NestFacts, gpu: str, tile: int, measured: float
) -> None:
    # The compiler loads four words of a row at once (3/4 of a load less), which is not modelled.
    assert instructions(product(matmul, gpu, tile, "ab").work) == pytest.approx(measured, rel=0.2)


@pytest.mark.parametrize("arrays", ["a", "b", "ab"])
def test_each_staged_array_saves_its_address(matmul: NestFacts, arrays: str) -> None:
    column = OP_CLASSES.index("int_mad")
    plain, staged = (product(matmul, "k20", 16, some).work.arithmetic_per_warp[0] for some in ("", arrays))
    # Copies of the unrolled body share the address in a row of `a`; rows of `b` have one each.
    saved = {"a": N / unroll(matmul), "b": N}
    assert (plain - staged)[column] == sum(saved[array] for array in arrays)


@pytest.mark.parametrize("tile", [8, 16, 32])
def test_a_chunk_has_the_control_of_one_iteration(matmul: NestFacts, tile: int) -> None:
    work = product(matmul, "k20", tile, "ab").work.arithmetic_per_warp[0]
    prologue_tests = 2
    assert work[OP_CLASSES.index("branch")] == N / tile
    assert work[OP_CLASSES.index("compare")] == N / tile + prologue_tests


def test_a_wide_block_has_one_chunk(matmul: NestFacts) -> None:
    counts = instruction_counts(SizedKernel(matmul.kernels[0], {"n": 40}))
    copies = np.ones((3, 4))
    staged = np.array([[True] * 3, [True] * 3, [False] * 3])
    saved = saved_by_tiles(counts, copies, staged, np.array([40.0, 1000.0, 1000.0]))
    assert (saved.arithmetic[0] == saved.arithmetic[1]).all()
    assert not saved.arithmetic[2].any()
    assert saved.arithmetic[0, OP_CLASSES.index("branch")] == pytest.approx(40 / unroll(matmul) - 1)


def test_an_address_that_anything_else_needs_stays() -> None:
    def block(*users: Instruction) -> BasicBlock:
        return BasicBlock((Instruction("int_mad", (), STATEMENT), *users), ilp=Fraction(1))

    load, other = Instruction("load", (0,), STATEMENT, A), Instruction("load", (0,), STATEMENT, B)
    assert addresses_in_tiles(block(load), {A}) == {0}
    assert addresses_in_tiles(block(load, load), {A}) == {0}
    assert not addresses_in_tiles(block(load), set())
    assert not addresses_in_tiles(block(load, other), {A})
    assert addresses_in_tiles(block(load, other), {A, B}) == {0}
    assert not addresses_in_tiles(block(load, Instruction("int_add", (0,), STATEMENT)), {A})
    assert not addresses_in_tiles(block(load, Instruction("store", (0,), STATEMENT, A)), {A})
