"""Warps of a reduction combine their values: a tree in the warp, over the block's warps, one atomic per block."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.c_nests.parsed import only_kernel
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import Table
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.simulation.combining import MOVE, combined_reductions, combining_operation, combining_per_warp
from warplens.hwprofiles.loader import load_gpu


def kernel_of(type_: str, statement: str) -> Kernel:
    source = f"""{type_} f(int n, const {type_} *restrict x, const {type_} *restrict y) {{
 {type_} s = 0; for (int i = 0; i < n; i++) {statement} return s; }}"""
    return only_kernel(source)


DOT = "s += x[i] * y[i];"


def of_class(counts: Table, op: str) -> list[float]:
    return counts[:, OP_CLASSES.index(op)].tolist()


def test_shuffles_in_a_warp_then_over_the_warps_of_a_block() -> None:
    counts = combining_per_warp(kernel_of("float", DOT), load_gpu("k20"), np.array([1.0, 2.0, 8.0]))
    # Five steps in a warp of 32, and one or three more in the first warp of two or eight.
    assert of_class(counts, "fp32_add") == [5.0, 5 + 1 / 2, 5 + 3 / 8]
    # Each step moves a word; one goes to shared memory and, in the first warp, comes back; the last goes to memory.
    assert of_class(counts, MOVE) == [5 + 1, 5 + 1 / 2 + 1 + 1 / 2 + 1 / 2, 5 + 3 / 8 + 1 + 1 / 8 + 1 / 8]
    assert of_class(counts, "branch") == [0.0, 0.0, 0.0]


def test_before_kepler_every_warp_runs_every_level_of_a_tree_in_shared_memory() -> None:
    counts = combining_per_warp(kernel_of("float", DOT), load_gpu("gtx580"), np.array([1.0, 8.0]))
    levels = [5.0, 5.0 + 3]
    assert of_class(counts, "fp32_add") == of_class(counts, "branch") == levels
    # Who adds, and whether there are more levels.
    assert of_class(counts, "compare") == [2 * level for level in levels]
    # A level loads two words, stores one and halves the threads that go on; one word is stored before and one after.
    assert of_class(counts, MOVE) == [4 * level + 2 for level in levels]


def test_a_measured_kernel_is_combined_as_it_was() -> None:
    kernel, warps = kernel_of("float", DOT), np.array([8.0])
    as_measured = combining_per_warp(kernel, load_gpu("k20"), warps, "shared memory")
    assert np.array_equal(as_measured, combining_per_warp(kernel, load_gpu("gtx580"), warps))
    case = kernel_on_gpu(SizedKernel(kernel, {"n": 1 << 20}), LaunchConfig((256, 1, 1)), load_gpu("k20"))
    tree = replace(case, combining="shared memory")
    assert tree.trace.operations != case.trace.operations
    more = tree.work.arithmetic_per_warp - case.work.arithmetic_per_warp
    assert more == pytest.approx(as_measured - combining_per_warp(kernel, load_gpu("k20"), warps))


@pytest.mark.parametrize("threads", [32, 256])
def test_a_barrier_follows_every_level_in_shared_memory(threads: int) -> None:
    kernel, gpu = kernel_of("float", DOT), load_gpu("gtx580")
    trace = kernel_on_gpu(SizedKernel(kernel, {"n": 1 << 20}), LaunchConfig((threads, 1, 1)), gpu).trace
    free = kernel_on_gpu(
        SizedKernel(replace(kernel, reductions=()), {"n": 1 << 20}), LaunchConfig((threads, 1, 1)), gpu
    ).trace
    added = trace.operations[len(free.operations) :]
    between = ["sync"] if threads > 32 else []
    levels = 8 if threads > 32 else 5
    kinds = [kind for _ in range(levels + 1) for kind in ("compute", *between)]
    assert [operation.kind for operation in added] == [*kinds, "compute"]
    issued = sum(operation.count for operation in added if operation.kind == "compute")
    assert issued == pytest.approx(combining_per_warp(kernel, gpu, np.array([threads / 32])).sum())
    # Both loads together, and the store until the barrier lets go.
    control = sum(gpu.timing(op).latency_cycles for op in ("compare", "int_add", "shift", "compare", "branch"))
    waited = control + gpu.timing("fp32_add").latency_cycles + 2 * gpu.shared.latency_cycles
    assert added[-1 - (1 + len(between))].delay_cycles == waited


@pytest.mark.parametrize(
    ("type_", "statement", "operation", "words"),
    [
        ("float", DOT, "fp32_add", 1),
        ("double", DOT, "fp64_add", 2),
        ("int", DOT, "int_add", 1),
        ("float", "s = x[i] > s ? x[i] : s;", "compare", 1),
    ],
)
def test_the_operation_is_the_reductions(type_: str, statement: str, operation: str, words: int) -> None:
    kernel = kernel_of(type_, statement)
    (reduction,) = combined_reductions(kernel)
    assert combining_operation(kernel, reduction) == operation
    counts = combining_per_warp(kernel, load_gpu("a100"), np.ones(1))
    assert of_class(counts, MOVE) == [6.0 * words]


def test_the_trace_ends_with_the_tree_and_waits_for_the_first_warp() -> None:
    kernel, gpu = kernel_of("float", DOT), load_gpu("k20")
    add, move = gpu.timing("fp32_add").latency_cycles, gpu.timing(MOVE).latency_cycles
    for threads, kinds in ((32, ["compute", "compute"]), (256, ["compute", "sync", "compute"])):
        trace = kernel_on_gpu(SizedKernel(kernel, {"n": 1 << 20}), LaunchConfig((threads, 1, 1)), gpu).trace
        free = kernel_on_gpu(
            SizedKernel(replace(kernel, reductions=()), {"n": 1 << 20}), LaunchConfig((threads, 1, 1)), gpu
        ).trace
        added = trace.operations[len(free.operations) :]
        assert trace.operations[: len(free.operations)] == free.operations
        assert [operation.kind for operation in added] == kinds
        issued = sum(operation.count for operation in added if operation.kind == "compute")
        assert issued == pytest.approx(combining_per_warp(kernel, gpu, np.array([threads / 32])).sum())
        if threads == 256:
            assert added[0].delay_cycles == 5 * (add + move) + move
            # Three levels of eight warps, a load before and the atomic operation after them.
            assert added[-1].delay_cycles == 3 * (add + move) + 2 * move
            assert added[-1].count == (3 * 2 + 2) / 8


def test_elements_of_arrays_are_stores_of_the_program() -> None:
    source = "void f(int n, float *a) { for (int i = 0; i < n; i++) a[0] += 1.5f; }"
    kernel = only_kernel(source)
    assert kernel.reductions
    assert combined_reductions(kernel) == ()
    assert not combining_per_warp(kernel, load_gpu("k20"), np.array([8.0])).any()
