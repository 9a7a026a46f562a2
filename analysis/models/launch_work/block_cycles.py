"""What each basic block adds to a warp's life: columns from a kernel's work, as simulation/trace.py has it of a launch.

Loads that are on their way together and instructions that do not wait for each other are so within a block, units that
work beside each other within a loop's body, so that the counts of the whole program do not say how long they take.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from warplens.analysis.facts.program import OP_CLASSES, Instruction
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.instruction_counts import (
    ByKind,
    CountedBlock,
    TileSaving,
    counted_blocks,
    kinds_of,
    private_accesses,
    tile_savings,
    with_copies,
)
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.request_latency import request_latency_cycles
from warplens.analysis.simulation.arithmetic_units import occupied_units
from warplens.analysis.simulation.executions import busiest_block
from warplens.analysis.workload.instructions.ilp import SLOW_PATHS, load_depths
from warplens.analysis.workload.thread_program.unrolling import MOST_WORDS_IN_FLIGHT, UNROLLED

WORD_BYTES = 4
_REMEMBERED_GPUS = 8
"""An analysis asks for one, thousands of times."""


@dataclass(frozen=True, slots=True)
class BlockCycles:
    """Sums over the blocks of a program, in cycles of the SM per warp. Shape: (launches,).

    `beside` is what arithmetic takes less for the units that work beside each other; `idle_requests` are those that a
    warp issues when threads of it are done with a loop, beyond those that all of them ask for. `loads` and `arithmetic`
    are what the warp waits for both with nobody else on the GPU, `in_a_row` the latter if nothing overlapped;
    `reload_ilp` are the instructions that run side by side where registers are reloaded.
    """

    beside: Column
    idle_requests: Column
    loads: Column
    arithmetic: Column
    in_a_row: Column
    reload_ilp: Column


def block_cycles(work: KernelWork) -> BlockCycles:
    """Of the program alone, without what stands before and behind it and without copies to shared memory."""
    gpu = work.gpu
    latency_cycles = np.array([gpu.timing(op).latency_cycles for op in OP_CLASSES])
    units = _unit_cycles(gpu)
    requests = request_latency_cycles(work)
    chunk = work.launches.block[:, 0].astype(np.float64)
    none = np.zeros(len(work.launches))
    of_parts: dict[int, Table] = {}
    total = BlockCycles(none, none, none, none, none, none + 1)
    for block in work.sized.shared(program_blocks):
        ilp = block.side_by_side(work.copies_of_kinds)
        saved = [
            (saving, work.copies_of_kinds * saving.share(work.is_staged, chunk)[:, None]) for saving in block.savings
        ]
        computed = with_copies(block.arithmetic @ latency_cycles, work.copies_of_kinds)
        for saving, shares in saved:
            computed = computed - with_copies(saving.arithmetic @ latency_cycles, shares)
        if gpu.has_units_apart:
            occupied = with_copies(block.arithmetic @ units, work.copies_of_kinds)
            for saving, shares in saved:
                occupied = occupied - with_copies(saving.arithmetic @ units, shares)
            of_parts[block.part] = of_parts.get(block.part, 0.0) + occupied
        instructions = with_copies(block.size, work.copies_of_kinds)
        for saving, shares in saved:
            instructions = instructions - with_copies(saving.arithmetic.sum(axis=1), shares) / block.issued
        total = BlockCycles(
            none,
            total.idle_requests + with_copies(block.requests, work.copies_of_kinds) * (block.issued - block.executions),
            total.loads + block.issued * _waited_cycles(block, instructions, work, requests),
            total.arithmetic + computed / ilp,
            total.in_a_row + computed,
            ilp if block.is_busiest else total.reload_ilp,
        )
    beside = sum((each[:, -1] - each[:, :-1].max(axis=1) for each in of_parts.values()), start=none)
    return replace(total, beside=beside)


@dataclass(frozen=True, slots=True)
class _Load:
    """Loads of an access (a column of the kernel's; None: unknown) at a depth, `often` in an execution of the block."""

    column: int | None
    kind: int
    depth: int
    often: float
    words: int


@dataclass(frozen=True, slots=True, eq=False)
class ProgramBlock:
    """A block with its executions by a warp; counts by kind, at one output per thread (`instruction_counts`).

    Shape: `arithmetic` (kinds, op classes) over the warp's life, `size` and `requests` (kinds,) of an execution: all
    instructions, and those of memory. It is `issued` more often where threads are done with a loop before others.
    """

    part: int
    """The body of a loop, loops inside it left out: its blocks keep units busy beside each other."""
    executions: float
    issued: float
    arithmetic: ByKind
    size: ByKind
    requests: ByKind
    savings: tuple[TileSaving, ...]
    loads: tuple[_Load, ...]
    deepest: int
    chain: float
    unroll: int
    ilp: float
    is_cut: bool
    is_busiest: bool

    def side_by_side(self, copies: Table) -> Column:
        """Instructions that do not wait for each other: outputs of a thread do not either, but behind slow paths."""
        grown = with_copies(self.size, copies) / self.size.sum()
        return np.full(len(copies), self.ilp) if self.is_cut else self.ilp * grown


def program_blocks(sized: SizedKernel) -> tuple[ProgramBlock, ...]:
    """Blocks that a warp executes at all, in the order of the program."""
    kernel, sizes = sized.kernel, sized.sizes
    spilling = busiest_block(kernel.program, sizes)
    bodies: dict[tuple[int, ...], int] = {}
    found = (
        replace(
            _program_block(sized, counted),
            part=bodies.setdefault(counted.inside, len(bodies)),
            is_busiest=counted.block is spilling,
        )
        for counted in counted_blocks(kernel.program, sizes)
        if counted.per_warp and counted.block.instructions
    )
    return tuple(found)


def _program_block(sized: SizedKernel, counted: CountedBlock) -> ProgramBlock:
    kernel, block = sized.kernel, counted.block
    kinds, private = kinds_of(kernel), private_accesses(kernel)
    column_of = {facts.access.id: column for column, facts in enumerate(kernel.accesses)}
    arithmetic, size = np.zeros((len(kinds), len(OP_CLASSES))), np.zeros(len(kinds))
    requests = np.zeros_like(size)
    depths = load_depths(block.instructions)
    often: dict[tuple[int | None, int, int, int], float] = {}
    for instruction, depth in zip(block.instructions, depths, strict=True):
        kind, share = kinds.index(instruction.variation), counted.share(instruction)
        size[kind] += share
        is_request = instruction.op in {"load", "store", "atomic"} and instruction.access not in private
        requests[kind] += share if is_request else 0.0
        match instruction.op:
            case "load" | "atomic" if is_request:
                column = None if instruction.access is None else column_of.get(instruction.access)
                key = column, kind, depth, _words(instruction)
                often[key] = often.get(key, 0.0) + share
            case "load" | "store" | "atomic":
                continue
            case op:
                arithmetic[kind, OP_CLASSES.index(op)] += share * counted.issued
    return ProgramBlock(
        part=0,
        executions=counted.per_warp,
        issued=counted.issued,
        arithmetic=arithmetic,
        size=size,
        requests=requests,
        savings=tuple(tile_savings(kernel, counted, column_of)),
        loads=tuple(_Load(column, kind, depth, n, words) for (column, kind, depth, words), n in often.items()),
        deepest=max(1, max(depths, default=0)),
        chain=float(block.load_chain),
        unroll=counted.unroll,
        ilp=max(1.0, float(block.ilp)),
        is_cut=any(instruction.op in SLOW_PATHS for instruction in block.instructions),
        is_busiest=False,
    )


def _words(load: Instruction) -> int:
    return -(-load.size_bytes // WORD_BYTES)


def _waited_cycles(block: ProgramBlock, instructions: Column, work: KernelWork, latency_cycles: Table) -> Column:
    """What a warp waits for the loads of one execution: for the longest of those that are in flight together.

    They are in flight together as far as there are registers for their words, once for each load of the longest chain.
    """
    total, words = np.zeros(len(work.launches)), np.zeros(len(work.launches))
    longest: dict[int, Column] = {}
    for load in block.loads:
        unknown = np.full(len(total), work.gpu.l2.latency_cycles)
        latency = unknown if load.column is None else latency_cycles[:, load.column]
        often = load.often * work.copies_of_kinds[:, load.kind]
        longest[load.depth] = np.maximum(longest.get(load.depth, 0.0), latency)
        total += latency * often
        words += often * load.words
    if not longest:
        return total
    chain = block.chain * block.unroll / np.minimum(block.unroll, _copies_of(instructions))
    in_turn = np.maximum(chain, words / MOST_WORDS_IN_FLIGHT)
    waited: Column = sum(longest.values()) / block.deepest * in_turn
    return np.where(waited > 0, np.minimum(total, waited), total)


def _copies_of(instructions: Column) -> Column:
    """`unrolling.copies_of` of each launch."""
    copies, longest = zip(*UNROLLED, strict=True)
    return np.select([instructions <= most for most in longest], [np.float64(each) for each in copies], 1.0)


@lru_cache(_REMEMBERED_GPUS)
def _unit_cycles(gpu: Gpu) -> Table:
    """Cycles of one instruction of each class at each unit, and in the last column at the busiest of them."""
    occupied = occupied_units(gpu)
    return np.array([(*occupied[op].units, occupied[op].busy) for op in OP_CLASSES])
