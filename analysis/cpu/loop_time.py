"""What each loop of a nest asks of a core and of the memory hierarchy, before it is known how many cores share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import prod
from types import MappingProxyType

from warplens.analysis.cpu.access_groups import access_groups
from warplens.analysis.cpu.cache_traffic import CacheShare, Part, nest_traffic, part_of
from warplens.analysis.cpu.chain_overlap import chains_at_once
from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.core_cycles import IterationCycles, VectorCode, iteration_cycles
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.lane_widths import lane_widths
from warplens.analysis.cpu.loop_tree import UNROLL_MAX_TRIPS, CoreLoop, bounded, core_tree, unroll
from warplens.analysis.cpu.recurrence import Recurrence, recurrence
from warplens.analysis.cpu.statement_calls import statement_calls
from warplens.analysis.cpu.strides import Strides, strides_by_access, symbols_of
from warplens.analysis.cpu.vector_accesses import vector_accesses
from warplens.analysis.cpu.vectorisation import Vectorisation, vectorisation
from warplens.analysis.cpu.vector_remainder import with_remainder
from warplens.analysis.cpu.waits import Waits, waits_of
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, loops_of
from warplens.analysis.ir.types import Scalar
from warplens.analysis.workload.accesses.access_facts import accesses_at

_EXTRACTION_CYCLES = 1.0
"""Of taking an element out of a vector, to add it after the one before."""
_LARGEST_SCALE = 8
"""Bytes that an x86-64 address can multiply an index by."""
_UNROLLED_WITHOUT_GROWTH = 3
"""Trips of a loop whose copies gcc -O2 takes for no more code than the loop: two thirds of what is left of each copy
when the counting is gone, about half of it (estimated_unrolled_size in tree-ssa-loop-ivcanon.cc)."""


@dataclass(frozen=True, slots=True)
class LoopDemand:
    """The code that stands directly in one loop, over the whole nest.

    `around` are the loops around it and itself, outer first. `beyond_bytes[k]` crosses between cache k and what lies
    behind it; of the bytes beyond the last, `unstreamed_bytes` are of lines that no prefetcher brings.
    """

    around: tuple[NodeId, ...]
    iterations: float
    compute_s: float
    bytes_l1: float
    beyond_bytes: tuple[float, ...]
    unstreamed_bytes: float
    waits: Waits
    vectorisation: Vectorisation
    recurrence: Recurrence


@dataclass(frozen=True, slots=True)
class LoopCode:
    """The code that stands directly in one loop: what no share of the caches changes.

    `around` are the loops around it and itself, outer first; `groups` the numbers of the groups it refers to. `split_stores` are
    arrays to which it stores vectors as long as a line that lie across two: both are asked for twice.
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
class NestCode:
    """A nest at one problem size before it is known how many cores share it: `loops` are those of the `tree`.

    `lines` is what the groups of references touch of cache lines, `pages` of pages; None where no walk is counted.
    """

    tree: CoreLoop
    loops: Mapping[NodeId | None, CoreLoop]
    codes: tuple[LoopCode, ...]
    lines: Part
    pages: Part | None


def nest_code(facts: NestFacts, sizes: Mapping[str, int], cpu: Cpu, compilation: Compilation) -> NestCode:
    """Evaluate all of a nest that one core and all cores have in common."""
    facts = replace(facts, sequential_accesses=accesses_at(facts.sequential_accesses, facts.sequential, sizes))
    tree = core_tree(facts.sequential, sizes)
    loops = {node.loop: node for node in tree.walk()}
    symbols = symbols_of(facts, sizes)
    strides = strides_by_access(facts, loops, symbols)
    groups = access_groups(facts, loops, strides, symbols, sizes, cpu.page_bytes)
    is_far = any(group.is_far for group in groups)
    code = unroll(tree, UNROLL_MAX_TRIPS if compilation.level > 2 else _UNROLLED_WITHOUT_GROWTH)
    home = {copied: node.loop for node in code.walk() for copied in (*node.unrolled, node.loop)}
    inside = [home.get(group.main.path[-1] if group.main.path else None) for group in groups]
    sources = {loop.id: loop for loop in loops_of(facts.nest)}
    codes: list[LoopCode] = []
    pending: list[tuple[CoreLoop, tuple[NodeId, ...]]] = [(code, ())]
    while pending:
        node, outside = pending.pop()
        around = outside if node.loop is None else (*outside, node.loop)
        own = tuple(at for at, loop in enumerate(inside) if loop == node.loop)
        source = None if node.loop is None else sources.get(node.loop)
        place = _Place(facts, strides, loops, home, sources, symbols)
        codes.append(_loop_code(node, around, own, source, place, cpu, compilation))
        pending += [(child, around) for child in reversed(node.children)]
    return NestCode(
        tree,
        loops,
        tuple(codes),
        part_of(groups, loops, cpu.line_bytes),
        part_of(groups, loops, cpu.page_bytes) if is_far else None,
    )


