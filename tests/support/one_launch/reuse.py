"""Which level of the memory hierarchy serves an access: a stated rule on working sets, not a cache simulation.

The threads that are resident together are assumed to run in step. Data that they touch again, in the same iteration
or in the next one of a sequential loop, is still in a cache when everything touched in between fits in it (the layer
condition), and a share of it where it does not: what of it a cache has room for. Inside the loop each sector comes
once, and again for every iteration of the loops outside it. Loads of one warp that stand next to each other, as those
of an unrolled loop do, find each other's lines in L1 even where it does not hold what all threads touch
(`sectors_of_windows`). L1 holds the blocks resident on one SM, L2 one wave of blocks; when the wave's data fits in L2
the whole grid's sectors come from DRAM once (gathered ones once per wave), and when the grid's does, once for all
launches.
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
    level: Level, group: WalkGroup, groups: Sequence[WalkGroup], trips: Mapping[NodeId, float], asked: float
) -> float:
    """Sectors that one set of threads fetches through `level` for a group over its life, of those `asked` for.

    From the innermost loop outwards, each one lets through what it does not keep, where those inside it keep too.
    Source: layer conditions (Rivera & Tseng 2000; Stengel et al. 2015), applied to threads in step.
    """
    if not group.path:
        # Accesses outside all loops follow each other: what loops touch in between is left out.
        step = [other for other in groups if not other.path]
        found_again = share_kept(level, whole_bytes(level, step, trips))
        once = min(asked, group_granules(group, level.threads, level.sector_bytes))
        return found_again * once + (1.0 - found_again) * asked
    through, found_again = asked, 1.0
    for captured in reversed(range(len(group.path))):
        outside, inside = group.path[:captured], group.path[captured:]
        found_again *= share_kept(level, _working_set(level, groups, inside[0], trips))
        counts = {**level.threads, **{loop: trips[loop] for loop in inside}}
        once = prod(trips[loop] for loop in outside) * group_granules(group, counts, level.sector_bytes)
        through = found_again * min(through, once) + (1.0 - found_again) * through
    return through


def share_kept(level: Level, working_set_bytes: float) -> float:
    """Of a working set, what is still in the cache when it is touched again; nothing where there is no cache."""
    if not level.capacity_bytes:
        return 0.0
    return min(1.0, level.capacity_bytes / working_set_bytes) if working_set_bytes else 1.0


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


def sectors_of_waves(
    wave: Level,
    grid: Level,
    group: WalkGroup,
    groups: Sequence[WalkGroup],
    number: float,
    trips: Mapping[NodeId, float],
    asked: float,
) -> float:
    """Sectors that a grid of `number` waves fetches for a group from device memory, of those `asked` for of L2.

    Where all that a wave touches stays in the cache, neighbouring waves touch neighbouring data, so that each sector
    comes once; where data decides which, each wave fetches its own, unless all that the grid touches of them stays. Of
    a wave that touches more, a share stays.
    """
    running = {loop: trips[loop] for loop in group.path}
    once = group_granules(group, {**grid.threads, **running}, grid.sector_bytes)
    whole = group_granules(group, {**grid.threads, **running}, grid.line_bytes) * grid.line_bytes
    if group.is_scattered_along((*grid.threads, *group.path)) and whole > grid.capacity_bytes:
        once = number * group_granules(group, {**wave.threads, **running}, wave.sector_bytes)
    wave_bytes = whole_bytes(wave, groups, trips)
    if wave_bytes <= wave.capacity_bytes:
        return once
    every_wave = number * sectors_through(wave, group, groups, trips, asked / number)
    kept = share_kept(wave, wave_bytes)
    return kept * min(once, every_wave) + (1.0 - kept) * every_wave


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
