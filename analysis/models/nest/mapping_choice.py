"""Which mapping of a nest is fastest at its sizes: the source's own order beside those that its dependences allow.

Kernel by kernel: a kernel of the source's order is rewritten in each way that may help, what comes of it is searched
for its best launch with one output per thread, and the least sum of times and launch overheads wins. Only a kernel
that leaves something to gain is looked at: it has fewer threads than the GPU has room for, or its warps move more
memory than they use.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import loops_of, walk_statements
from warplens.analysis.ir.source_names import c_name
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
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.models.results.mapping_time import MappingTime
from warplens.analysis.simulation.grid import grid_extents, whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

LEAST_GAIN = 1.1
"""A mapping that the source does not spell out is recommended where it is predicted to gain this factor: less is no
more than the models' error, and the source's own order needs no rewriting."""

TEAM_GAIN = 1.05
"""What another mapping has to gain over a simpler one: a warp exchanges values without shared memory."""

SPLIT_GAIN = 1.25
"""What a sum in parts has to gain: it takes a second kernel and memory between them."""

MOST_STATEMENTS = 400
"""Of a nest: each mapping is a nest again, and a longer one is seldom one kernel of a few rows."""

LEAST_TRIPS = 8
"""A loop of fewer iterations gives a team nothing to do."""

TEAMS = (WARP_THREADS, 64, 128, 256, 512, 1024)

SPLIT_TEAM = 256
"""Threads of a block that has a part of a row's sum."""

_PLAIN = LaunchPin(work_per_thread=1, shared=())


@dataclass(frozen=True, slots=True)
class TriedMapping:
    """A mapping of one kernel of the source with its time, launches' overheads included."""

    root: NodeId
    mapped: MappedNest
    time_s: float
    name: str = ""


@dataclass(frozen=True, slots=True)
class ChosenMapping:
    """The fastest mapping of a nest, None where that is the source's own order, and all that were tried.

    `recommended` are the names of those that it is made of: one for each kernel that gains.
    """

    mapped: MappedNest | None
    tried: tuple[TriedMapping, ...] = ()
    recommended: frozenset[str] = frozenset()

    @property
    def times(self) -> tuple[MappingTime, ...]:
        """The mappings that were tried, by name, the fastest first."""
        found = (
            MappingTime(one.name, one.time_s, one.name in self.recommended)
            for one in self.tried
            if one.time_s < float("inf")
        )
        return tuple(sorted(found, key=lambda one: one.time_s))

    def named(self, name: str) -> MappedNest | None:
        """The mapping of a name; None where none that was tried is called so."""
        return next((one.mapped for one in self.tried if one.name == name), None)


def choose_mapping(
    facts: NestFacts, own_s: Mapping[NodeId, float], sizes: Sizes, gpu: Gpu, errors: Sequence[ModelError]
) -> ChosenMapping:
    """Try the mappings of each kernel; `own_s` is the time of all launches of each in the source's order.

    Units: seconds, launch overheads left out of `own_s`. Raises KeyError for a parameter without value.
    """
    source = SourceNest(facts)
    if sum(1 for _ in walk_statements((facts.nest.root,))) > MOST_STATEMENTS:
        return ChosenMapping(None)
    tried: list[TriedMapping] = []
    best: list[_Way] = []
    recommended: set[str] = set()
    for number, kernel in enumerate(facts.kernels, 1):
        choice = _KernelChoice(source, kernel, sizes, gpu, errors)
        if own_s[kernel.root] <= gpu.host.launch_overhead_s:
            continue  # nobody would notice
        launches = float(whole_count(kernel.launches, sizes))
        before_s = own_s[kernel.root] + launch_overhead_s(gpu.host, launches)
        ways = tuple(choice.ways())
        prefix = f"{number}:" if len(facts.kernels) > 1 else ""
        named = _named(source, ways, prefix)
        tried += named
        if not ways:
            continue
        first = _simplest_of_the_fastest(ways)
        if ways[first].tried.time_s * LEAST_GAIN <= before_s:
            best.append(ways[first])
            recommended.add(named[first].name)
    if not best:
        return ChosenMapping(None, tuple(tried))
    if len(best) == 1:
        return ChosenMapping(best[0].tried.mapped, tuple(tried), frozenset(recommended))
    names = NewNames(facts.nest)
    parts = [again for way in best if (again := way.rewritten(source, names)) is not None]
    return ChosenMapping(mapped_nest(source, names, parts), tuple(tried), frozenset(recommended))


def _named(source: SourceNest, ways: Sequence[_Way], prefix: str) -> list[TriedMapping]:
    """What the ways led to, each with a name of its own."""
    found: dict[str, TriedMapping] = {}
    for way in ways:
        name = own = f"{prefix}{mapping_name(source, way.choice, way.threads, way.parts)}"
        number = 2
        while name in found:
            name, number = f"{own}#{number}", number + 1
        found[name] = replace(way.tried, name=name)
    return list(found.values())


