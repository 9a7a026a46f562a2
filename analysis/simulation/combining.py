"""What a warp runs after its program to combine the values of a reduction: a tree in the warp, the block and the grid.

Each warp combines its threads' values by shuffles, log2(threads of a warp) steps of a move and an operation. Its first
thread stores the result to shared memory; after a barrier the block's first warp combines those in log2(warps) steps,
and adds the block's value to the variable by one atomic operation. Before Kepler, which brought shuffles, all is a tree
in shared memory with a test and a barrier per level, in which half of the threads go on to the next one.

Assumes: a word that moves to another thread (a shuffle, a load or store of shared memory, the atomic operation) costs
what a shift costs, whose rate is the nearest to a shuffle's. Several variables are combined side by side.
Not modelled: atomic operations of many blocks that queue at the one element; a second kernel in their place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import OP_CLASSES, OpClass, blocks
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Table
from warplens.analysis.simulation.instruction_time import issue_cycles
from warplens.analysis.simulation.operation import Operation, Trace

MOVE: OpClass = "shift"
"""What a word on its way to another thread is counted as."""

_FIRST_WITH_SHUFFLES = 3
"""Major compute capability: Kepler."""

_UNFUSED: dict[OpClass, OpClass] = {"fp32_fma": "fp32_add", "fp64_fma": "fp64_add", "int_mad": "int_add"}


def combined_reductions(kernel: Kernel) -> tuple[Reduction, ...]:
    """Scalars whose parts are combined; elements of arrays and values set by all are stores of the program."""
    return tuple(r for r in kernel.reductions if not r.is_array_element and r.operator != "store")


def combining_per_warp(kernel: Kernel, gpu: Gpu, warps_per_block: Column) -> Table:
    """Instructions that the average warp of a block runs. Shape: (launches, op classes)."""
    by_all = _counts(kernel, _by_all_warps(gpu, warps_per_block, in_a_row=False))
    by_first = _counts(kernel, _by_first_warp(gpu, warps_per_block))
    return by_all + by_first / warps_per_block[:, None]


def combining_operation(kernel: Kernel, reduction: Reduction) -> OpClass:
    """What puts two values together: the arithmetic that the reduction's statement ends with."""
    ending: OpClass = "fp32_add"
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            match instruction.op:
                case "load" | "store" | "atomic" | "branch":
                    continue
                case op if instruction.statement == reduction.statement:
                    ending = op
    return _UNFUSED.get(ending, ending)


def has_shuffles(gpu: Gpu) -> bool:
    """Whether threads of a warp read each other's registers; AMD's have always done (no capability by number)."""
    major = gpu.compute_capability.partition(".")[0]
    return not major.isdigit() or int(major) >= _FIRST_WITH_SHUFFLES


def with_combining(trace: Trace, kernel: Kernel, gpu: Gpu) -> Trace:
    """Let warps end with what combines their values; a trace without work or without a reduction stays so.

    After the barrier the others wait for the first warp: its instructions are shared by all, its latency is not.
    """
    if not trace.operations or not combined_reductions(kernel):
        return trace
    warps = np.array([float(trace.warps_per_block)])
    in_a_row = _counts(kernel, _by_all_warps(gpu, warps, in_a_row=True))
    by_all = _operation(kernel, gpu, _counts(kernel, _by_all_warps(gpu, warps, in_a_row=False)), in_a_row)
    by_first = _counts(kernel, _by_first_warp(gpu, warps))
    last = _operation(kernel, gpu, by_first / trace.warps_per_block, by_first)
    barriers = (Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0)),) if trace.warps_per_block > 1 else ()
    return replace(trace, operations=(*trace.operations, by_all, *barriers, last))


def _operation(kernel: Kernel, gpu: Gpu, issued: Table, in_a_row: Table) -> Operation:
    """One computation of the trace: what the average warp issues, and the latency of what is in a row."""
    cycles = np.array([issue_cycles(gpu.timing(op), gpu.warp_size_threads) for op in OP_CLASSES])
    latencies = np.array([gpu.timing(op).latency_cycles for op in OP_CLASSES])
    delay = float((in_a_row[0] * latencies).sum()) / len(combined_reductions(kernel))
    return Operation("compute", float(issued.sum()), delay, (float((issued[0] * cycles).sum()), 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class _Tree:
    """Moves of a word and operations per variable, tests for all of them, of one warp. Shape: (launches,)."""

    moves: Column
    operations: Column
    tests: Column


def _counts(kernel: Kernel, tree: _Tree) -> Table:
    counts = np.zeros((len(tree.moves), len(OP_CLASSES)))
    reductions = combined_reductions(kernel)
    for reduction in reductions:
        operation = combining_operation(kernel, reduction)
        words = 2 if operation.startswith(("fp64", "int64")) else 1
        counts[:, OP_CLASSES.index(MOVE)] += words * tree.moves
        counts[:, OP_CLASSES.index(operation)] += tree.operations
    for control in ("compare", "branch") if reductions else ():
        counts[:, OP_CLASSES.index(control)] += tree.tests
    return counts


def _by_all_warps(gpu: Gpu, warps: Column, *, in_a_row: bool) -> _Tree:
    """Up to the barrier: of the average warp, or of the one with most to do."""
    in_warp = np.full_like(warps, np.ceil(np.log2(gpu.warp_size_threads)))
    if has_shuffles(gpu):
        return _Tree(in_warp + (warps > 1), in_warp, np.zeros_like(warps))
    # Of W warps W/2, W/4 ... 1 add in the levels over warps, then one in those within it: a load, the sum, a store.
    levels = in_warp + np.ceil(np.log2(warps))
    adding = levels if in_a_row else (warps - 1 + in_warp) / warps
    return _Tree(1 + 2 * adding, adding, levels)


def _by_first_warp(gpu: Gpu, warps: Column) -> _Tree:
    """After it: the values of the warps are loaded and combined, one atomic operation has the block's."""
    nothing = np.zeros_like(warps)
    if not has_shuffles(gpu):
        return _Tree(nothing + 1, nothing, nothing)
    steps = np.ceil(np.log2(warps))
    return _Tree(steps + (warps > 1) + 1, steps, nothing)
