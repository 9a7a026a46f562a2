"""The mappings of one kernel that are worth a try at its sizes, each with its time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
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
from warplens.analysis.mapping.distributed_teams import distributed_nest, parts_of
from warplens.analysis.mapping.mapped_nest import Rewritten, mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.split_sums import SplitSum, split_over_grid
from warplens.analysis.models.nest.kernel_way import KernelWay, simplest_of_the_fastest, way_names
from warplens.analysis.models.nest.named_rewriting import TEAMS, rewritten_again
from warplens.analysis.models.nest.tried_mapping import PLAIN, TriedMapping, kernels_s
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.simulation.grid import grid_extents, whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

MUCH_SLOWER = 1.1
"""A wider team that is slower by this factor has none behind it that is faster."""

LEAST_TRIPS = 8
"""A loop of fewer iterations gives a team nothing to do."""

SPLIT_TEAM = 256
"""Threads of a block that has a part of a row's sum."""

LEAST_SHARE = 0.05
"""Of the time of what a kernel is distributed into, that one of those has to have to be rewritten again."""

AGAIN_GAIN = 1.25
"""What rewriting it again has to gain."""


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
        *,
        may_be_again: bool = True,
    ) -> None:
        self._source, self._kernel, self._sizes, self._gpu, self._errors = source, kernel, sizes, gpu, errors
        self._teams_tried, self._may_be_again = teams, may_be_again

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
        if points is not None and self._may_be_again:
            yield from self._again(points)

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

    def _again(self, points: TriedMapping) -> Iterator[KernelWay]:
        """The kernels that come of it in the ways of their own that gain, if any does."""
        before = parts_of(points.mapped, self._kernel.root)
        sizes = extend_sizes(dict(self._sizes), points.mapped.facts.nest)
        times_s = [points.time_s] if len(before) == 1 else [self._kernels_s((one,), sizes, FREE) for one in before]
        distributed = distributed_nest(self._source, self._kernel)
        kernels = () if distributed is None else parts_of(distributed, self._kernel.root)
        if distributed is None or len(kernels) != len(before):
            return
        nest = SourceNest(distributed.facts)
        sizes = extend_sizes(dict(self._sizes), distributed.facts.nest)
        again: list[tuple[int, str]] = []
        parts = 1
        for number, (kernel, before_s) in enumerate(zip(kernels, times_s, strict=True), 1):
            if before_s < LEAST_SHARE * points.time_s or before_s <= 2 * self._gpu.host.launch_overhead_s:
                continue
            ways = KernelWays(nest, kernel, sizes, self._gpu, self._errors, self._teams_tried, may_be_again=False)
            found = [way for way in ways.ways() if way.choice is not None and not way.is_atomic]
            if found:
                best = simplest_of_the_fastest(found)
                if found[best].tried.time_s * AGAIN_GAIN <= before_s:
                    again.append((number, way_names(nest, found)[best]))
                    parts = max(parts, found[best].parts)
        names = NewNames(self._source.nest)
        if again:
            tried = self._tried(names, rewritten_again(self._source, names, self._kernel, again, self._gpu), FREE)
            if tried is not None:
                yield KernelWay(self._kernel, tried, parts=parts, again=tuple(again))

    def _kernels_s(self, kernels: Sequence[Kernel], sizes: Sizes, pin: LaunchPin) -> float:
        return kernels_s(kernels, sizes, self._gpu, self._errors, pin)

    def _trips(self, loop: NodeId) -> float:
        return float(whole_count(self._source.trips[loop], self._sizes))

    def _tried(self, names: NewNames, rewritten: Rewritten | None, pin: LaunchPin = PLAIN) -> TriedMapping | None:
        if rewritten is None:
            return None
        mapped = mapped_nest(self._source, names, (rewritten,))
        others = {kernel.root for kernel in self._source.facts.kernels} - {self._kernel.root}
        kernels = tuple(one for one in mapped.facts.kernels if mapped.region(one.root) not in others)
        sizes = extend_sizes(dict(self._sizes), mapped.facts.nest)
        return TriedMapping(self._kernel.root, mapped, self._kernels_s(kernels, sizes, pin))


def _power_of_two(most: float) -> int:
    """The largest power of two up to a number; 1 below that."""
    return 1 << max(0, int(most).bit_length() - 1)
