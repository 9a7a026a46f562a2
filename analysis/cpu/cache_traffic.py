"""Bytes that cross each level of the cache hierarchy while one core runs a nest: layer conditions on footprints."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.cpu.access_groups import AccessGroup
from warplens.analysis.cpu.footprint import lines_touched
from warplens.analysis.cpu.loop_tree import CoreLoop, bounded
from warplens.analysis.ir.ids import NodeId

Loops = Mapping[NodeId | None, CoreLoop]


@dataclass(frozen=True, slots=True)
class CacheShare:
    """One cache as a core sees it: `own_bytes` for what it works on, `nest_bytes` for all that the cores work on."""

    own_bytes: float
    nest_bytes: float


@dataclass(frozen=True, slots=True)
class GroupTraffic:
    """Of one group of references, for the whole nest.

    `beyond_bytes[k]` crosses between cache k and what lies behind it; written lines count twice, for they are read for
    ownership and written back. `lines[k]` are the lines fetched.
    """

    group: AccessGroup
    lines: tuple[float, ...]
    beyond_bytes: tuple[float, ...]


def nest_traffic(
    groups: Sequence[AccessGroup], loops: Loops, caches: Sequence[CacheShare], line_bytes: int
) -> tuple[GroupTraffic, ...]:
    """Traffic of each group.

    For each cache, the outermost loop is sought of which one iteration's footprint fits: data that this loop's next
    iteration uses again is still there, and the loop as a whole brings in its footprint once per entry. A nest that
    fits as a whole brings in nothing: it is taken to run on data that is in the cache already.

    Equation: lines(array, C) = entries(l) * footprint(array, l), l the outermost loop with the sum over all arrays of
    footprint(one iteration of l) <= C. A gather misses with probability 1 - C / (its array + what
    else the nest touches between two visits of one of its lines).
    Units: bytes, lines.
    Source: the layer condition of Stengel, Treibig, Hager and Wellein, "Quantifying performance bottlenecks of stencil
    computations using the Execution-Cache-Memory model" (ICS 2015), stated for any nest.
    Assumes: least recently used, fully associative; a cache's content is all the loop's own; arrays don't overlap.
    Not modelled: conflict misses (strides that are large powers of two), address translation, non-temporal stores.
    """
    working_sets = {
        loop: line_bytes * sum(_lines(group, loop, loops, line_bytes, one_iteration=True) for group in groups)
        for loop in loops
    }
    result: list[GroupTraffic] = []
    for group in groups:
        lines: list[float] = []
        for cache in caches:
            fetched = _fetched(group, cache, working_sets, loops, line_bytes)
            lines.append(min(fetched, lines[-1]) if lines else fetched)
        factor = (2.0 if group.is_written else 1.0) * line_bytes
        result.append(GroupTraffic(group, tuple(lines), tuple(factor * count for count in lines)))
    return tuple(result)


def _fetched(
    group: AccessGroup, cache: CacheShare, working_sets: Mapping[NodeId | None, float], loops: Loops, line_bytes: int
) -> float:
    if working_sets[None] <= cache.nest_bytes:
        return 0.0
    if group.is_gathered:
        array_bytes = group.array_lines * line_bytes
        others = working_sets[None] - min(group.main.requests, group.array_lines) * line_bytes
        between = others * min(1.0, group.array_lines / max(group.main.requests, 1.0))
        resident = min(1.0, cache.nest_bytes / max(array_bytes + max(between, 0.0), 1.0))
        return bounded(group.main.requests * (1.0 - resident))
    for loop in group.main.path:
        if working_sets[loop] <= cache.own_bytes:
            return bounded(loops[loop].entries * _lines(group, loop, loops, line_bytes, one_iteration=False))
    return group.main.requests


def _lines(group: AccessGroup, loop: NodeId | None, loops: Loops, line_bytes: int, *, one_iteration: bool) -> float:
    """Lines that a group touches in one iteration, or one execution, of a loop; 0 where it is not inside."""
    reference = group.reference_in(loop)
    if reference is None:
        return 0.0
    first = 0 if loop is None else reference.path.index(loop) + int(one_iteration)
    moving = reference.path[first:]
    if group.is_gathered:
        requests = 1.0
        for inner in moving:
            requests = bounded(requests * loops[inner].trips)
        return min(requests, group.array_lines)
    if any(loops[inner].trips <= 0.0 for inner in moving):
        return 0.0
    trips = [loops[mover].trips if mover in moving else 1.0 for mover in reference.movers]
    lines = lines_touched(group.walk, trips, line_bytes)
    for outer in reference.fresh:
        lines *= loops[outer].trips if outer in moving else 1.0
    return bounded(lines)
