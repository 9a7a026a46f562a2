"""Instructions that a warp issues over its life, by how they vary along the grid's axes.

A thread with F outputs along an axis runs once per output what varies along it, and once what does not (Haigh &
McCreath's computations per thread, on the dependence of each instruction on the grid's iterators); what outputs share
in a window it runs less often (windows.py).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import (
    OP_CLASSES,
    BasicBlock,
    Branch,
    Instruction,
    Region,
    ThreadLoop,
    Variation,
    blocks,
)
from warplens.analysis.gpu.launch.launches import Column, Flags, Table
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.executions import busiest_block, shares_of
from warplens.analysis.simulation.grid import count, trips_of_warp
from warplens.analysis.simulation.prologue import PROLOGUE
from warplens.analysis.workload.kernels.work_per_thread import times_run
from warplens.analysis.workload.thread_program.tile_reads import addresses_of_loads

ByKind = NDArray[np.float64]
"""First axis: the kinds of instructions of a kernel, by how they vary (`kinds_of`)."""


@dataclass(frozen=True, slots=True)
class InstructionCounts:
    """Counts per warp over its life, at one output per thread; `copies_of_kinds` says how they grow with the outputs.

    Shape: `arithmetic` (kinds, op classes), `requests` and `waiting` (kinds, accesses in the kernel's order),
    `divergent` and `instructions` (kinds,). `waiting` are the requests that something waits for: loads and atomics.
    `divergent` are those that the average thread of the warp does not need. `chain` is the length of the blocks'
    longest chains, `busiest` how often the block that spills runs. All of it is without staging; `tile_savings` are
    what reads of staged arrays save of `arithmetic`.
    """

    axes: tuple[NodeId, ...]
    kinds: tuple[Variation, ...]
    arithmetic: ByKind
    requests: ByKind
    waiting: ByKind
    divergent: ByKind
    instructions: ByKind
    chain: float
    busiest: float
    tile_savings: tuple[TileSaving, ...] = ()


@dataclass(frozen=True, slots=True)
class TileSaving:
    """Arithmetic that a launch saves where it stages accesses (tile_reads.py), at one output per thread.

    An address is not computed where all of `accesses` (columns of the kernel's) are staged. A loop's control, which is
    counted once in `unroll` of its `trips`, runs once for a chunk: a part stays, or there is more of it where chunks
    are shorter. `trips` is 0 for addresses.
    Shape: `arithmetic` (kinds, op classes), `divergent` (kinds,).
    """

    accesses: tuple[int, ...]
    arithmetic: ByKind
    divergent: ByKind
    trips: float = 0.0
    unroll: int = 1

    def share(self, is_staged: Flags, chunk: Column) -> Column:
        """Share that launches save. Shape: `is_staged` (launches, accesses), `chunk` (launches,) iterations."""
        staged = is_staged[:, list(self.accesses)]
        if not self.trips:
            addresses: Column = np.where(staged.all(axis=1), 1.0, 0.0)
            return addresses
        in_a_row = np.clip(chunk, 1.0, max(1.0, self.trips))
        control: Column = np.where(staged.any(axis=1), 1 - self.unroll / in_a_row, 0.0)
        return control


@dataclass(frozen=True, slots=True)
class CountedBlock:
    """A basic block with its executions by a warp and by its average thread, and the loop that it is the body of."""

    block: BasicBlock
    per_warp: float
    per_thread: float
    unrolled: ThreadLoop | None
    trips: float = 0.0
    """Iterations of `unrolled`."""
    longer: float = 1.0
    """How much more often a warp runs it than its average thread, for loops that others of its threads still run."""
    inside: tuple[int, ...] = ()
    """The loops around it, each by its place among those next to it: alike for blocks of one loop's body."""

    @property
    def issued(self) -> float:
        """How often a warp issues it; its requests move what the threads ask for that still run."""
        return self.per_warp * self.longer

    @property
    def unroll(self) -> int:
        """Iterations that the compiler puts side by side."""
        return 1 if self.unrolled is None else self.unrolled.unroll

    def share(self, instruction: Instruction) -> float:
        """Executions of an instruction per execution of the block: control of an unrolled loop runs less often."""
        return 1.0 / self.unroll if self.is_control(instruction) else 1.0

    def is_control(self, instruction: Instruction) -> bool:
        """Whether an instruction counts and tests the iterations of the unrolled loop."""
        return self.unrolled is not None and instruction.statement == self.unrolled.loop


def instruction_counts(sized: SizedKernel) -> InstructionCounts:
    """Count the program of a kernel for one warp: both sides of divergent branches, others by their share.

    Accesses to memory of the thread itself stay in registers. The prologue is left out (`arithmetic_per_warp`).
    Assumes: average trip counts and branch shares, as the simulation's trace does; where data decides how often the
    threads of a warp run a loop, all wait for the one that runs it most.
    """
    kernel, sizes = sized.kernel, sized.sizes
    kinds = kinds_of(kernel)
    op_column = {op: column for column, op in enumerate(OP_CLASSES)}
    access_column = {facts.access.id: column for column, facts in enumerate(kernel.accesses)}
    private = private_accesses(kernel)
    arithmetic = np.zeros((len(kinds), len(OP_CLASSES)))
    requests = np.zeros((len(kinds), len(kernel.accesses)))
    waiting = np.zeros_like(requests)
    divergent = np.zeros(len(kinds))
    instructions = np.zeros(len(kinds))
    chain = busiest = 0.0
    spilling = busiest_block(kernel.program, sizes)
    savings: list[TileSaving] = []
    for counted in counted_blocks(kernel.program, sizes):
        savings.extend(tile_savings(kernel, counted, access_column))
        if counted.block is spilling:
            busiest += counted.per_warp
        length = 0.0
        for instruction in counted.block.instructions:
            if instruction.access in private:
                continue
            kind = kinds.index(instruction.variation)
            share = counted.share(instruction)
            issued = share * counted.issued
            length += issued
            instructions[kind] += issued
            divergent[kind] += share * (counted.issued - counted.per_thread)
            match instruction.op:
                case "load" | "store" | "atomic":
                    column = access_column.get(instruction.access) if instruction.access is not None else None
                    if column is not None:
                        requests[kind, column] += share * counted.per_warp
                        waiting[kind, column] += share * counted.per_warp if instruction.op != "store" else 0.0
                case op:
                    arithmetic[kind, op_column[op]] += issued
        chain += length / max(1.0, float(counted.block.ilp))
    return InstructionCounts(
        kernel.thread_order,
        kinds,
        arithmetic,
        requests,
        waiting,
        divergent,
        instructions,
        chain,
        busiest,
        tuple(savings),
    )


def tile_savings(kernel: Kernel, counted: CountedBlock, access_column: Mapping[NodeId, int]) -> Iterator[TileSaving]:
    """What a block could save: each address that is loaded from, and its loop's control."""
    instructions = counted.block.instructions
    for place, loaded in addresses_of_loads(counted.block):
        if all(access in access_column for access in loaded):
            columns = tuple(sorted(access_column[access] for access in loaded))
            yield TileSaving(columns, *_counted_arithmetic(kernel, counted, (instructions[place],)))
    read = {i.access for i in instructions if i.op == "load" and i.access is not None}
    loads = {access_column[access] for access in read if access in access_column}
    if loads and counted.unrolled is not None:
        addresses = {place for place, _ in addresses_of_loads(counted.block)}
        control = tuple(i for place, i in enumerate(instructions) if counted.is_control(i) and place not in addresses)
        arithmetic = _counted_arithmetic(kernel, counted, control)
        yield TileSaving(tuple(sorted(loads)), *arithmetic, counted.trips, counted.unroll)


def _counted_arithmetic(
    kernel: Kernel, counted: CountedBlock, instructions: tuple[Instruction, ...]
) -> tuple[ByKind, ByKind]:
    kinds = kinds_of(kernel)
    arithmetic, divergent = np.zeros((len(kinds), len(OP_CLASSES))), np.zeros(len(kinds))
    for instruction in instructions:
        kind, share = kinds.index(instruction.variation), counted.share(instruction)
        if instruction.op in OP_CLASSES:
            arithmetic[kind, OP_CLASSES.index(instruction.op)] += share * counted.issued
            divergent[kind] += share * (counted.issued - counted.per_thread)
    return arithmetic, divergent


@dataclass(frozen=True, slots=True, eq=False)
class SavedByTiles:
    """What staging saves a warp of each launch. Shape: `arithmetic` (launches, op classes), `divergent` (launches,)."""

    arithmetic: Table
    divergent: Column


def saved_by_tiles(counts: InstructionCounts, copies: Table, is_staged: Flags, chunk: Column) -> SavedByTiles:
    """Sum what launches save; `chunk` is the number of iterations that one filling of a staged array serves.

    Shape: `copies` (launches, kinds), `is_staged` (launches, accesses), `chunk` (launches,).
    """
    arithmetic = np.zeros((len(copies), len(OP_CLASSES)), order="F")
    divergent = np.zeros(len(copies))
    for saving in counts.tile_savings if is_staged.any() else ():
        shares = copies * saving.share(is_staged, chunk)[:, None]
        for kind, op in zip(*np.nonzero(saving.arithmetic), strict=True):
            arithmetic[:, op] += shares[:, kind] * saving.arithmetic[kind, op]
        divergent += with_copies(saving.divergent, shares)
    return SavedByTiles(arithmetic, divergent)


def copies_of_kinds(counts: InstructionCounts, outputs: Table) -> Table:
    """How often a warp runs each kind of instruction.

    Shape: (launches, at least axes) outputs along x, y, z to (launches, kinds).
    """
    once = np.ones(len(outputs))
    columns = [times_run(kind, counts.axes, list(outputs.T), once) for kind in counts.kinds]
    return np.stack(columns).T if columns else np.ones((len(outputs), 0))


def with_copies(counts: ByKind, copies: Table) -> Table:
    """Counts of launches whose warps run each kind so often: the matrix product `copies` · `counts`.

    Written out, as most counts are 0 and a matrix library starts threads, which take longer than the product.
    """
    total = np.zeros((len(copies), *counts.shape[1:]), order="F")
    for kind, *thing in zip(*np.nonzero(counts), strict=True):
        total[:, *thing] += copies[:, kind] * counts[kind, *thing]
    return total


def arithmetic_per_warp(counts: InstructionCounts, copies: Table, outputs_per_thread: NDArray[np.int64]) -> Table:
    """Instructions per op class with the prologue: an index per dimension, a test per output along each.

    Shape: (launches, op classes). Source: `simulation.prologue.with_prologue`; a warp without work has none.
    """
    issued = with_copies(counts.arithmetic, copies)
    if counts.instructions.any():
        index, test = (OP_CLASSES.index(op) for op in PROLOGUE)
        dimensions = len(counts.axes)
        issued[:, index] += dimensions
        issued[:, test] += outputs_per_thread[:, :dimensions].sum(axis=1)
    return issued


def at_least_one(total: Column, chain: Column | float) -> Column:
    """How many run side by side: all of them over those that run in a row, 1 where there are none."""
    chains = np.broadcast_to(chain, total.shape)
    side_by_side: Column = np.maximum(1.0, np.divide(total, chains, out=np.ones_like(total), where=chains > 0))
    return side_by_side


def kinds_of(kernel: Kernel) -> tuple[Variation, ...]:
    """The ways in which the instructions of a kernel vary, in the order of the program."""
    return tuple(dict.fromkeys(i.variation for block, _ in blocks(kernel.program) for i in block.instructions))


def private_accesses(kernel: Kernel) -> frozenset[NodeId]:
    """Accesses to memory of the thread itself, which are assumed to stay in registers."""
    return frozenset(facts.access.id for facts in kernel.accesses if facts.is_private)


def counted_blocks(program: tuple[Region, ...], sizes: Mapping[str, int]) -> Iterator[CountedBlock]:
    """Basic blocks in program order with their average executions by one warp and by one thread."""
    yield from _counted(program, sizes, CountedBlock(BasicBlock((), Fraction(1)), 1.0, 1.0, None))


def _counted(
    program: tuple[Region, ...], sizes: Mapping[str, int], around: CountedBlock, in_branches: tuple[int, ...] = ()
) -> Iterator[CountedBlock]:
    """Blocks of a part of the program; `around` is how often it runs, its block is none.

    `in_branches` are the sides of branches that it is in, out of those of the body around it.
    """
    for place, region in enumerate(program):
        match region:
            case BasicBlock():
                yield replace(around, block=region)
            case ThreadLoop():
                trips = count(region.trip_count, sizes)
                inside = CountedBlock(
                    around.block,
                    around.per_warp * trips,
                    around.per_thread * trips,
                    region if region.unroll > 1 and len(region.body) == 1 else None,
                    trips,
                    around.longer * (trips_of_warp(trips, region.is_uneven) / trips if trips else 1.0),
                    (*around.inside, *in_branches, place),
                )
                yield from _counted(region.body, sizes, inside)
            case Branch():
                of_warp, of_thread = shares_of(region, per_warp=True), shares_of(region, per_warp=False)
                for number, (side, warp_share, thread_share) in enumerate(
                    zip((region.then, region.otherwise), of_warp, of_thread, strict=True)
                ):
                    per_warp, per_thread = around.per_warp * warp_share, around.per_thread * thread_share
                    taken = CountedBlock(around.block, per_warp, per_thread, None, 0.0, around.longer, around.inside)
                    yield from _counted(side, sizes, taken, (*in_branches, place, number))
