"""What a warp runs after its program to combine the values of a reduction: a tree in the warp, the block and the grid.

By shuffles: each warp combines its threads' values in log2(threads of a warp) steps of a move and an operation. Its
first thread stores the result to shared memory; after a barrier the block's first warp combines those in log2(warps)
steps, and adds the block's value to the variable by one atomic operation.

In shared memory, before Kepler brought shuffles: every thread stores its value; at each level of the tree half as many
threads add another one's to their own, and a barrier follows. All warps run every level: the few instructions of those
that add are predicated. How many levels there are is not known when the loop over them is compiled. (M. Harris,
"Optimizing parallel reduction in CUDA", 2007, kernel 3.)

Assumes: a word that moves to another thread (a shuffle, a load or store of shared memory, the atomic operation) issues
as a shift does, whose rate is the nearest to a shuffle's. Several variables are combined side by side.
Not modelled: atomic operations of many blocks that queue at the one element; a second kernel in their place.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import OP_CLASSES, OpClass, blocks
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.gpu.launch.launches import Column, Table, take_rows
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.instruction_time import issue_cycles
from warplens.analysis.simulation.operation import BARRIER, Operation, Trace

Combining = Literal["shuffles", "shared memory"]

MOVE: OpClass = "shift"
"""What a word on its way to another thread is counted as."""

_LEVEL: tuple[OpClass, ...] = ("compare", "int_add", "shift", "compare", "branch")
"""Of a level in shared memory: who adds, where the other value is, half as many, and the loop's end."""

_LEVEL_MOVES = 3
"""Both values are loaded, the result is stored."""

_UNFUSED: dict[OpClass, OpClass] = {"fp32_fma": "fp32_add", "fp64_fma": "fp64_add", "int_mad": "int_add"}


def combined_reductions(kernel: Kernel) -> tuple[Reduction, ...]:
    """Scalars whose parts are combined; elements of arrays and values set by all are stores of the program."""
    return tuple(r for r in kernel.reductions if not r.is_array_element and r.operator != "store")


def combining_of(gpu: Gpu) -> Combining:
    """How compilers do it: threads of a warp read each other's registers where they can."""
    return "shuffles" if gpu.has_warp_shuffles else "shared memory"


def combining_per_warp(kernel: Kernel, gpu: Gpu, warps_per_block: Column, by: Combining | None = None) -> Table:
    """Instructions that the average warp of a block runs. Shape: (launches, op classes). `by` None: as compilers do."""
    if not combined_reductions(kernel):
        return np.broadcast_to(np.zeros(()), (len(warps_per_block), len(OP_CLASSES)))
    warps, which = np.unique(warps_per_block, return_inverse=True)
    parts = _parts(kernel, gpu, warps, by or combining_of(gpu))
    return take_rows(parts.before + parts.levels[:, None] * parts.level + parts.last / parts.sharing[:, None], which)


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


def with_combining(trace: Trace, kernel: Kernel, gpu: Gpu, by: Combining | None = None) -> Trace:
    """Let warps end with what combines their values; a trace without work or without a reduction stays so.

    By shuffles the others wait for the first warp after the barrier: its instructions are shared by all, its latency is
    not. `by` None: as compilers do.
    """
    if not trace.operations or not combined_reductions(kernel):
        return trace
    parts = _parts(kernel, gpu, np.array([float(trace.warps_per_block)]), by or combining_of(gpu))
    barrier = (BARRIER,) if trace.warps_per_block > 1 else ()
    before = _operation(gpu, parts.before, _chain_cycles(kernel, gpu, parts.before))
    level = _operation(gpu, parts.level, _level_cycles(kernel, gpu))
    last = _operation(gpu, parts.last / parts.sharing[:, None], _chain_cycles(kernel, gpu, parts.last))
    levels = int(parts.levels[0]) * (level, *barrier)
    return replace(trace, operations=(*trace.operations, before, *barrier, *levels, last))


@dataclass(frozen=True, slots=True)
class _Parts:
    """Instructions of one warp: before the first barrier, at each of `levels` with a barrier after it, and at the end.

    What is at the end is done by one warp in `sharing`, while the others wait.
    """

    before: Table
    level: Table
    levels: Column
    last: Table
    sharing: Column


def _parts(kernel: Kernel, gpu: Gpu, warps: Column, by: Combining) -> _Parts:
    none, once = np.zeros_like(warps), np.ones_like(warps)
    in_warp, over_warps = once * np.ceil(np.log2(gpu.warp_size_threads)), np.ceil(np.log2(warps))
    if by == "shared memory":
        stored = _counts(kernel, once, none)
        return _Parts(stored, _counts(kernel, _LEVEL_MOVES * once, once, _LEVEL), in_warp + over_warps, stored, once)
    to_first = (warps > 1) * once
    before = _counts(kernel, in_warp + to_first, in_warp)
    last = _counts(kernel, over_warps + to_first + 1, over_warps)
    return _Parts(before, np.zeros_like(before), none, last, warps)


def _counts(kernel: Kernel, moves: Column, operations: Column, control: tuple[OpClass, ...] = ()) -> Table:
    """Moves of a word and operations of every variable, control once for all of them."""
    counts = np.zeros((len(moves), len(OP_CLASSES)))
    reductions = combined_reductions(kernel)
    for reduction in reductions:
        operation = combining_operation(kernel, reduction)
        words = 2 if operation.startswith(("fp64", "int64")) else 1
        counts[:, OP_CLASSES.index(MOVE)] += words * moves
        counts[:, OP_CLASSES.index(operation)] += operations
    for op in control if reductions else ():
        counts[:, OP_CLASSES.index(op)] += 1
    return counts


def _operation(gpu: Gpu, issued: Table, delay_cycles: float) -> Operation:
    """One computation of the trace: what the average warp issues, and how long it waits for the result."""
    cycles = np.array([issue_cycles(gpu.timing(op), gpu.warp_size_threads) for op in OP_CLASSES])
    return Operation("compute", float(issued.sum()), delay_cycles, (float((issued[0] * cycles).sum()), 0.0, 0.0, 0.0))


def _chain_cycles(kernel: Kernel, gpu: Gpu, in_a_row: Table) -> float:
    """Latency of instructions that wait for each other, those of several variables side by side."""
    latencies = np.array([gpu.timing(op).latency_cycles for op in OP_CLASSES])
    return float((in_a_row[0] * latencies).sum()) / len(combined_reductions(kernel))


def _level_cycles(kernel: Kernel, gpu: Gpu) -> float:
    """Latency of a level in shared memory, each after the other: its control, both loads, the operation, the store.

    The barrier holds until what was stored can be loaded.
    """
    operations = {combining_operation(kernel, reduction) for reduction in combined_reductions(kernel)}
    operation = max(gpu.timing(op).latency_cycles for op in operations)
    control = sum(gpu.timing(op).latency_cycles for op in _LEVEL)
    return control + operation + 2 * gpu.shared.latency_cycles
