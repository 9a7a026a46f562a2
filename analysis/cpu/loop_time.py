"""What each loop of a nest asks of a core and of the memory hierarchy, before it is known how many cores share it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from warplens.analysis.cpu.access_groups import access_groups
from warplens.analysis.cpu.cache_traffic import CacheShare, GroupTraffic, Part, nest_traffic, part_of
from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.loop_code import LoopCode, Place, loop_code
from warplens.analysis.cpu.loop_tree import UNROLL_MAX_TRIPS, CoreLoop, bounded, core_tree, unroll
from warplens.analysis.cpu.recurrence import Recurrence
from warplens.analysis.cpu.strides import strides_by_access, symbols_of
from warplens.analysis.cpu.vectorisation import Vectorisation
from warplens.analysis.cpu.waits import Waits, waits_of
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.workload.accesses.access_facts import accesses_at

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
    place = Place(facts, strides, loops, home, {loop.id: loop for loop in loops_of(facts.nest)}, symbols)
    codes: list[LoopCode] = []
    pending: list[tuple[CoreLoop, tuple[NodeId, ...]]] = [(code, ())]
    while pending:
        node, outside = pending.pop()
        around = outside if node.loop is None else (*outside, node.loop)
        own = tuple(at for at, loop in enumerate(inside) if loop == node.loop)
        codes.append(loop_code(node, around, own, place, cpu, compilation))
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
                tuple(bounded(sum(_beyond_bytes(t, k, code, cpu) for t, _ in traffic)) for k in range(levels)),
                bounded(sum(t.beyond_bytes[-1] for t, _ in traffic if t.group.is_far)) if levels else 0.0,
                waits_of(traffic, cpu, is_chased=bool(code.recurrence.chased)),
                code.vectorisation,
                code.recurrence,
            )
        )
    return tuple(result)


def _beyond_bytes(traffic: GroupTraffic, level: int, code: LoopCode, cpu: Cpu) -> float:
    """What crosses behind a cache; lines that vectors are stored across are asked for twice."""
    again = traffic.lines[level] * cpu.line_bytes if traffic.group.array in code.split_stores else 0.0
    return traffic.beyond_bytes[level] + again
