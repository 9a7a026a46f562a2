"""What the code that stands directly in one loop takes a core when its data is in L1: as the compiler writes it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod

from warplens.analysis.cpu.chain_overlap import chains_at_once
from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.core_cycles import IterationCycles, VectorCode, iteration_cycles
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.lane_widths import NO_LANES, lane_widths
from warplens.analysis.cpu.library_loops import as_in_library, is_library_loop
from warplens.analysis.cpu.loop_tree import CoreLoop, bounded
from warplens.analysis.cpu.recurrence import Recurrence, recurrence
from warplens.analysis.cpu.split_lines import is_split, split_stores
from warplens.analysis.cpu.statement_calls import statement_calls
from warplens.analysis.cpu.strides import Strides
from warplens.analysis.cpu.vector_accesses import VectorAccess, vector_accesses, way_of
from warplens.analysis.cpu.vector_remainder import with_remainder
from warplens.analysis.cpu.vectorisation import Vectorisation, vectorisation
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.types import Scalar

_EXTRACTION_CYCLES = 0.5
"""Of taking an element out of a vector, to add it after the one before."""
_LARGEST_SCALE = 8
"""Bytes that an x86-64 address can multiply an index by."""


@dataclass(frozen=True, slots=True)
class LoopCode:
    """The code that stands directly in one loop: what no share of the caches changes.

    `around` are the loops around it and itself, outer first; `groups` the numbers of the groups it refers to.
    `split_stores` are arrays to which it stores vectors as long as a line that lie across two lines.
    """

    around: tuple[NodeId, ...]
    groups: tuple[int, ...]
    iterations: float
    compute_s: float
    bytes_l1: float
    vectorisation: Vectorisation
    recurrence: Recurrence
    split_stores: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Place:
    """What a loop's code is read with: the nest, and where its loops and accesses are at these sizes."""

    facts: NestFacts
    strides: Mapping[NodeId, Strides | None]
    loops: Mapping[NodeId | None, CoreLoop]
    home: Mapping[NodeId | None, NodeId | None]
    sources: Mapping[NodeId, Loop]
    symbols: Mapping[str, int]


