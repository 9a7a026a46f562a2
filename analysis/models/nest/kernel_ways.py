"""The mappings of one kernel that are worth a try at its sizes, each with its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod

from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.mapping.candidate_mappings import (
    TeamChoice,
    points_rewritten,
    split_choices,
    team_choices,
    team_rewritten,
)
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import SplitSum, split_over_grid
from warplens.analysis.models.nest.tried_mapping import PLAIN, TriedMapping, kernels_s
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.simulation.grid import grid_extents, whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

MUCH_SLOWER = 1.1
"""A wider team that is slower by this factor has none behind it that is faster."""

LEAST_TRIPS = 8
"""A loop of fewer iterations gives a team nothing to do."""

TEAMS = (WARP_THREADS, 64, 128, 256, 512, 1024)

SPLIT_TEAM = 256
"""Threads of a block that has a part of a row's sum."""


@dataclass(frozen=True, slots=True)
class KernelWay:
    """A way to rewrite a kernel; no `choice`: with a thread per innermost iteration."""

    kernel: Kernel
    tried: TriedMapping
    choice: TeamChoice | SplitSum | None = None
    threads: int = 1
    parts: int = 1

    @property
    def is_atomic(self) -> bool:
        """Whether teams add to elements of each other."""
        return isinstance(self.choice, TeamChoice) and self.choice.is_atomic

    @property
    def row_loops(self) -> int:
        """Loops of which a team, or a part of a sum, has an iteration."""
        return 0 if self.choice is None else len(self.choice.rows.loops)

    def rewritten(self, source: SourceNest, names: NewNames) -> Rewritten | None:
        """The kernel rewritten in this way again, with names that others have not."""
        match self.choice:
            case None:
                return points_rewritten(source, names, self.kernel)
            case TeamChoice():
                return team_rewritten(source, names, self.choice, self.threads)
            case SplitSum():
                return split_over_grid(source, names, self.choice, self.parts, self.threads)


class KernelWays:
    """One kernel of the source's order at its sizes: it is looked at where it leaves something to gain.

    That is where it has fewer threads than the GPU has room for, or its warps move more memory than they use.
    """

    def __init__(
        self,
        source: SourceNest,
        kernel: Kernel,
        sizes: Sizes,
        gpu: Gpu,
        errors: Sequence[ModelError],
        teams: Sequence[int] = TEAMS,
    ) -> None:
        self._source, self._kernel, self._sizes, self._gpu, self._errors = source, kernel, sizes, gpu, errors
        self._teams_tried = teams

    def ways(self) -> Iterator[KernelWay]:
        """Those that were tried."""
        has_atomics = any(one.is_array_element for one in self._kernel.reductions)
        if any(not one.is_array_element for one in self._kernel.reductions):
            return
        if not (has_atomics or self._leaves_threads_idle() or self._is_uncoalesced()):
            return
        names = NewNames(self._source.nest)
        points = self._tried(names, points_rewritten(self._source, names, self._kernel), FREE)
        if points is not None:
            yield KernelWay(self._kernel, points)
        # Before Kepler no lane reads another's registers: the ports' sums do.
        for choice in team_choices(self._source, self._kernel) if self._gpu.has_warp_shuffles else ():
            yield from self._teams(choice)
        for split in split_choices(self._source, self._kernel):
            yield from self._splits(split)

    def _leaves_threads_idle(self) -> bool:
        """Whether the GPU has room for more threads, or warps use little of what they move."""
        return prod(grid_extents(self._kernel, self._sizes)) < self._room

    def _is_uncoalesced(self) -> bool:
        """Whether neighbouring threads use elements that lie apart, be it by data."""
        return family_of(SizedKernel.of(self._kernel, self._sizes).kernel) in {"strided", "gathered"}

    @property
    def _room(self) -> int:
        """Threads that the GPU keeps resident."""
        return self._gpu.sm_count * self._gpu.occupancy.max_warps_per_sm * self._gpu.warp_size_threads

    def _teams(self, choice: TeamChoice) -> Iterator[KernelWay]:
        trips = max(self._trips(loop) for loop in choice.spread)
        if trips < LEAST_TRIPS:
            return
        before = float("inf")
        for threads in self._teams_tried:
            if threads > WARP_THREADS and threads >= 2 * trips:
                return
            names = NewNames(self._source.nest)
            tried = self._tried(names, team_rewritten(self._source, names, choice, threads))
            if tried is None:
                return
            yield KernelWay(self._kernel, tried, choice, threads)
            if tried.time_s > before * MUCH_SLOWER:
                return
            before = tried.time_s

    def _splits(self, split: SplitSum) -> Iterator[KernelWay]:
        """As many parts as give the GPU the threads that it has room for, a quarter and a sixteenth of those."""
        trips, rows = self._trips(split.loop.id), 1.0
        for loop in split.rows.loops:
            rows *= max(1.0, self._trips(loop.id))
        may_be_teams = len(split.rows.loops) == 1 and self._gpu.has_warp_shuffles
        for threads in (1, SPLIT_TEAM) if may_be_teams else (1,):
            most = min(trips / (LEAST_TRIPS * threads), self._room / (rows * threads))
            for parts in sorted({_power_of_two(most / share) for share in (1, 4, 16)} - {1}):
                names = NewNames(self._source.nest)
                tried = self._tried(names, split_over_grid(self._source, names, split, parts, threads))
                if tried is not None:
                    yield KernelWay(self._kernel, tried, split, threads, parts)

    def _trips(self, loop: NodeId) -> float:
        return float(whole_count(self._source.trips[loop], self._sizes))

    def _tried(self, names: NewNames, rewritten: Rewritten | None, pin: LaunchPin = PLAIN) -> TriedMapping | None:
        if rewritten is None:
            return None
        mapped = mapped_nest(self._source, names, (rewritten,))
        others = {kernel.root for kernel in self._source.facts.kernels} - {self._kernel.root}
        kernels = tuple(one for one in mapped.facts.kernels if mapped.region(one.root) not in others)
        sizes = extend_sizes(dict(self._sizes), mapped.facts.nest)
        return TriedMapping(self._kernel.root, mapped, kernels_s(kernels, sizes, self._gpu, self._errors, pin))


def _power_of_two(most: float) -> int:
    """The largest power of two up to a number; 1 below that."""
    return 1 << max(0, int(most).bit_length() - 1)
