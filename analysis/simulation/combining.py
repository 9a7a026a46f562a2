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

from dataclasses import replace

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


def combining_per_warp(kernel: Kernel, gpu: Gpu, warps_per_block: Column, *, first: bool = False) -> Table:
    """Instructions that the average warp of a block (or its first one) runs. Shape: (launches, op classes)."""
    counts = np.zeros((len(warps_per_block), len(OP_CLASSES)))
    reductions = combined_reductions(kernel)
    moves, steps, tests = _tree(gpu, warps_per_block, first=first)
    for reduction in reductions:
        operation = combining_operation(kernel, reduction)
        words = 2 if operation.startswith(("fp64", "int64")) else 1
        counts[:, OP_CLASSES.index(MOVE)] += words * moves
        counts[:, OP_CLASSES.index(operation)] += steps
    for control in ("compare", "branch") if reductions else ():
        counts[:, OP_CLASSES.index(control)] += tests
    return counts


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

    A block is done when its first warp is, so that each warp waits as long as that one runs.
    """
    if not trace.operations or not combined_reductions(kernel):
        return trace
    warps = np.array([float(trace.warps_per_block)])
    average = combining_per_warp(kernel, gpu, warps)[0]
    first = combining_per_warp(kernel, gpu, warps, first=True)[0]
    side_by_side = len(combined_reductions(kernel))
    issued = latency = 0.0
    for op, count, in_a_row in zip(OP_CLASSES, average.tolist(), first.tolist(), strict=True):
        issued += count * issue_cycles(gpu.timing(op), gpu.warp_size_threads)
        latency += in_a_row / side_by_side * gpu.timing(op).latency_cycles
    tree = Operation("compute", float(average.sum()), latency, (issued, 0.0, 0.0, 0.0))
    barriers = (Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0)),) if trace.warps_per_block > 1 else ()
    return replace(trace, operations=(*trace.operations, tree, *barriers))


def _tree(gpu: Gpu, warps: Column, *, first: bool) -> tuple[Column, Column, Column]:
    """Moves, operations and tests of the average warp of a block of so many warps, or of its first one."""
    in_warp = np.ceil(np.log2(gpu.warp_size_threads))
    over_warps = np.ceil(np.log2(warps))
    of_first = np.ones_like(warps) if first else 1 / warps
    if has_shuffles(gpu):
        steps = in_warp + over_warps * of_first
        through_shared = np.where(warps > 1, 1 + of_first, 0.0)
        return steps + through_shared + of_first, steps, np.zeros_like(warps)
    # Of W warps W/2, W/4 ... 1 add in the levels over warps, then one in those within it: a load, the sum, a store.
    adding = in_warp + over_warps if first else (warps - 1 + in_warp) / warps
    return 1 + 2 * adding + of_first, adding, in_warp + over_warps