def demands(
    nest: NestCode,
    cpu: Cpu,
    caches: Sequence[CacheShare],
    translations: CacheShare,
    cores_of: Mapping[NodeId, int] = MappingProxyType({}),
) -> tuple[LoopDemand, ...]:
    """What every loop asks for with the given share of each cache and of the pages whose translation is held.

    `cores_of` says of parallel loops how many cores share their iterations; what all of them do together is returned.
    """
    lines = nest_traffic(nest.lines, caches, cores_of, written_twice=not cpu.write_backs_apart)
    walks = [0.0] * len(lines)
    if nest.pages is not None:
        walks = [group.lines[0] for group in nest_traffic(nest.pages, (translations,), cores_of)]
    levels = len(cpu.caches)
    result: list[LoopDemand] = []
    for code in nest.codes:
        traffic = [(lines[at], walks[at]) for at in code.groups]
        result.append(
            LoopDemand(
                code.around,
                code.iterations,
                code.compute_s,
                code.bytes_l1,
                tuple(
                    bounded(
                        sum(
                            t.beyond_bytes[k] + (t.lines[k] * cpu.line_bytes if t.group.array in code.split_stores else 0.0)
                            for t, _ in traffic
                        )
                    )
                    for k in range(levels)
                ),
                bounded(sum(t.beyond_bytes[-1] for t, _ in traffic if t.group.is_far)) if levels else 0.0,
                waits_of(traffic, cpu, is_chased=bool(code.recurrence.chased)),
                code.vectorisation,
                code.recurrence,
            )
        )
    return tuple(result)


@dataclass(frozen=True, slots=True)
class _Place:
    """What a loop's code is read with: the nest, and where its loops and accesses are at these sizes."""

    facts: NestFacts
    strides: Mapping[NodeId, Strides | None]
    loops: Mapping[NodeId | None, CoreLoop]
    home: Mapping[NodeId | None, NodeId | None]
    sources: Mapping[NodeId, Loop]
    symbols: Mapping[str, int]


def _loop_code(
    node: CoreLoop,
    around: tuple[NodeId, ...],
    groups: tuple[int, ...],
    source: Loop | None,
    place: _Place,
    cpu: Cpu,
    compilation: Compilation,
) -> LoopCode:
    facts, strides = place.facts, place.strides
    body = source.body if source else ()
    verdict = next((verdict for verdict in facts.verdicts if verdict.loop == node.loop), None)
    own = tuple(a for a in facts.sequential_accesses if place.home.get(a.loops[-1] if a.loops else None) == node.loop)
    repeats = {loop: place.loops[loop].trips for loop in node.unrolled}
    widths = lane_widths(body, repeats)
    lanes = max(compilation.vector_bytes // widths.smallest, 1)
    simd = vectorisation(node, body, verdict, own, strides, facts.nest, compilation, lanes, repeats)
    chain = Recurrence(0.0)
    if source is not None and verdict is not None and not node.children:
        fused = replace(compilation, fuses_multiply_add=compilation.fuses_multiply_add and not simd.is_in_order)
        chain = recurrence(source, verdict, repeats, cpu, fused)
    vectors = None
    split: dict[NodeId, bool] = {}
    if (simd.is_vectorised or simd.is_in_order) and node.loop is not None:
        split = {access.access.id: _is_split(access, node.loop, place, cpu.line_bytes) for access in own}
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
        frozenset(a.access.array for a in own if vectors and a.is_write and split[a.access.id])
        if compilation.vector_bytes >= cpu.line_bytes
        else frozenset(),
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
            latency = max(latency, cpu.vector_integer_cycles) if kind.kind == "int" else latency
            if sums[0].operator == "+":
                latency *= max(kind.size_bytes * cycles.lanes // compilation.vector_bytes, 1)
    outer = around[-2] if len(around) > 1 else None
    together = 1.0
    if any(verdict.loop == outer and verdict.kind == "parallel" for verdict in facts.verdicts):
        passes = node.trips / cycles.lanes
        together = chains_at_once(passes, cycles.instructions * cycles.lanes, cpu.window_instructions)
    return latency / cycles.lanes / together


def _is_split(access: AccessFacts, inner: NodeId, place: _Place, line_bytes: int) -> bool:
    """Whether vectors of an access may lie across two lines: it does not start at a line's beginning in all
    iterations of the loops around `inner`.

    Assumes: arrays start at a line.
    """
    linear = access.address.linear_index
    strides = place.strides[access.access.id]
    if linear is None or strides is None:
        return True
    starts: dict[str, int] = dict(place.symbols)
    for loop in access.loops:
        source = place.sources.get(loop)
        start = source.start if source is not None else None
        if source is None or start is None or not start.symbols <= starts.keys():
            return True
        starts[source.iterator] = int(start.evaluate(starts))
    if not linear.symbols <= starts.keys():
        return True
    at_bytes = float(linear.evaluate(starts)) * access.access.element_bytes + access.access.member_offset_bytes
    around = access.loops[: access.loops.index(inner)] if inner in access.loops else access.loops
    outer = [stride for loop, stride in strides.items() if loop in around]
    return at_bytes % line_bytes != 0 or any(stride is None or stride % line_bytes for stride in outer)


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
        if along is not None
        and node.loop not in along
        and (compilation.level > 2 or access.loops[-1:] == (node.loop,))
    }
    written = {access.access.array for access in accesses if access.is_write and access.access.id not in still}
    return frozenset(a.access.id for a in accesses if a.access.id in still and a.access.array not in written)
