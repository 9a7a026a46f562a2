"""The layer conditions of reuse.py over columns: which level serves an access, for many launches at once.

The order of a group's strides does not depend on the launch, only the counts do, so that every footprint is a formula
over columns.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import isinf, prod

import numpy as np
from warplens.analysis.gpu.launches import Column
from warplens.analysis.gpu.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId

Number = Column | float
"""The same for all launches, or a column."""


@dataclass(slots=True, eq=False)
class BatchLevel:
    """`reuse.Level` with columns for what differs between launches; `groups` are those that go to global memory.

    Footprints are kept, as several groups ask for the same ones.
    """

    capacity_bytes: Number
    line_bytes: int
    sector_bytes: int
    threads: Mapping[NodeId, Number]
    copies: Number
    groups: Sequence[WalkGroup]
    trips: Mapping[NodeId, float]
    _kept: dict[tuple[int, tuple[NodeId, ...], int], Number] = field(default_factory=dict)

    def sectors_through(self, group: int) -> Number:
        """Sectors that one set of threads fetches for a group over its life; infinite without any reuse.

        Source: `reuse.sectors_through`.
        """
        path = self.groups[group].path
        if not path:
            step = [(number, path) for number, other in enumerate(self.groups) if not other.path]
            fits = np.asarray(self._bytes(step) <= self.capacity_bytes)
            return np.where(fits, self.sectors(group, path), np.inf)
        result: Number = np.inf
        fits = np.ones((), dtype=np.bool_)
        for depth in range(len(path) - 1, -1, -1):
            fits = np.logical_and(fits, self._bytes(self._inside(path[depth])) <= self.capacity_bytes)
            if not fits.any():
                break
            repeats = 1.0
            for loop in path[:depth]:
                repeats *= self.trips[loop]
            result = np.where(fits, repeats * self.sectors(group, path[depth:]), result)
        return result

    def sectors_of_windows(
        self, group: int, windows: Collection[NodeId], warp: Mapping[NodeId, Number], warps: Column
    ) -> Number:
        """Sectors that `warps` fetch for a group when each finds again what its own window touches.

        Source: `reuse.sectors_of_windows`.
        """
        path = self.groups[group].path
        if not path or path[-1] not in windows:
            return np.inf
        counts = {**warp, path[-1]: self.trips[path[-1]]}
        lines = group_granules(self.groups[group], counts, self.line_bytes)
        repeats = prod(self.trips[loop] for loop in path[:-1])
        sectors = warps * repeats * group_granules(self.groups[group], counts, self.sector_bytes)
        return np.where(lines * self.line_bytes <= self.capacity_bytes, sectors, np.inf)

    def whole_bytes(self) -> Number:
        """Lines that one set of threads touches over its whole life, in bytes."""
        return self._bytes((number, group.path) for number, group in enumerate(self.groups))

    def sectors(self, group: int, running: tuple[NodeId, ...]) -> Number:
        """Sectors of a group while the threads and the loops `running` run."""
        return self._granules(group, running, self.sector_bytes)

    def _inside(self, loop: NodeId) -> Iterable[tuple[int, tuple[NodeId, ...]]]:
        """Groups in a loop with the loops that run in one iteration of it."""
        for number, group in enumerate(self.groups):
            if loop in group.path:
                yield number, group.path[group.path.index(loop) + 1 :]

    def _bytes(self, running: Iterable[tuple[int, tuple[NodeId, ...]]]) -> Number:
        lines: Number = 0.0
        for group, loops in running:
            lines = lines + self._granules(group, loops, self.line_bytes)
        return lines * self.line_bytes * self.copies

    def _granules(self, number: int, running: tuple[NodeId, ...], granule_bytes: int) -> Number:
        key = (number, running, granule_bytes)
        if key not in self._kept:
            counts = {**self.threads, **{loop: self.trips[loop] for loop in running}}
            self._kept[key] = group_granules(self.groups[number], counts, granule_bytes)
        return self._kept[key]


def group_granules(group: WalkGroup, counts: Mapping[NodeId, Number], granule_bytes: int) -> Number:
    """`WalkGroup.granules` with a column for each count that differs between launches."""
    array_bytes = group.walks[0].whole_bytes
    whole = max(1.0, array_bytes if isinf(array_bytes) else -(-array_bytes // granule_bytes))
    walk: list[tuple[int, Number]] = []
    scattered: Number = 1.0
    for loop, stride in group.strides.items():
        if stride is None:
            scattered = scattered * counts.get(loop, 1.0)
        elif stride:
            walk.append((abs(stride), counts.get(loop, 1.0) + group.spread.get(loop, 0)))
    touched: Number = np.minimum(whole, scattered * granules_touched(walk, group.span_bytes, granule_bytes))
    return touched


def granules_touched(walk: Iterable[tuple[int, Number]], span_bytes: int, granule_bytes: int) -> Number:
    """`footprint.granules_touched` with columns of counts; strides in bytes, positive."""
    run: Number = float(span_bytes)
    repeats: Number = 1.0
    aligned = np.ones((), dtype=np.bool_)
    for stride, count in sorted(walk, key=lambda entry: entry[0]):
        step = float(stride)
        moves = np.greater(count, 1)
        prolongs = moves & np.equal(repeats, 1.0) & np.less_equal(step, np.maximum(run, granule_bytes))
        if prolongs.any():
            run = np.where(prolongs, run + step * (count - 1), run)
        repeated = moves & ~prolongs
        if repeated.any():
            repeats = np.where(repeated, repeats * count, repeats)
            if stride % granule_bytes:
                aligned = np.logical_and(aligned, ~repeated)
    least = min(span_bytes, granule_bytes)
    if aligned.all():
        runs = np.ceil(run / granule_bytes)
    else:
        runs = np.where(aligned, np.ceil(run / granule_bytes), (run + granule_bytes - least) / granule_bytes)
    touched: Number = runs * repeats
    return touched
