"""The layer conditions of reuse.py over columns: which level serves an access, for many launches at once.

The order of a group's strides does not depend on the launch, only the counts do, so that every footprint is a formula
over columns. Launches that run the same threads together have the same footprints, which are counted once for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import isinf, prod

import numpy as np
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.launches import Column, Flags
from warplens.analysis.gpu.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId

Number = Column | float
"""The same for all launches, or a column."""

Reach = Sequence[Flags | None]
"""Of each group, the launches in which it goes to global memory; None: all."""


@dataclass(slots=True, eq=False)
class BatchLevel:
    """`reuse.Level` with columns for what differs between launches, `capacity_bytes` and `copies`.

    `threads` has a row for each set of threads that some launch runs together, `which` says which one a launch has.
    Footprints and working sets are kept, as several groups ask for the same ones.
    """

    capacity_bytes: Number
    line_bytes: int
    sector_bytes: int
    threads: Mapping[NodeId, Number]
    which: Integers
    copies: Number
    groups: Sequence[WalkGroup]
    reach: Reach
    trips: Mapping[NodeId, float]
    _footprints: dict[tuple[int, tuple[NodeId, ...], int], Number] = field(default_factory=dict)
    _working_sets: dict[NodeId | None, Number] = field(default_factory=dict)

    def reached_by(self, reach: Reach) -> BatchLevel:
        """Return the level with the same threads, where other launches have the groups in global memory."""
        return replace(self, reach=reach, _working_sets={})

    def sectors_through(self, group: int) -> Number:
        """Sectors that one set of threads fetches for a group over its life; infinite without any reuse.

        Source: `reuse.sectors_through`.
        """
        path = self.groups[group].path
        if not path:
            step = [(number, path) for number, other in enumerate(self.groups) if not other.path]
            return np.where(self._bytes(step) <= self.capacity_bytes, self.sectors(group, path), np.inf)
        result: Number = np.inf
        fits = np.ones((), dtype=np.bool_)
        for depth in range(len(path) - 1, -1, -1):
            fits = np.logical_and(fits, self._working_set(path[depth]) <= self.capacity_bytes)
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

        Shape: `warp` and `warps` have a row per set of threads. Source: `reuse.sectors_of_windows`.
        """
        path = self.groups[group].path
        if not path or path[-1] not in windows:
            return np.inf
        counts = {**warp, path[-1]: self.trips[path[-1]]}
        lines = group_granules(self.groups[group], counts, self.line_bytes)
        repeats = prod(self.trips[loop] for loop in path[:-1])
        sectors = warps * repeats * group_granules(self.groups[group], counts, self.sector_bytes)
        return np.where(
            self._of_launches(lines) * self.line_bytes <= self.capacity_bytes, self._of_launches(sectors), np.inf
        )

    def bytes_of(self, group: int) -> Number:
        """Lines that one set of threads touches of a group over its whole life, in bytes."""
        return self._of_launches(self._granules(group, self.groups[group].path, self.line_bytes)) * self.line_bytes

    def whole_bytes(self) -> Number:
        """Lines that one set of threads touches over its whole life, in bytes."""
        return self._working_set(None)

    def sectors(self, group: int, running: tuple[NodeId, ...]) -> Number:
        """Sectors of a group while the threads and the loops `running` run."""
        return self._of_launches(self._granules(group, running, self.sector_bytes))

    def _working_set(self, inside: NodeId | None) -> Number:
        """Bytes of the lines touched in one iteration of the loop `inside`, or in all of them (None)."""
        if inside not in self._working_sets:
            self._working_sets[inside] = self._bytes(
                (number, group.path if inside is None else group.path[group.path.index(inside) + 1 :])
                for number, group in enumerate(self.groups)
                if inside is None or inside in group.path
            )
        return self._working_sets[inside]

    def _bytes(self, running: Iterable[tuple[int, tuple[NodeId, ...]]]) -> Number:
        everywhere: Number = 0.0
        in_some: Number = 0.0
        for group, loops in running:
            lines, launches = self._granules(group, loops, self.line_bytes), self.reach[group]
            if launches is None:
                everywhere = everywhere + lines
            else:
                in_some = in_some + np.where(launches, self._of_launches(lines), 0.0)
        return (self._of_launches(everywhere) + in_some) * self.line_bytes * self.copies

    def _granules(self, number: int, running: tuple[NodeId, ...], granule_bytes: int) -> Number:
        """Footprint of a group for each set of threads."""
        key = (number, running, granule_bytes)
        if key not in self._footprints:
            counts = {**self.threads, **{loop: self.trips[loop] for loop in running}}
            self._footprints[key] = group_granules(self.groups[number], counts, granule_bytes)
        return self._footprints[key]

    def _of_launches(self, of_threads: Number) -> Number:
        return of_threads.take(self.which) if isinstance(of_threads, np.ndarray) and of_threads.ndim else of_threads


def group_granules(group: WalkGroup, counts: Mapping[NodeId, Number], granule_bytes: int) -> Number:
    """`WalkGroup.granules` with a column for each count that differs between launches."""
    array_bytes = group.walks[0].whole_bytes
    whole = max(1.0, array_bytes if isinf(array_bytes) else -(-array_bytes // granule_bytes))
    known = [(loop, abs(stride), counts.get(loop, 1.0)) for loop, stride in group.strides.items() if stride]
    box = [(stride, count + group.spread.get(loop, 0)) for loop, stride, count in known]
    touched = granules_touched(box, group.span_bytes, granule_bytes)
    if group.starts > 1:
        alone = granules_touched([(stride, count) for _, stride, count in known], group.size_bytes, granule_bytes)
        touched = np.minimum(touched, group.starts * alone)
    for loop, stride in group.strides.items():
        if stride is None:
            touched = touched * counts.get(loop, 1.0)
    least: Number = np.minimum(whole, touched)
    return least


def granules_touched(walk: Iterable[tuple[int, Number]], span_bytes: int, granule_bytes: int) -> Number:
    """`footprint.granules_touched` with columns of counts; strides in bytes, positive."""
    run: Number = float(span_bytes)
    distance: Number = 0.0
    rows: Number = 1.0
    repeats: Number = 1.0
    aligned = np.ones((), dtype=np.bool_)
    for stride, count in sorted(walk, key=lambda entry: entry[0]):
        step = float(stride)
        moves, is_run = np.greater(count, 1), np.equal(distance, 0)
        prolongs = moves & is_run & np.less_equal(step, np.maximum(run, granule_bytes))
        if prolongs.any():
            run = np.where(prolongs, run + step * (count - 1), run)
        repeated = moves & ~prolongs
        if not repeated.any():
            continue
        apart = np.where(is_run, step, distance)
        adds = repeated & ~is_run & np.equal(np.mod(step, apart), 0) & np.less_equal(step / apart, rows)
        begins = repeated & ~adds
        repeats = np.where(begins, repeats * rows, repeats)
        rows = np.where(adds, rows + step / apart * (count - 1), np.where(begins, count, rows))
        distance = np.where(begins, step, distance)
        if stride % granule_bytes:
            aligned = np.logical_and(aligned, ~begins)
    least = min(span_bytes, granule_bytes)
    if aligned.all():
        runs = np.ceil(run / granule_bytes)
    else:
        runs = np.where(aligned, np.ceil(run / granule_bytes), (run + granule_bytes - least) / granule_bytes)
    touched: Number = runs * repeats * rows
    return touched
