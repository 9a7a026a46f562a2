"""The fastest team per row that a directive can ask for, where it gains over the flat order, or is there already."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod

from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.mapping import WARP_THREADS
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.mapping.candidate_mappings import TeamChoice
from warplens.analysis.mapping.directive_rows import (
    directive_choices,
    rewritten_as_directives,
    row_loops,
    said_choice,
)
from warplens.analysis.mapping.mapped_nest import mapped_nest
from warplens.analysis.mapping.new_names import NewNames
from warplens.analysis.mapping.source_nest import SourceNest
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.nest.mapping_choice import LEAST_GAIN
from warplens.analysis.models.nest.named_rewriting import TEAMS
from warplens.analysis.models.nest.tried_mapping import TriedMapping
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.current_launch import current_launch
from warplens.analysis.models.results.directive_time import flat_s
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import LaunchPin
from warplens.analysis.models.results.launch_ranking import RankedLaunch
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes


@dataclass(frozen=True, slots=True)
class SaidTeam:
    """A kernel whose directives say a team per row: the launch that they ask for, and the best that they could.

    `origin` as of a CurrentLaunch. None: that launch can't be had.
    """

    root: NodeId
    now: RankedLaunch | None
    best: RankedLaunch | None
    origin: str


@dataclass(frozen=True, slots=True)
class DirectiveTeams:
    """The nest with a team per row in some of its kernels (None: in none), and what directives say of that now."""

    mapped: MappedNest | None
    said: tuple[SaidTeam, ...] = ()


def directive_teams(
    facts: NestFacts,
    kernels: Sequence[KernelEvaluation],
    tried: Sequence[TriedMapping],
    sizes: Sizes,
    gpu: Gpu,
    errors: Sequence[ModelError],
) -> DirectiveTeams:
    """Look for them; `kernels` are those of the source's order, `tried` what was tried of each.

    Pointers are what the source declares. A block is one row's team: that is what a directive's clause for the number
    of threads says.
    Not modelled: what starting a parallel region costs a team beyond a barrier.
    Raises KeyError for a parameter without value.
    """
    source = SourceNest(facts)
    chosen: list[tuple[TeamChoice, int]] = []
    said: list[SaidTeam] = []
    overhead_s = launch_overhead_s(gpu.host, 1.0)
    for each in kernels:
        costs = _TeamCosts(source, each.kernel, sizes, gpu, errors)
        own_s = flat_s(each)
        before_s = each.launches * own_s + launch_overhead_s(gpu.host, float(each.launches))
        worthwhile = [one for one in tried if one.root == each.kernel.root and one.time_s * LEAST_GAIN <= before_s]
        wanted, first = said_choice(source, each.kernel), _first_tried(source, each.kernel, worthwhile)
        choice, threads = first or (wanted, TEAMS)
        if wanted is not None and not _are_same(wanted, choice):
            choice, threads = wanted, TEAMS
        if choice is None:
            continue
        best = min(costs.of_each(choice, threads), key=lambda one: one.time_s, default=None)
        if wanted is not None:
            said.append(_said_team(facts, costs, wanted, best))
        is_gain = best is not None and (best.time_s + overhead_s) * LEAST_GAIN <= own_s + overhead_s
        if best is not None and (is_gain or wanted is not None):
            chosen.append((choice, best.launch.threads_per_block))
    names = NewNames(facts.nest)
    parts = (rewritten_as_directives(source, names, choice, threads) for choice, threads in chosen)
    rewritten = [part for part in parts if part is not None]
    mapped = mapped_nest(source, names, rewritten, are_apart=False) if rewritten else None
    return DirectiveTeams(mapped, tuple(said))


def _first_tried(
    source: SourceNest, kernel: Kernel, tried: Iterable[TriedMapping]
) -> tuple[TeamChoice, tuple[int, ...]] | None:
    """The fastest of the mappings that were tried which directives can say, with teams' threads to look at.

    A warp was tried with several rows to a block, of which a block of two warps per row may be better than one.
    """
    choices = {(tuple(one.id for one in c.rows.loops), c.spread): c for c in directive_choices(source, kernel)}
    for one in sorted(tried, key=lambda one: one.time_s):
        mapped = next((each for each in one.mapped.facts.kernels if each.root == kernel.root), None)
        if mapped is not None and mapped.team is not None:
            found = choices.get((row_loops(mapped), frozenset(mapped.team.spread)))
            if found is not None:
                threads = mapped.team.threads
                return found, (threads, 2 * threads) if threads == WARP_THREADS else (threads,)
    return None


def _are_same(one: TeamChoice, other: TeamChoice | None) -> bool:
    return other is not None and (len(one.rows.loops), one.spread) == (len(other.rows.loops), other.spread)


def _said_team(facts: NestFacts, costs: _TeamCosts, choice: TeamChoice, best: RankedLaunch | None) -> SaidTeam:
    current = current_launch(facts, costs.kernel, costs.gpu)
    threads = prod(current.launch.block)
    now = next(iter(costs.of_each(choice, (threads,) if threads in TEAMS else ())), None)
    return SaidTeam(costs.kernel.root, now, best, current.origin)


@dataclass(frozen=True, slots=True)
class _TeamCosts:
    """One kernel of the source's order at its sizes."""

    source: SourceNest
    kernel: Kernel
    sizes: Sizes
    gpu: Gpu
    errors: Sequence[ModelError]

    def of_each(self, choice: TeamChoice, threads: Iterable[int]) -> list[RankedLaunch]:
        """Time of one launch with a block per row, for each number of threads that can be had."""
        found = (self._of(choice, each) for each in threads if each <= self.gpu.occupancy.max_threads_per_block)
        return [one for one in found if one is not None]

    def _of(self, choice: TeamChoice, threads: int) -> RankedLaunch | None:
        names = NewNames(self.source.nest)
        rewritten = rewritten_as_directives(self.source, names, choice, threads)
        if rewritten is None:
            return None
        mapped = mapped_nest(self.source, names, (rewritten,), are_apart=False)
        kernel = next((one for one in mapped.facts.kernels if one.root == self.kernel.root), None)
        if kernel is None:
            return None
        sized = SizedKernel.of(kernel, extend_sizes(dict(self.sizes), mapped.facts.nest))
        model = choose_model(family_of(sized.kernel), self.errors).model
        pin = LaunchPin((threads, 1, 1), 1, ())
        return next(iter(search(sized, self.gpu, model, most=1, pin=pin).ranked), None)
