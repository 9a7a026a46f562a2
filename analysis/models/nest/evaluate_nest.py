"""A nest at one problem size: the best launch of each kernel, and the sum of the offload against the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.launch_work.launch_cases import KernelCases
from warplens.analysis.models.launches.launch_heuristic import heuristic_launch
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.nest.directive_teams import SaidTeam, directive_teams
from warplens.analysis.models.nest.kernel_at_launch import kernel_at_launch
from warplens.analysis.models.nest.mapping_choice import ChosenMapping, choose_mapping
from warplens.analysis.models.nest.named_mapping import named_mapping
from warplens.analysis.models.nest.nest_of_kernels import with_kernels
from warplens.analysis.models.nest.restricted_times import restricted_times
from warplens.analysis.models.nest.written_launch import as_written, source_time
from warplens.analysis.models.results.current_launch import current_launch
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingPin, MappingTime
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

RANKED = 10
"""Launches that an evaluation lists; whoever wants more searches again."""


def evaluate_nest(
    facts: NestFacts,
    sizes: Mapping[str, int],
    gpu: Gpu,
    cpu: Cpu,
    errors: Sequence[ModelError] = (),
    mapping: str = "",
) -> NestEvaluation:
    """Predict every kernel of a nest in its best mapping with its best launch, the transfers and the CPU.

    Best is what a port that is written here takes least with; `in_source_order` is the best that a directive can ask
    for without a team per row, `in_row_teams` with one.

    `errors` are the accuracy ledger's, by which the model is chosen. The nest is in the fastest mapping, or in the one
    of the name `mapping` where it has one: `pin` says which. `sizes` has a value for every name in
    `facts.parameters`; a missing one counts as 0.
    Source: Resios eq. 4.1 and 4.3, sections 5.2.1 and 5.3. Assumes: kernels run one after the other, what is in none of
    them on one core in between; each array is copied at most once each way. Not modelled: copies that overlap with
    kernels, or that the code on the host would need.
    """
    known = {name: sizes.get(name, 0) for name in facts.parameters} | dict(sizes)
    values = extend_sizes(known, facts.nest)
    cases = KernelCases(gpu)
    kernels = tuple(evaluate_kernel(facts, kernel, values, gpu, errors, cases=cases) for kernel in facts.kernels)
    evaluation = with_kernels(facts, known, kernels, gpu, cpu)
    chosen = mappings_of(evaluation, errors)
    teams = directive_teams(facts, kernels, chosen.tried, values, gpu, errors)
    evaluation = replace(evaluation, mappings=chosen.times)
    if teams.mapped is not None:
        evaluation = replace(evaluation, row_teams=in_mapping(evaluation, teams.mapped, errors, with_source=False))
    evaluation = _as_said(evaluation, teams.said)
    if chosen.mapped is not None:
        evaluation = _as_said(in_mapping(evaluation, chosen.mapped, errors, cases=cases), teams.said)
    evaluation = as_written(evaluation, errors, cases)
    return with_pin(evaluation, mapping, chosen, errors, teams.said) if mapping else evaluation


def with_pin(
    evaluation: NestEvaluation,
    name: str,
    chosen: ChosenMapping,
    errors: Sequence[ModelError],
    said: Sequence[SaidTeam] = (),
) -> NestEvaluation:
    """A nest in its fastest mapping, in the one of a name; as it is where it has none, which `pin` then says.

    `said` is what directives say of teams.
    """
    is_so = chosen.recommended == name
    found = evaluation if is_so else in_named_mapping(evaluation, name, chosen, errors, said)
    time_s = 0.0 if evaluation.offload is None else evaluation.offload.resident_s
    return replace(found or evaluation, pin=MappingPin(name, found is not None, chosen.recommended, time_s))


def in_named_mapping(
    evaluation: NestEvaluation,
    name: str,
    chosen: ChosenMapping,
    errors: Sequence[ModelError],
    said: Sequence[SaidTeam] = (),
) -> NestEvaluation | None:
    """A nest in the mapping of a name, be it one that was not tried; None where it has none, or can't be launched."""
    order = replace(evaluation.in_source_order, mappings=evaluation.mappings, pin=None)
    if name == SOURCE_ORDER:
        return as_written(order, errors) if order.kernels else None
    mapped = chosen.named(name) or named_mapping(order.facts, name, order.gpu)
    if mapped is None:
        return None
    found = _as_said(in_mapping(order, mapped, errors), said)
    own = [each.kernel for each in order.kernels]
    if any(one.ranking is not None and not one.ranking.possible for one in found.kernels if one.kernel not in own):
        return None
    found = as_written(found, errors)
    if any(one.name == name for one in found.mappings) or found.offload is None:
        return found
    source_s = sum(source_time(each, order.gpu).written_s for each in order.kernels)
    listed = found.mappings or (MappingTime(SOURCE_ORDER, source_s, is_recommended=True),)
    time_s = found.offload.kernels_s + found.offload.launch_overhead_s
    return replace(found, mappings=(*listed, MappingTime(name, time_s)))


