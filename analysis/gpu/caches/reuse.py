"""Which level of the memory hierarchy serves an access: a stated rule on working sets, not a cache simulation.

The threads that are resident together are assumed to run in step. Data that they touch again, in the same iteration
or in the next one of a sequential loop, is still in a cache when everything touched in between fits in it (the layer
condition). The outermost loop for which that holds decides: inside it each sector comes once, and again for every
iteration of the loops outside it. Loads of one warp that stand next to each other, as those of an unrolled loop do,
find each other's lines in L1 even where it does not hold what all threads touch (`sectors_of_windows`). L1 holds the
blocks resident on one SM, L2 one wave of blocks (waves.py).

The order of a group's strides does not depend on the launch, only the counts do, so that every footprint is a formula
over columns. Launches that run the same threads together have the same footprints, which are counted once for them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import inf, isinf, prod

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Flags
from warplens.analysis.gpu.launch.numbers import Number, Truth, either, is_ever, larger, smaller
from warplens.analysis.gpu.placement.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId

Reach = Sequence[Flags | None]
"""Of each group, the launches in which it goes to global memory; None: all."""


@dataclass(slots=True, eq=False)
class CachedLevel:
    """A cache as seen by the threads that share it: `threads` are the grid loops' counts that run together.

    `copies` is how many such sets of threads share the capacity without sharing data (blocks of an SM).
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

    def reached_by(self, reach: Reach) -> CachedLevel:
        """Return the level with the same threads, where other launches have the groups in global memory."""
        return replace(self, reach=reach, _working_sets={})

    def sectors_through(self, group: int, asked: Number) -> Number:
        """Sectors that one set of threads fetches for a group over its life; `asked` are those that it asks for.

        Equation: of what a loop touches again a share h = min(1, capacity / working set) is still there; what is not
        comes as often as without that loop. Of loops one around the other the shares multiply.
        Source: layer conditions (Rivera & Tseng 2000; Stengel et al. 2015), applied to threads in step; a share in the
        place of all or nothing, since warps drift apart and lines are replaced in no strict order.
        """
        path = self.groups[group].path
        if not path:
            # Accesses outside all loops follow each other: what loops touch in between is left out.
            step = [(number, path) for number, other in enumerate(self.groups) if not other.path]
            kept = self._kept(self._bytes(step))
            return kept * smaller(asked, self.sectors(group, path)) + (1 - kept) * asked
        result: Number = asked
        kept = 1.0
        for depth in range(len(path) - 1, -1, -1):
            kept = kept * self._kept(self._working_set(path[depth]))
            repeats = 1.0
            for loop in path[:depth]:
                repeats *= self.trips[loop]
            once = smaller(result, repeats * self.sectors(group, path[depth:]))
            result = kept * once + (1 - kept) * result
        return result

    def _kept(self, working_set_bytes: Number) -> Number:
        """Share of a working set that is still there when it is touched again, 0..1."""
        capacity = self.capacity_bytes
        return smaller(1.0, capacity / larger(1.0, larger(capacity, working_set_bytes)))

    def sectors_of_windows(
        self, group: int, windows: Collection[NodeId], warp: Mapping[NodeId, Number], warps: Number
    ) -> Number:
        """Sectors that `warps` fetch for a group when each finds again what its own loads next to each other touch.

        `windows` are innermost loops that are unrolled whole (`walk.windows_of`): the loads of all their iterations
        stand next to each other, a warp issues them without a wait in between, and those that touch a line again meet
        it on its way or just there, whatever other warps touch. So a window fetches its sectors once, and each window
        anew; infinite for a group in no such loop, or where one window does not fit. `warp` are the grid loops' counts
        of one warp. Shape: `warp` and `warps` have a row per set of threads.
        Assumes: loads wait for no registers, so that a window is not cut.
        """
        path = self.groups[group].path
        if not path or path[-1] not in windows:
            return inf
        counts = {**warp, path[-1]: self.trips[path[-1]]}
        lines = group_granules(self.groups[group], counts, self.line_bytes)
        repeats = prod(self.trips[loop] for loop in path[:-1])
        sectors = warps * repeats * group_granules(self.groups[group], counts, self.sector_bytes)
        fits = self._of_launches(lines) * self.line_bytes <= self.capacity_bytes
        return either(fits, self._of_launches(sectors), inf)

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
    """Distinct sectors or lines that a group touches while the loops in `counts` run, the other loops held.

    Those of the box around all accesses, or of each for itself where these are fewer (copies of a loop's body that
    are an iteration of another loop's length apart). Iterations of a loop whose stride is not known touch different
    ones.
    """
    array_bytes = group.walks[0].whole_bytes
    whole = max(1.0, array_bytes if isinf(array_bytes) else -(-array_bytes // granule_bytes))
    known = list(_known_strides(group, counts))
    box = [(stride, count + group.spread.get(loop, 0)) for loop, stride, count in known]
    touched = granules_touched(box, group.span_bytes, granule_bytes)
    if group.starts > 1:
        alone = granules_touched([(stride, count) for _, stride, count in known], group.size_bytes, granule_bytes)
        touched = smaller(touched, group.starts * alone)
    scattered: Number = 1.0
    for loop, stride in group.strides.items():
        if stride is None:
            scattered = scattered * counts.get(loop, 1.0)
    return smaller(whole, scattered * touched)


def _known_strides(group: WalkGroup, counts: Mapping[NodeId, Number]) -> Iterator[tuple[NodeId, int, Number]]:
    """Loops with their strides in bytes and how often they are taken; one with levels has a stride for each."""
    levels = dict(group.levels)
    for loop, stride in group.strides.items():
        count = counts.get(loop, 1.0)
        if loop not in levels:
            if stride:
                yield loop, abs(stride), count
            continue
        for level in levels[loop]:
            taken = count if not level.until else smaller(count, float(level.until))
            if level.stride_bytes:
                yield loop, abs(level.stride_bytes), larger(1.0, -(-taken // level.every))


def granules_touched(walk: Iterable[tuple[int, Number]], span_bytes: int, granule_bytes: int) -> Number:
    """Distinct granules (sectors or lines) of the addresses span + Σ stride·i, 0 <= i < count.

    `walk` holds (stride in bytes, positive, and count) per iterator. Strides are taken in increasing order: one that is
    no longer than the run so far (or than a granule) prolongs the run, a longer one repeats it in rows. A multiple of
    the rows' distance adds rows where it begins no later than they end: two loops that walk the same rows, as those of
    an image and of a filter, touch the rows of one after those of the other.
    Units: bytes; granules, an average over alignments where runs are not aligned to granules.
    Exact for rectangular walks through an array (row strides at least as long as the rows); an upper bound where
    repeated runs overlap otherwise.

    >>> granules_touched([(4, 32.0), (4096, 8.0)], 4, 32)
    32.0
    >>> granules_touched([(4, 32.0), (4096, np.array([8.0, 1.0])), (4096, 3.0)], 4, 32)
    array([40., 12.])
    """
    run: Number = float(span_bytes)
    distance: Number = 0.0
    rows: Number = 1.0
    repeats: Number = 1.0
    aligned: Truth = True
    for stride, count in sorted(walk, key=lambda entry: entry[0]):
        step = float(stride)
        moves, is_run = count > 1, distance == 0
        prolongs = moves & is_run & (step <= larger(run, granule_bytes))
        if is_ever(prolongs):
            run = either(prolongs, run + stride * (count - 1), run)
        # What is true of some of what is true is taken away by "exclusive or", of numbers and columns alike.
        repeated = moves ^ prolongs
        if not is_ever(repeated):
            continue
        apart = either(is_run, step, distance)
        adds = repeated & (distance != 0) & (step % apart == 0) & (step / apart <= rows)
        begins = repeated ^ adds
        repeats = either(begins, repeats * rows, repeats)
        rows = either(adds, rows + step / apart * (count - 1), either(begins, count, rows))
        distance = either(begins, step, distance)
        if stride % granule_bytes:
            aligned = aligned & (True ^ begins)
    whole_runs = -(-run // granule_bytes)
    cut_runs = (run + granule_bytes - min(span_bytes, granule_bytes)) / granule_bytes
    return either(aligned, whole_runs, cut_runs) * repeats * rows
