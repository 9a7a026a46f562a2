"""A nest at one problem size: the best launch of each kernel, and the sum of the offload against the CPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.cpu_time import CpuTime
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.mapped_nest import MappedNest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.choose_model import choose_model
from warplens.analysis.models.choice.compare_models import compare_models
from warplens.analysis.models.choice.cost_models import COST_MODELS, CostModel
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.launch_work.launch_cases import LaunchCases
from warplens.analysis.models.launches.launch_heuristic import heuristic_launch
from warplens.analysis.models.launches.launch_search import TOLERANCE, search
from warplens.analysis.models.nest.directive_teams import SaidTeam, directive_teams
from warplens.analysis.models.nest.mapping_choice import ChosenMapping, choose_mapping
from warplens.analysis.models.nest.named_mapping import named_mapping
from warplens.analysis.models.offload.nest_offload import TimedKernel, offload_of
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.current_launch import current_launch
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.kernel_family import family_of
from warplens.analysis.models.results.launch_pin import FREE, LaunchPin
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER, MappingPin, MappingTime
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.simulation.grid import whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

RANKED = 10
"""Launches that an evaluation lists; whoever wants more searches again."""

CONTEXT = Assumption(
    "context",
    "data",
    "With copies: the arrays are on the host before and after the loop. Without: they stay on the GPU.",
)


def evaluate_nest(
    facts: NestFacts,
    sizes: Mapping[str, int],
    gpu: Gpu,
    cpu: Cpu,
    errors: Sequence[ModelError] = (),
    mapping: str = "",
) -> NestEvaluation:
    """Predict every kernel of a nest with its best launch, the transfers and the CPU.

    `errors` are the accuracy ledger's, by which the model is chosen. The nest is in the fastest mapping, or in the one
    of the name `mapping` where it has one: `pin` says which. `sizes` has a value for every name in
    `facts.parameters`; a missing one counts as 0.
    Source: Resios eq. 4.1 and 4.3, sections 5.2.1 and 5.3. Assumes: kernels run one after the other, what is in none of
    them on one core in between; each array is copied at most once each way. Not modelled: copies that overlap with
    kernels, or that the code on the host would need.
    """
    known = {name: sizes.get(name, 0) for name in facts.parameters} | dict(sizes)
    values = extend_sizes(known, facts.nest)
    kernels = tuple(evaluate_kernel(facts, kernel, values, gpu, errors) for kernel in facts.kernels)
    evaluation = with_kernels(facts, known, kernels, gpu, cpu)
    chosen = mappings_of(evaluation, errors)
    teams = directive_teams(facts, kernels, chosen.tried, values, gpu, errors)
    evaluation = replace(evaluation, mappings=chosen.times)
    if teams.mapped is not None:
        evaluation = replace(evaluation, row_teams=in_mapping(evaluation, teams.mapped, errors, with_source=False))
    evaluation = _as_said(evaluation, teams.said)
    if chosen.mapped is not None:
        evaluation = _as_said(in_mapping(evaluation, chosen.mapped, errors), teams.said)
    return _as_said(with_pin(evaluation, mapping, chosen, errors), teams.said) if mapping else evaluation


def with_pin(
    evaluation: NestEvaluation, name: str, chosen: ChosenMapping, errors: Sequence[ModelError]
) -> NestEvaluation:
    """A nest in its fastest mapping, in the one of a name; as it is where it has none, which `pin` then says."""
    recommended = tuple(one.name for one in chosen.times if one.is_recommended) or (SOURCE_ORDER,)
    found = evaluation if recommended == (name,) else in_named_mapping(evaluation, name, chosen, errors)
    time_s = 0.0 if evaluation.offload is None else evaluation.offload.resident_s
    return replace(found or evaluation, pin=MappingPin(name, found is not None, recommended, time_s))


def in_named_mapping(
    evaluation: NestEvaluation, name: str, chosen: ChosenMapping, errors: Sequence[ModelError]
) -> NestEvaluation | None:
    """A nest in the mapping of a name, be it one that was not tried; None where it has none, or can't be launched."""
    order = replace(evaluation.in_source_order, mappings=chosen.times, pin=None)
    if name == SOURCE_ORDER:
        return order if order.kernels else None
    mapped = chosen.named(name) or named_mapping(order.facts, name, order.gpu)
    if mapped is None:
        return None
    found = in_mapping(order, mapped, errors)
    new = [kernel for kernel in found.kernels if kernel not in order.kernels]
    if any(kernel.ranking is not None and not kernel.ranking.possible for kernel in new):
        return None
    if any(one.name == name for one in found.mappings):
        return found
    time_s = sum(
        kernel.launches * kernel.prediction.time_s + launch_overhead_s(order.gpu.host, float(kernel.launches))
        for kernel in new
    )
    return replace(found, mappings=(*found.mappings, MappingTime(name, time_s)))


