"""Bytes that cross each level of the cache hierarchy while one core runs a nest: layer conditions on footprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from types import MappingProxyType

from warplens.analysis.cpu.access_groups import AccessGroup
from warplens.analysis.cpu.all_cores import share_of_a_core
from warplens.analysis.cpu.cache_sets import CacheSets
from warplens.analysis.cpu.footprint import Footprint, footprint
from warplens.analysis.cpu.loop_tree import CoreLoop, bounded
from warplens.analysis.ir.ids import NodeId

Loops = Mapping[NodeId | None, CoreLoop]


@dataclass(frozen=True, slots=True)
class CacheShare:
    """One cache as a core sees it: `own_bytes` for what it works on, of the `size_bytes` that it finds data in.

    One that `is_private` holds what its core works on, another what all cores do. `sets` is None where no stride crowds
    into few sets. One that `is_random` replaces any entry: of a larger working set it keeps what it
    has room for.
    """

    own_bytes: float
    size_bytes: float
    is_private: bool
    sets: CacheSets | None = None
    is_random: bool = False


@dataclass(frozen=True, slots=True)
class Touched:
    """Distinct lines; `stretches` is None where they lie anywhere (gathers, rows that start where data says)."""

    lines: float
    stretches: Footprint | None = None

    def crowded_sets(self, sets: CacheSets | None, line_bytes: int) -> int | None:
        """Sets that the lines fall into if these hold fewer lines (least recently used) and are not all sets."""
        if sets is None or self.stretches is None:
            return None
        reached = sets.reached(self.stretches, line_bytes)
        return reached if reached is not None and self.lines > reached * sets.ways else None


@dataclass(frozen=True, slots=True)
class GroupTraffic:
    """Of one group of references, for the whole nest.

    `beyond_bytes[k]` crosses between cache k and what lies behind it; written lines count twice, for they are read for
    ownership and written back (once where write-backs have a way of their own). `lines[k]` are the lines fetched into
    cache k, `crowded_sets[k]` the few sets of it that they crowd into; None where they don't.
    """

    group: AccessGroup
    lines: tuple[float, ...]
    crowded_sets: tuple[int | None, ...]
    beyond_bytes: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a nest, as loops with fewer trips: what a cache's core runs, as so many `cores` do; or all of it.

    `touched` has an entry per group: what it touches in one iteration of each loop, of lines (or pages) so long.
    """

    groups: Sequence[AccessGroup]
    loops: Loops
    line_bytes: int
    touched: Sequence[Mapping[NodeId | None, Touched]]
    working_sets: Mapping[NodeId | None, float]
    cores: Mapping[NodeId, int]

    def cores_with(self, group: AccessGroup) -> int:
        """Cores that run code with the group, each its own iterations."""
        return next((self.cores[loop] for loop in group.main.path if loop in self.cores), 1)


def part_of(
    groups: Sequence[AccessGroup],
    loops: Loops,
    line_bytes: int,
    cores: Mapping[NodeId, int] = MappingProxyType({}),
) -> Part:
    """What the groups touch in the loops as given: all of the nest, where those are all of its iterations."""
    touched = [{loop: _touched(group, loop, loops, line_bytes) for loop in loops} for group in groups]
    working_sets = {loop: line_bytes * sum(by_loop[loop].lines for by_loop in touched) for loop in loops}
    return Part(groups, loops, line_bytes, touched, working_sets, cores)


