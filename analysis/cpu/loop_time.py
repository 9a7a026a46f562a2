"""What each loop of a nest asks of a core and of the memory hierarchy, before it is known how many cores share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from warplens.analysis.cpu.access_groups import access_groups
from warplens.analysis.cpu.cache_traffic import CacheShare, GroupTraffic, nest_traffic
from warplens.analysis.cpu.core_cycles import iteration_cycles
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.loop_tree import CoreLoop, bounded, core_tree, unroll
from warplens.analysis.cpu.recurrence import Recurrence, recurrence
from warplens.analysis.cpu.strides import Strides, strides_by_access, symbols_of
from warplens.analysis.cpu.vectorisation import Vectorisation, vectorisation
from warplens.analysis.cpu.waits import Waits, waits_of
from warplens.analysis.facts.nest_facts import AccessFacts, NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of


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


def demands(
    facts: NestFacts,
    sizes: Mapping[str, int],
    cpu: Cpu,
    caches: Sequence[CacheShare],
    translations: CacheShare,
    cores_of: Mapping[NodeId, int] = MappingProxyType({}),
) -> tuple[LoopDemand, ...]:
    """Evaluate every loop of a nest with the given share of each cache and of the pages whose translation is held.

    `cores_of` says of parallel loops how many cores share their iterations; what all of them do together is returned.
    """
    tree = core_tree(facts.sequential, sizes)
    loops = {node.loop: node for node in tree.walk()}
    strides = strides_by_access(facts, loops, symbols_of(facts, sizes))
    groups = access_groups(facts, loops, strides, sizes, cpu.page_bytes)
    lines = nest_traffic(groups, loops, caches, cpu.line_bytes, cores_of)
    walks = [0.0] * len(groups)
    if any(group.is_far for group in groups):
        pages = nest_traffic(groups, loops, (translations,), cpu.page_bytes, cores_of)
        walks = [group.lines[0] for group in pages]
    traffic = tuple(zip(lines, walks, strict=True))
    code = unroll(tree)
    home = {copied: node.loop for node in code.walk() for copied in (*node.unrolled, node.loop)}
    result: list[LoopDemand] = []
    pending: list[tuple[CoreLoop, tuple[NodeId, ...]]] = [(code, ())]
    while pending:
        node, outside = pending.pop()
        around = outside if node.loop is None else (*outside, node.loop)
        own = [t for t in traffic if home.get(t[0].group.main.path[-1] if t[0].group.main.path else None) == node.loop]
        result.append(_demand(node, around, own, facts, strides, cpu, loops, home))
        pending += [(child, around) for child in reversed(node.children)]
    return tuple(result)


def _demand(
    node: CoreLoop,
    around: tuple[NodeId, ...],
    traffic: Sequence[tuple[GroupTraffic, float]],
    facts: NestFacts,
    strides: Mapping[NodeId, Strides | None],
    cpu: Cpu,
    loops: Mapping[NodeId | None, CoreLoop],
    home: Mapping[NodeId | None, NodeId | None],
) -> LoopDemand:
    source = next((loop for loop in loops_of(facts.nest) if loop.id == node.loop), None)
    verdict = next((verdict for verdict in facts.verdicts if verdict.loop == node.loop), None)
    own = tuple(a for a in facts.sequential_accesses if home.get(a.loops[-1] if a.loops else None) == node.loop)
    simd = vectorisation(node, source.body if source else (), verdict, own, strides, facts.nest)
    chain = Recurrence(0.0)
    if source is not None and verdict is not None and not node.children:
        chain = recurrence(source, verdict, {loop: loops[loop].trips for loop in node.unrolled}, cpu)
    cycles = iteration_cycles(node, cpu, vectorised=simd.is_vectorised, in_register=_in_register(node, own, strides))
    slowest = max(cycles.throughput, chain.cycles / (cycles.lanes if simd.is_vectorised else 1))
    levels = len(cpu.caches)
    return LoopDemand(
        around,
        node.iterations,
        bounded(node.iterations * slowest) / cpu.clock_hz,
        bounded(node.iterations * cycles.bytes_l1),
        tuple(bounded(sum(t.beyond_bytes[k] for t, _ in traffic)) for k in range(levels)),
        bounded(sum(t.beyond_bytes[-1] for t, _ in traffic if t.group.is_far)) if levels else 0.0,
        waits_of(traffic, cpu, is_chased=bool(chain.chased)),
        simd,
        chain,
    )


def _in_register(
    node: CoreLoop, accesses: Sequence[AccessFacts], strides: Mapping[NodeId, Strides | None]
) -> frozenset[NodeId]:
    """Accesses that the loop does not move, of arrays that it does not write elsewhere: read once, written once."""
    if node.loop is None:
        return frozenset()
    moved = (strides[access.access.id] for access in accesses)
    still = {
        access.access.id
        for access, along in zip(accesses, moved, strict=True)
        if along is not None and node.loop not in along
    }
    written = {access.access.array for access in accesses if access.is_write and access.access.id not in still}
    return frozenset(a.access.id for a in accesses if a.access.id in still and a.access.array not in written)