def mappings_of(evaluation: NestEvaluation, errors: Sequence[ModelError]) -> ChosenMapping:
    """All mappings that are tried for a nest at its sizes, whatever mapping it is evaluated in."""
    order = evaluation.in_source_order
    own_s = {each.kernel.root: each.launches * each.prediction.time_s for each in order.kernels}
    return choose_mapping(order.facts, own_s, order.known_sizes, order.gpu, errors)


def with_kernels(
    facts: NestFacts,
    sizes: Mapping[str, int],
    kernels: tuple[KernelEvaluation, ...],
    gpu: Gpu,
    cpu: Cpu,
    mapped: MappedNest | None = None,
) -> NestEvaluation:
    """The nest around its evaluated kernels: transfers, the CPU, the sum; `sizes` has every parameter's value."""
    values = extend_sizes(sizes, facts.nest)
    timed = [TimedKernel(each.kernel, each.launches, each.prediction.time_s, mapped) for each in kernels]
    cpu_result = cpu_time(facts, values, cpu)
    return NestEvaluation(
        facts=facts,
        sizes=tuple(sorted(sizes.items())),
        kernels=kernels,
        offload=offload_of(facts, values, timed, cpu_result, gpu) if kernels else None,
        cpu_time=cpu_result,
        gpu=gpu,
        cpu=cpu,
        assumptions=_assumptions(facts, kernels, cpu_result, gpu),
        mapped=mapped,
    )


def in_mapping(
    evaluation: NestEvaluation, mapped: MappedNest, errors: Sequence[ModelError], *, with_source: bool = True
) -> NestEvaluation:
    """A nest, evaluated in the source's order, in another mapping; that evaluation stands beside it if wanted."""
    sizes, gpu = dict(evaluation.sizes), evaluation.gpu
    values = extend_sizes(sizes, mapped.facts.nest)
    as_before = {each.kernel: each for each in evaluation.kernels}
    kernels = tuple(
        as_before.get(kernel) or evaluate_kernel(mapped.facts, kernel, values, gpu, errors)
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
) -> KernelEvaluation:
    """Search with the model that was closest to measurements; recommended is what a directive can ask for.

    With a `pin` the best of the launches that are as it says is recommended.
    """
    sized = SizedKernel.of(kernel, sizes)
    model = choose_model(family_of(sized.kernel), errors).model
    current = current_launch(facts, kernel, gpu)
    cases = LaunchCases(sized, gpu)
    ranking = search(sized, gpu, model, current.launch, current.origin, RANKED, cases, pin)
    best = ranking.one_output if pin.work_per_thread in {None, 1} else next(iter(ranking.ranked), None)
    # Where no launch is possible the heuristic's is predicted, one block at a time.
    chosen = heuristic_launch(sized, gpu) if best is None else best.launch
    case = cases.of(chosen)
    comparison = compare_models(case, errors)
    found = shared_opportunities(sized, chosen.block, gpu, chosen.outputs_per_thread)
    return KernelEvaluation(
        kernel=kernel,
        launches=whole_count(kernel.launches, sizes),
        prediction=comparison.predictions[0],
        shared_greedy=found,
        shared_left_out=_left_out(comparison.predictions[0], found, COST_MODELS[model], cases),
        ranking=ranking,
        comparison=comparison,
        benefits=benefits(case),
    )


def _left_out(
    chosen: Prediction, opportunities: Sequence[SharedChoice], model: CostModel, cases: LaunchCases
) -> tuple[tuple[str, str], ...]:
    """Why each opportunity that the launch doesn't stage is left out; the array beside the reason."""
    launch = chosen.launch
    arrays = {choice.array for choice in launch.shared}
    reasons: list[tuple[str, str]] = []
    for choice in opportunities:
        if choice.array in arrays:
            continue
        staged = cases.of(replace(launch, shared=(*launch.shared, choice)))
        if not staged.occupancy.blocks_per_sm:
            others = ", ".join(f"`{c_name(taken.array)}`" for taken in launch.shared)
            reason = f"does not fit beside {others}" if others else "its block does not fit on a multiprocessor"
        elif (time_s := model.time_s(staged)) > chosen.time_s * (1 + TOLERANCE):
            reason = f"predicted to be {100 * (time_s / chosen.time_s - 1):.0f} % slower"
        elif not choice.is_read_again and time_s < chosen.time_s * (1 - TOLERANCE):
            reason = f"only a port to CUDA can, predicted to take {100 * (1 - time_s / chosen.time_s):.0f} % less time"
        else:
            reason = f"predicted to gain less than {100 * TOLERANCE:.0f} %"
        reasons.append((choice.array, reason))
    return tuple(reasons)


def _assumptions(
    facts: NestFacts, kernels: tuple[KernelEvaluation, ...], cpu_result: CpuTime, gpu: Gpu
) -> tuple[Assumption, ...]:
    """Everything taken for granted, each once, the program's first."""
    found: list[Assumption] = [*facts.assumptions]
    for kernel in kernels:
        found += [*kernel.kernel.assumptions, *kernel.prediction.assumptions]
    if kernels:
        found += [CONTEXT, *gpu.assumptions]
    found += cpu_result.assumptions
    return tuple(dict.fromkeys(found))
