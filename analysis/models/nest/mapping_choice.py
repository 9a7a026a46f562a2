"""Which mapping of a nest is fastest at its sizes: the source's own order beside those that its dependences allow.

Kernel by kernel: a kernel of the source's order is rewritten in each way that may help, what comes of it is searched
for its best launch, and the least sum of times and launch overheads wins. The whole nest in steps is tried beside them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import walk_statements
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.mapping.stepped_nest import in_steps
from warplens.analysis.models.nest.kernel_way import SPLIT_GAIN, KernelWay, simplest_of_the_fastest, way_names
from warplens.analysis.models.nest.kernel_ways import KernelWays
from warplens.analysis.models.nest.named_rewriting import TEAMS
from warplens.analysis.models.nest.tried_mapping import PLAIN, SourceTime, TriedMapping, kernels_s
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingTime
from warplens.analysis.simulation.grid import whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

LEAST_GAIN = 1.1
"""A mapping that the source does not spell out is recommended where it is predicted to gain this factor: less is no
more than the models' error, and the source's own order needs no rewriting."""

LEAST_PART = 0.001
"""Of the nest's time, that a kernel has to have to be looked at, and its mapping has to save."""

WITHOUT_TILES = 1.1
"""One that takes so many times the source's order with tiles or several outputs per thread is recommended all the same:
it is the shorter kernel."""

MANY_STATEMENTS = 400
"""Of a nest: each mapping is a nest again, so that of a longer one only the longest kernel is looked at, and teams of
few sizes."""

FEW_TEAMS = (WARP_THREADS, 256)

TOGETHER = "+"
"""Between the names of the mappings of several kernels."""

STEPS = "steps:"
"""How the name of a nest in steps begins."""

FEW_LAUNCHES = 20
"""A nest of fewer is not looked at for steps, which are launches too."""


@dataclass(frozen=True, slots=True)
class ChosenMapping:
    """The fastest mapping of a nest, None where that is the source's own order, and all that were tried.

    `recommended` is its name: of several kernels that gain the names of each one's with `TOGETHER` between them.
    `source` has the times of the source's own order by kernel, `restricted` the same if every pointer is `restrict`, as
    in a nest that a mapping wrote.
    """

    mapped: MappedNest | None
    tried: tuple[TriedMapping, ...] = ()
    recommended: str = SOURCE_ORDER
    source: tuple[tuple[NodeId, SourceTime], ...] = ()
    restricted: tuple[tuple[NodeId, SourceTime], ...] = ()

    @property
    def times(self) -> tuple[MappingTime, ...]:
        """The source's own order and the mappings that were tried, by name, the fastest first; none if none was."""
        own = dict(self.restricted)
        source_s = sum(one.written_s for one in own.values())
        found = [
            (one.name, one.time_s + (source_s - own[one.root].written_s if one.root in own and not one.is_whole else 0))
            for one in self.tried
            if one.time_s < float("inf")
        ]
        if found:
            found.append((SOURCE_ORDER, sum(one.written_s for _, one in self.source)))
        times = (MappingTime(name, time_s, name == self.recommended) for name, time_s in found)
        return tuple(sorted(times, key=lambda one: one.time_s))

    def named(self, name: str) -> MappedNest | None:
        """The mapping of a name; None where none that was tried is called so."""
        return next((one.mapped for one in self.tried if one.name == name), None)


def choose_mapping(
    facts: NestFacts,
    own: Mapping[NodeId, SourceTime],
    restricted: Mapping[NodeId, SourceTime],
    sizes: Sizes,
    gpu: Gpu,
    errors: Sequence[ModelError],
) -> ChosenMapping:
    """Try the mappings of each kernel; `own` has the times of each in the source's order.

    What a mapping gains is what it takes less than `restricted`: the same with the pointers that it declares.

    Raises KeyError for a parameter without value.
    """
    source = SourceNest(facts)
    if not own:
        return ChosenMapping(None)
    is_long = sum(1 for _ in walk_statements((facts.nest.root,))) > MANY_STATEMENTS
    worthwhile, teams = _worthwhile(own, is_long=is_long), FEW_TEAMS if is_long else TEAMS
    tried: list[TriedMapping] = []
    best: list[KernelWay] = []
    names: list[str] = []
    best_s, plain_s = (
        sum(times) for times in zip(*((one.written_s, one.plain_s) for one in restricted.values()), strict=True)
    )
    for number, kernel in enumerate(facts.kernels, 1):
        before = restricted[kernel.root]
        if kernel.root not in worthwhile:
            continue
        launches = float(whole_count(kernel.launches, sizes))
        if before.plain_s - launch_overhead_s(gpu.host, launches) <= gpu.host.launch_overhead_s:
            continue  # nobody would notice
        ways = tuple(KernelWays(source, kernel, sizes, gpu, errors, teams).ways())
        named = _named(source, ways, f"{number}:" if len(facts.kernels) > 1 else "")
        tried += named
        if not ways:
            continue
        first = simplest_of_the_fastest(ways)
        time_s = named[first].time_s
        gain = SPLIT_GAIN if ways[first].parts > 1 else LEAST_GAIN
        is_gain = time_s * gain <= before.plain_s and time_s <= WITHOUT_TILES * before.written_s
        if is_gain and before.plain_s - time_s > LEAST_PART * plain_s:
            best.append(ways[first])
            best_s += time_s - before.written_s
            names.append(named[first].name)
    if len(best) > 1:
        new = NewNames(facts.nest)
        parts = [again for way in best if (again := way.rewritten(source, new, gpu)) is not None]
        together = mapped_nest(source, new, parts)
        tried.append(TriedMapping(facts.nest.root.id, together, best_s, TOGETHER.join(names), is_whole=True))
    chosen = tried[-1].mapped if len(best) > 1 else best[0].tried.mapped if best else None
    recommended = TOGETHER.join(names) or SOURCE_ORDER
    is_in_steps = best_s > FEW_LAUNCHES * gpu.host.launch_overhead_s
    if is_in_steps and (stepped := _stepped(source, sizes, gpu, errors)) is not None:
        tried.append(stepped)
        if stepped.time_s * LEAST_GAIN <= best_s:
            chosen, recommended = stepped.mapped, stepped.name
    return ChosenMapping(chosen, tuple(tried), recommended, tuple(own.items()), tuple(restricted.items()))


def _worthwhile(own: Mapping[NodeId, SourceTime], *, is_long: bool) -> frozenset[NodeId]:
    """Kernels that have a part in the nest's time; of a long nest the one with the largest."""
    total_s = sum(one.plain_s for one in own.values())
    found = sorted(own, key=lambda root: -own[root].plain_s)[: 1 if is_long else None]
    return frozenset(root for root in found if own[root].plain_s > LEAST_PART * total_s)


def _named(source: SourceNest, ways: Sequence[KernelWay], prefix: str) -> list[TriedMapping]:
    """What the ways led to, each with a name of its own."""
    names = way_names(source, ways)
    return [replace(way.tried, name=f"{prefix}{name}") for way, name in zip(ways, names, strict=True)]


def _stepped(source: SourceNest, sizes: Sizes, gpu: Gpu, errors: Sequence[ModelError]) -> TriedMapping | None:
    """The whole nest in steps, if it can be run so."""
    found = in_steps(source)
    if found is None:
        return None
    mapped, iterator = found
    time_s = kernels_s(mapped.facts.kernels, extend_sizes(dict(sizes), mapped.facts.nest), gpu, errors, PLAIN)
    return TriedMapping(source.nest.root.id, mapped, time_s, f"{STEPS}{c_name(iterator)}", is_whole=True)