def mappings_of(evaluation: NestEvaluation, errors: Sequence[ModelError]) -> ChosenMapping:
    """All mappings that are tried for a nest at its sizes, whatever mapping it is evaluated in."""
    order = evaluation.in_source_order
    own = {each.kernel.root: source_time(each, order.gpu) for each in order.kernels}
    restricted = restricted_times(order) if order.facts.restricted else own
    return choose_mapping(order.facts, own, restricted, order.known_sizes, order.gpu, errors)


def in_mapping(
    evaluation: NestEvaluation,
    mapped: MappedNest,
    errors: Sequence[ModelError],
    *,
    with_source: bool = True,
    cases: KernelCases | None = None,
) -> NestEvaluation:
    """A nest, evaluated in the source's order, in another mapping; that evaluation stands beside it if wanted.

    `cases` keeps what is counted.
    """
    sizes, gpu = dict(evaluation.sizes), evaluation.gpu
    values = extend_sizes(sizes, mapped.facts.nest)
    as_before = {each.kernel: each for each in evaluation.kernels}
    kernels = tuple(
        as_before.get(kernel) or evaluate_kernel(mapped.facts, kernel, values, gpu, errors, cases=cases)
        for kernel in mapped.facts.kernels
    )
    found = with_kernels(evaluation.facts, sizes, kernels, gpu, evaluation.cpu, mapped)
    if not with_source:
        return found
    return replace(found, source_order=evaluation, mappings=evaluation.mappings)


def _as_said(evaluation: NestEvaluation, said: Sequence[SaidTeam]) -> NestEvaluation:
    """The launch of now where directives say a team per row, and the best that they could ask for, is that of teams."""
    by_root = {each.root: each for each in said}
    kernels: list[KernelEvaluation] = []
    for kernel in evaluation.kernels:
        team, ranking = by_root.get(kernel.kernel.root), kernel.ranking
        if team is not None and ranking is not None:
            ranking = replace(ranking, current=team.now, current_origin=team.origin, line=team.best)
        kernels.append(replace(kernel, ranking=ranking))
    return replace(evaluation, kernels=tuple(kernels)) if said else evaluation


def evaluate_kernel(
    facts: NestFacts,
    kernel: Kernel,
    sizes: Sizes,
    gpu: Gpu,
    errors: Sequence[ModelError],
    pin: LaunchPin = FREE,
    *,
    cases: KernelCases | None = None,
) -> KernelEvaluation:
    """Search with the model that was closest to measurements, and predict the best that a directive can ask for.

    With a `pin` the best of the launches that are as it says is predicted. `cases` keeps what is counted.
    """
    sized, launches = (cases or KernelCases(gpu)).of(kernel, sizes)
    model = choose_model(family_of(sized.kernel), errors).model
    current = current_launch(facts, kernel, gpu)
    ranking = search(sized, gpu, model, current.launch, current.origin, RANKED, launches, pin)
    best = ranking.one_output if pin.work_per_thread in {None, 1} else next(iter(ranking.ranked), None)
    # Where no launch is possible the heuristic's is predicted, one block at a time.
    chosen = heuristic_launch(sized, gpu) if best is None else best.launch
    return kernel_at_launch(kernel, sized, launches, ranking, chosen, gpu, errors)