def loop_code(
    node: CoreLoop,
    around: tuple[NodeId, ...],
    groups: tuple[int, ...],
    place: Place,
    cpu: Cpu,
    compilation: Compilation,
) -> LoopCode:
    """Decide how a loop is compiled, and take its iterations' cycles.

    In vectors, with what is left of them one by one; or as it is written. A chain from iteration to iteration may be
    slower; where the loop is short and the one around it parallel, several of them are under way at once.
    """
    facts, strides = place.facts, place.strides
    source = None if node.loop is None else place.sources.get(node.loop)
    body = source.body if source else ()
    verdict = next((verdict for verdict in facts.verdicts if verdict.loop == node.loop), None)
    own = tuple(a for a in facts.sequential_accesses if place.home.get(a.loops[-1] if a.loops else None) == node.loop)
    repeats = {loop: place.loops[loop].trips for loop in node.unrolled}
    is_side_by_side = (
        all(way_of(a, node.loop, strides[a.access.id]) == "vector" for a in own) if node.loop is not None else False
    )
    if is_side_by_side and is_library_loop(body, verdict, compilation):
        compilation = as_in_library(compilation, cpu)
    may_have_lanes = not node.children and verdict is not None and verdict.can_run_in_parallel
    widths = lane_widths(body, repeats) if may_have_lanes else NO_LANES
    lanes = max(compilation.vector_bytes // widths.smallest, 1)
    simd = vectorisation(node, body, verdict, own, strides, facts.nest, compilation, lanes, repeats)
    chain = Recurrence(0.0)
    if source is not None and verdict is not None and not node.children:
        fused = replace(compilation, fuses_multiply_add=compilation.fuses_multiply_add and not simd.is_in_order)
        chain = recurrence(source, verdict, repeats, cpu, fused)
    vectors = None
    split: dict[NodeId, bool] = {}
    reached: dict[NodeId, VectorAccess] = {}
    if (simd.is_vectorised or simd.is_in_order) and node.loop is not None:
        split = {
            access.access.id: is_split(access, node.loop, strides, place.sources, place.symbols, cpu.line_bytes)
            for access in own
        }
        reached = vector_accesses(own, node.loop, strides, split, compilation.vector_bytes, cpu.line_bytes, repeats)
        vectors = VectorCode(widths, reached)
    code = partial(
        iteration_cycles,
        node,
        cpu,
        compilation,
        calls=statement_calls(body, repeats, compilation),
        in_register=_in_register(node, own, strides, compilation),
        pointers=_pointers(node, own, strides),
        shared={
            access.access.id: _shared_by_copies(strides[access.access.id], repeats if compilation.level > 2 else {})
            for access in own
        },
    )
    alone = code(vectors=None)
    cycles = code(vectors=vectors) if simd.is_vectorised else alone
    waits = _chain_cycles(chain, node, around, cycles, facts, cpu, compilation)
    slowest = max(cycles.throughput, waits)
    if simd.is_vectorised:
        scalar = max(alone.throughput, _chain_cycles(chain, node, around, alone, facts, cpu, compilation))
        slowest = with_remainder(slowest, scalar, node.trips, cycles.lanes, compilation.vector_bytes)
    elif simd.is_in_order and vectors is not None:
        in_lanes = max(code(vectors=vectors).throughput, _EXTRACTION_CYCLES)
        slowest = max(min(cycles.throughput, in_lanes), waits)
    return LoopCode(
        around,
        groups,
        node.iterations,
        bounded(node.iterations * slowest) / cpu.clock_hz,
        bounded(node.iterations * cycles.bytes_l1),
        simd,
        chain,
        split_stores(own, split, reached, compilation, cpu) if simd.is_vectorised else frozenset(),
    )


def _chain_cycles(
    chain: Recurrence,
    node: CoreLoop,
    around: tuple[NodeId, ...],
    cycles: IterationCycles,
    facts: NestFacts,
    cpu: Cpu,
    compilation: Compilation,
) -> float:
    """Cycles per iteration for which the core waits: those of a chain, of which several are under way at once.

    A sum in wider lanes than the data is added to once for each vector of it that the data fills.
    """
    latency = chain.cycles
    if latency and cycles.lanes > 1:
        verdict = next(verdict for verdict in facts.verdicts if verdict.loop == node.loop)
        sums = [one for one in verdict.reductions if one.variable == chain.variable]
        kind = next((one.type for one in facts.nest.scalars if sums and one.name == chain.variable), None)
        if isinstance(kind, Scalar):
            copies = max(kind.size_bytes * cycles.lanes // compilation.vector_bytes, 1)
            if sums[0].operator == "+" and copies > 1:
                latency = copies * (max(latency, cpu.vector_integer_cycles) if kind.kind == "int" else latency)
            elif kind.kind == "int":
                latency = min(latency, cpu.vector_integer_cycles)
    outer = around[-2] if len(around) > 1 else None
    together = 1.0
    if any(verdict.loop == outer and verdict.kind == "parallel" for verdict in facts.verdicts):
        passes = node.trips / cycles.lanes
        together = chains_at_once(passes, cycles.instructions * cycles.lanes, cpu.window_instructions)
    return latency / cycles.lanes / together


def _shared_by_copies(strides: Strides | None, copies: Mapping[NodeId, float]) -> float:
    """Copies of an inner loop's code that load the same element."""
    if strides is None:
        return 1.0
    return prod(trips for inner, trips in copies.items() if trips and not strides.get(inner, 0.0))


def _pointers(node: CoreLoop, accesses: Sequence[AccessFacts], strides: Mapping[NodeId, Strides | None]) -> int:
    """Addresses that no index times 1, 2, 4 or 8 gives: each is counted on by an instruction of its own."""
    if node.loop is None:
        return 0
    steps = {(a.access.array, (strides[a.access.id] or {}).get(node.loop, 0.0)) for a in accesses}
    return sum(1 for _, step in steps if step and abs(step) > _LARGEST_SCALE)


def _in_register(
    node: CoreLoop,
    accesses: Sequence[AccessFacts],
    strides: Mapping[NodeId, Strides | None],
    compilation: Compilation,
) -> frozenset[NodeId]:
    """Accesses that the loop does not move, of arrays that it does not write elsewhere: read once, written once.

    Copies of an inner loop's code come too late at -O2 for their accesses to leave the loop.
    """
    if node.loop is None:
        return frozenset()
    moved = (strides[access.access.id] for access in accesses)
    still = {
        access.access.id
        for access, along in zip(accesses, moved, strict=True)
        if along is not None and node.loop not in along and (compilation.level > 2 or access.loops[-1:] == (node.loop,))
    }
    written = {access.access.array for access in accesses if access.is_write and access.access.id not in still}
    return frozenset(a.access.id for a in accesses if a.access.id in still and a.access.array not in written)