def nest_traffic(
    whole: Part,
    caches: Sequence[CacheShare],
    cores_of: Mapping[NodeId, int] = MappingProxyType({}),
    *,
    written_twice: bool = True,
) -> tuple[GroupTraffic, ...]:
    """Traffic of each group of the `whole` nest.

    With pages for lines, and a translation buffer for a cache, it is that of translations.

    For each cache, the outermost loop is sought of which one iteration's footprint fits: data that this loop's next
    iteration uses again is still there, and the loop as a whole brings in its footprint once per entry. A nest that
    fits as a whole brings in nothing: it is assumed to run on data that is in the cache already. Besides, each group
    must fit into the sets that its strides reach. Where loops run on several cores (`cores_of`), a private cache holds
    what its core's share of their iterations touches: what all cores read is brought into each.

    Equation: lines(array, C) = entries(l) * footprint(array, l), l the outermost loop with the sum over all arrays of
    footprint(one iteration of l) <= C and footprint(array, one iteration of l) <= room in its sets. A gather misses
    with probability 1 - C / (its array + what else the nest touches between two visits of one of its lines).
    Units: bytes, lines.
    Source: the layer condition of Stengel, Treibig, Hager and Wellein, "Quantifying performance bottlenecks of stencil
    computations using the Execution-Cache-Memory model" (ICS 2015), stated for any nest; the sets: cache_sets.py.
    Assumes: least recently used; a cache's content is all the loop's own; arrays don't overlap.
    Not modelled: conflicts between arrays, non-temporal stores.
    """
    groups, line_bytes = whole.groups, whole.line_bytes
    own = part_of(groups, share_of_a_core(whole.loops, cores_of), line_bytes, cores_of) if cores_of else whole
    result: list[GroupTraffic] = []
    for at, group in enumerate(groups):
        lines: list[float] = []
        crowded: list[int | None] = []
        for cache in caches:
            part = own if cache.is_private and not group.is_gathered else whole
            fetched, crowded_sets = _fetched(group, part.touched[at], cache, part)
            lines.append(min(fetched, lines[-1]) if lines else fetched)
            crowded.append(crowded_sets)
        factor = (2.0 if group.is_written and written_twice else 1.0) * line_bytes
        result.append(GroupTraffic(group, tuple(lines), tuple(crowded), tuple(factor * count for count in lines)))
    return tuple(result)


def _fetched(
    group: AccessGroup, touched: Mapping[NodeId | None, Touched], cache: CacheShare, part: Part
) -> tuple[float, int | None]:
    """Lines brought in by all cores, and the sets they crowd into where that is why reuse was lost."""
    working_sets, loops, line_bytes = part.working_sets, part.loops, part.line_bytes
    crowded = touched[None].crowded_sets(cache.sets, line_bytes)
    if working_sets[None] <= cache.size_bytes and crowded is None:
        return 0.0, None
    if group.is_gathered:
        array_lines = group.array_bytes / line_bytes
        others = working_sets[None] - min(group.main.requests, array_lines) * line_bytes
        between = others * min(1.0, array_lines / max(group.main.requests, 1.0))
        resident = min(1.0, cache.size_bytes / max(group.array_bytes + max(between, 0.0), 1.0))
        return bounded(group.main.requests * (1.0 - resident)), None
    missed = 1.0
    for loop in group.main.path:
        crowded_inside = touched[loop].crowded_sets(cache.sets, line_bytes)
        if working_sets[loop] <= cache.own_bytes and crowded_inside is None:
            once = _touched(group, loop, loops, line_bytes, one_iteration=False)
            return bounded(part.cores_with(group) * loops[loop].entries * once.lines * missed), crowded
        crowded = crowded_inside
        if cache.is_random and working_sets[loop] > cache.own_bytes:
            missed = 1.0 - cache.own_bytes / working_sets[loop]
    return group.main.requests * missed, crowded


def _touched(
    group: AccessGroup, loop: NodeId | None, loops: Loops, line_bytes: int, *, one_iteration: bool = True
) -> Touched:
    """What a group touches in one iteration, or one execution, of a loop; nothing where it is not inside."""
    reference = group.reference_in(loop)
    if reference is None:
        return Touched(0.0)
    first = 0 if loop is None else reference.path.index(loop) + int(one_iteration)
    moving = reference.path[first:]
    if group.is_gathered:
        requests = 1.0
        for inner in moving:
            requests = bounded(requests * loops[inner].trips)
        return Touched(min(requests, group.array_bytes / line_bytes))
    if any(loops[inner].trips <= 0.0 for inner in moving):
        return Touched(0.0)
    stretches = footprint(
        group.walk, [loops[mover].trips if mover in moving else 1.0 for mover in reference.movers], line_bytes
    )
    fresh = [loops[outer].trips for outer in reference.fresh if outer in moving]
    if fresh:
        return Touched(bounded(min(stretches.lines * prod(fresh), group.array_bytes / line_bytes)))
    return Touched(bounded(stretches.lines), stretches)
