"""Which level of the memory hierarchy serves an access: a stated rule on working sets, not a cache simulation.

The threads that are resident together are assumed to run in step. Data that they touch again, in the same iteration
or in the next one of a sequential loop, is still in a cache when everything touched in between fits in it (the layer
condition). The outermost loop for which that holds decides: inside it each sector comes once, and again for every
iteration of the loops outside it. Loads of one warp that stand next to each other, as those of an unrolled loop do,
find each other's lines in L1 even where it does not hold what all threads touch (`sectors_of_windows`). L1 holds the
blocks resident on one SM, L2 one wave of blocks; when the wave's data fits in L2 the whole grid's sectors come from
DRAM once (gathered ones once per wave), and when the grid's does, once for all launches.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from math import inf, prod

from support.one_launch.footprint import group_granules
from warplens.analysis.gpu.placement.walk import Counts, WalkGroup
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True)
class Level:
    """A cache as seen by the threads that share it: `threads` are the grid loops' counts that run together.

    `copies` is how many such sets of threads share the capacity without sharing data (blocks of an SM).
    """

    capacity_bytes: float
    line_bytes: int
    sector_bytes: int
    threads: Counts
    copies: float


def sectors_through(
    level: Level, group: WalkGroup, groups: Sequence[WalkGroup], trips: Mapping[NodeId, float]
) -> float:
    """Sectors that one set of threads fetches through `level` for a group, over its life; infinite without any reuse.

    Source: layer conditions (Rivera & Tseng 2000; Stengel et al. 2015), applied to threads in step.
    """
    captured = len(group.path) + 1
    if not group.path:
        # Accesses outside all loops follow each other: what loops touch in between is left out.
        step = [other for other in groups if not other.path]
        captured = 0 if whole_bytes(level, step, trips) <= level.capacity_bytes else captured
    for depth in range(len(group.path) - 1, -1, -1):
        if _working_set(level, groups, group.path[depth], trips) > level.capacity_bytes:
            break
        captured = depth
    if captured > len(group.path):
        return inf
    counts = dict(level.threads)
    counts.update((loop, trips[loop]) for loop in group.path[captured:])
    repeats = 1.0
    for loop in group.path[:captured]:
        repeats *= trips[loop]
    return repeats * group_granules(group, counts, level.sector_bytes)


def sectors_of_windows(
    level: Level,
    group: WalkGroup,
    windows: Collection[NodeId],
    warp: Counts,
    warps: float,
    trips: Mapping[NodeId, float],
) -> float:
    """Sectors that `warps` fetch for a group when each finds again only what its own loads next to each other touch.

    `windows` are innermost loops that are unrolled whole (`walk.windows_of`): the loads of all their iterations stand
    next to each other, a warp issues them without a wait in between, and those that touch a line again meet it on its
    way or just there, whatever other warps touch. So a window fetches its sectors once, and each window anew; infinite
    for a group in no such loop, or where one window does not fit. `warp` are the grid loops' counts of one warp.
    Assumes: loads wait for no registers, so that a window is not cut.
    """
    if not group.path or group.path[-1] not in windows:
        return inf
    counts = {**warp, group.path[-1]: trips[group.path[-1]]}
    if group_granules(group, counts, level.line_bytes) * level.line_bytes > level.capacity_bytes:
        return inf
    repeats = prod(trips[loop] for loop in group.path[:-1])
    return warps * repeats * group_granules(group, counts, level.sector_bytes)


def sectors_of_waves(wave: Level, grid: Level, group: WalkGroup, number: float, trips: Mapping[NodeId, float]) -> float:
    """Sectors that a grid of `number` waves fetches for a group when all that a wave touches stays in the cache.

    Neighbouring waves touch neighbouring data, so that each sector comes once; where data decides which, each wave
    fetches its own, unless all that the grid touches of them stays.
    """
    running = {loop: trips[loop] for loop in group.path}
    once = group_granules(group, {**grid.threads, **running}, grid.sector_bytes)
    if not group.is_scattered_along((*grid.threads, *group.path)):
        return once
    stays = group_granules(group, {**grid.threads, **running}, grid.line_bytes) * grid.line_bytes <= grid.capacity_bytes
    return once if stays else number * group_granules(group, {**wave.threads, **running}, wave.sector_bytes)


def whole_bytes(level: Level, groups: Sequence[WalkGroup], trips: Mapping[NodeId, float]) -> float:
    """Lines that one set of threads touches over its whole life, in bytes."""
    return _working_set(level, groups, None, trips)


def _working_set(
    level: Level, groups: Sequence[WalkGroup], inside: NodeId | None, trips: Mapping[NodeId, float]
) -> float:
    """Bytes of the lines touched in one iteration of the loop `inside`, or in all of them (None)."""
    lines = 0.0
    for group in groups:
        if inside is None:
            running = group.path
        elif inside in group.path:
            running = group.path[group.path.index(inside) + 1 :]
        else:
            continue
        counts = dict(level.threads)
        counts.update((loop, trips[loop]) for loop in running)
        lines += group_granules(group, counts, level.line_bytes)
    return lines * level.line_bytes * level.copies