def mapping_name(source: SourceNest, choice: TeamChoice | SplitSum | None, threads: int = 1, parts: int = 1) -> str:
    """How it is listed: "warp:j", with the rows' loops where there are several, "warp:b,t/j"."""
    match choice:
        case None:
            return "points"
        case TeamChoice(rows=rows, spread=spread):
            kind = "warp" if threads == WARP_THREADS else f"block{threads}"
        case SplitSum(rows=rows, loop=loop):
            spread = frozenset((loop.id,))
            kind = f"parts{parts}" if threads == 1 else f"parts{parts}x{threads}"
    loops = (loop.iterator for loop in loops_of(source.nest) if loop.id in spread)
    shared = "+".join(dict.fromkeys(map(c_name, loops)))
    per_row = ",".join(c_name(loop.iterator) for loop in rows.loops) if len(rows.loops) > 1 else ""
    return f"{kind}:{per_row}/{shared}" if per_row else f"{kind}:{shared}"


def _simplest_of_the_fastest(ways: Sequence[_Way]) -> int:
    """Position of the first way that none beats by what makes it worth it: two kernels, a wider team."""
    best = 0
    for at, way in enumerate(ways):
        needed = SPLIT_GAIN if way.parts > ways[best].parts else TEAM_GAIN
        if way.tried.time_s * needed < ways[best].tried.time_s:
            best = at
    return best


@dataclass(frozen=True, slots=True)
class _Way:
    """A way to rewrite a kernel; no `choice`: with a thread per innermost iteration."""

    kernel: Kernel
    tried: TriedMapping
    choice: TeamChoice | SplitSum | None = None
    threads: int = 1
    parts: int = 1

    def rewritten(self, source: SourceNest, names: NewNames) -> Rewritten | None:
        match self.choice:
            case None:
                return points_rewritten(source, names, self.kernel)
            case TeamChoice():
                return team_rewritten(source, names, self.choice, self.threads)
            case SplitSum():
                return split_over_grid(source, names, self.choice, self.parts, self.threads)


class _KernelChoice:
    """One kernel of the source's order at its sizes."""

    def __init__(
        self, source: SourceNest, kernel: Kernel, sizes: Sizes, gpu: Gpu, errors: Sequence[ModelError]
    ) -> None:
        self._source, self._kernel, self._sizes, self._gpu, self._errors = source, kernel, sizes, gpu, errors

    def ways(self) -> Iterator[_Way]:
        """Those that were tried."""
        if self._kernel.reductions or not (self._leaves_threads_idle() or self._is_uncoalesced()):
            return
        names = NewNames(self._source.nest)
        points = self._tried(names, points_rewritten(self._source, names, self._kernel))
        if points is not None:
            yield _Way(self._kernel, points)
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

    def _teams(self, choice: TeamChoice) -> Iterator[_Way]:
        trips = max(self._trips(loop) for loop in choice.spread)
        if trips < LEAST_TRIPS:
            return
        before = float("inf")
        for threads in TEAMS:
            if threads > WARP_THREADS and threads >= 2 * trips:
                return
            names = NewNames(self._source.nest)
            tried = self._tried(names, team_rewritten(self._source, names, choice, threads))
            if tried is None:
                return
            yield _Way(self._kernel, tried, choice, threads)
            if tried.time_s > before * LEAST_GAIN:
                return
            before = tried.time_s

    def _splits(self, split: SplitSum) -> Iterator[_Way]:
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
                    yield _Way(self._kernel, tried, split, threads, parts)

    def _trips(self, loop: NodeId) -> float:
        return float(whole_count(self._source.trips[loop], self._sizes))

    def _tried(self, names: NewNames, rewritten: Rewritten | None) -> TriedMapping | None:
        if rewritten is None:
            return None
        mapped = mapped_nest(self._source, names, (rewritten,))
        others = {kernel.root for kernel in self._source.facts.kernels} - {self._kernel.root}
        kernels = tuple(one for one in mapped.facts.kernels if mapped.region(one.root) not in others)
        sizes = extend_sizes(dict(self._sizes), mapped.facts.nest)
        return TriedMapping(self._kernel.root, mapped, self._time_s(kernels, sizes))

    def _time_s(self, kernels: Sequence[Kernel], sizes: Sizes) -> float:
        total = 0.0
        for kernel in kernels:
            sized = SizedKernel.of(kernel, sizes)
            model = choose_model(family_of(sized.kernel), self._errors).model
            ranking = search(sized, self._gpu, model, most=1, pin=_PLAIN)
            if not ranking.ranked:
                return float("inf")
            launches = float(whole_count(kernel.launches, sizes))
            total += launches * ranking.ranked[0].time_s + launch_overhead_s(self._gpu.host, launches)
        return total


def _power_of_two(most: float) -> int:
    """The largest power of two up to a number; 1 below that."""
    return 1 << max(0, int(most).bit_length() - 1)
