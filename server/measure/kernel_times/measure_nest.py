"""From a nest and the launches to try to what was measured of each: ports written, built, run, checked, predicted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt
from pathlib import Path
from typing import Any

from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.nest import If, Loop, Statement
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.compare_models import compare_models
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.port import CudaFile, cuda_port, in_wished_mapping
from warplens.analysis.ports.fix import FixContext, LaunchWish
from warplens.server.measure.kernel_times.harness_run import Machine, Plan, PortSource, Program, measured_lines
from warplens.server.measure.kernel_times.measured_nest import (
    Check,
    MeasuredLaunch,
    MeasuredNest,
    Times,
    Timing,
    device_from_json,
    nest_digest,
)
from warplens.server.measure.kernel_times.memory_plan import memory_plan
from warplens.server.measure.kernel_times.program_text import (
    Tolerance,
    call_text,
    ported_text,
    reference_text,
    tables_text,
)
from warplens.server.measure.kernel_times.signature import signature_of

_EPSILON = {4: 2.0**-23, 8: 2.0**-52}


@dataclass(frozen=True, slots=True)
class Subject:
    """A nest to measure: where it stands, the name of the GPU profile, the day, and versions of programs."""

    context: FixContext
    path: str
    line: int
    profile: str
    date: str
    versions: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one wished launch: a measurement, or why the port was refused.

    `is_mapped`: the port's kernels are not those that the source's own order spells out.
    """

    wish: LaunchWish
    measured: MeasuredNest | None
    refusal: str = ""
    is_mapped: bool = False


@dataclass(frozen=True, slots=True)
class PlannedNest:
    """What has to be built and run: `outcomes` hold measurements whose result and times are still to come.

    `sources` are the ports, one for each outcome that is not refused, in their order.
    """

    program: Program
    sources: tuple[PortSource, ...]
    outcomes: tuple[Outcome, ...]


def measure_nest(
    subject: Subject, wishes: Sequence[LaunchWish], machine: Machine, plan: Plan, folder: Path
) -> tuple[Outcome, ...]:
    """Measure the ports of a nest at the sizes of its evaluation; equal ports are measured once, for the first wish.

    Raises NoMemoryPlanError, SignatureError, BuildError and NoGpuError.
    """
    planned = planned_nest(subject, wishes, warm_l2=machine.warm_l2)
    if not planned.sources:
        return planned.outcomes
    reference, *lines = measured_lines(planned.program, planned.sources, machine, plan, folder)
    found = iter(lines)
    return tuple(
        replace(each, measured=with_result(each.measured, reference, next(found))) if each.measured else each
        for each in planned.outcomes
    )


def planned_nest(subject: Subject, wishes: Sequence[LaunchWish], *, warm_l2: bool = False) -> PlannedNest:
    """Write the ports and the program around them; equal ports count once. Raises NoMemoryPlanError, SignatureError."""
    context = subject.context
    evaluation = context.evaluation
    signature = signature_of(context.source, context.function, context.function_span)
    sizes = evaluation.known_sizes
    arrays = memory_plan(evaluation.facts, sizes)
    call = call_text(arrays, signature, sizes)
    program = Program(tables_text(arrays, signature, sizes, _tolerance(evaluation)), reference_text(context, call))
    data_bytes = sum(array.bytes for array in arrays)
    outcomes: list[Outcome] = []
    sources: list[PortSource] = []
    for wish in wishes:
        wished = in_wished_mapping(context, wish)
        try:
            port = cuda_port(wished, wish)
        except PortRefusedError as error:
            outcomes.append(Outcome(wish, None, str(error)))
            continue
        if any(each.measured and each.wish == _wish_of(port) for each in outcomes):
            continue
        measured = _unmeasured(replace(subject, context=wished), port, data_bytes, is_cold=not warm_l2)
        outcomes.append(Outcome(_wish_of(port), measured, is_mapped=wished.evaluation.mapped is not None))
        sources.append(PortSource(port.text, ported_text(wished, port, call)))
    return PlannedNest(program, tuple(sources), tuple(outcomes))


def with_result(planned: MeasuredNest, reference: Mapping[str, Any], line: Mapping[str, Any]) -> MeasuredNest:
    """What harness.c wrote of the reference and of the port, put into the measurement that was planned.

    Raises KeyError, TypeError and ValueError for what harness.c does not write.
    """
    return replace(
        planned,
        check=_check(line["check"]),
        reference_s=float(reference["reference_s"]),
        timing=_timing(line) if line["device"] else None,
    )


def predicted_kernels_s(evaluation: NestEvaluation, port: CudaFile) -> dict[str, float]:
    """Time of all the launches of a port by each model, in seconds; launching and copies are not in it.

    All pointers of a port are `restrict`.
    """
    sizes = evaluation.known_sizes
    restricted = {each.root: each for each in evaluation.kernel_facts.restricted}
    total: dict[str, float] = {}
    for evaluated, kernel in zip(evaluation.kernels, port.kernels, strict=True):
        declared = restricted.get(evaluated.kernel.root, evaluated.kernel)
        case = kernel_on_gpu(SizedKernel.of(declared, sizes), kernel.chosen.launch, evaluation.gpu)
        for prediction in compare_models(case, ()).predictions:
            total[prediction.model] = total.get(prediction.model, 0.0) + evaluated.launches * prediction.time_s
    return total


def _unmeasured(subject: Subject, port: CudaFile, data_bytes: int, *, is_cold: bool) -> MeasuredNest:
    evaluation = subject.context.evaluation
    offload = evaluation.offload
    return MeasuredNest(
        path=subject.path,
        function=subject.context.function,
        line=subject.line,
        nest=nest_digest(evaluation.facts.nest),
        sizes=tuple(sorted(evaluation.sizes)),
        launches=tuple(_launches(port)),
        is_cold=is_cold,
        data_bytes=data_bytes,
        check=Check(0, 0, 0.0, 0.0),
        reference_s=0.0,
        profile=subject.profile,
        predicted_s=tuple(predicted_kernels_s(evaluation, port).items()),
        predicted_copies_s=(0.0, 0.0) if offload is None else (offload.transfer_in_s, offload.transfer_out_s),
        versions=subject.versions,
        date=subject.date,
    )


def _timing(line: Mapping[str, Any]) -> Timing:
    """The first run is for warming up."""
    kernels, copies_in, copies_out, launches = zip(*line["runs"][1:], strict=True)
    return Timing(
        device_from_json(line["device"]),
        len(kernels),
        int(launches[0]),
        Times.of(kernels),
        Times.of(copies_in),
        Times.of(copies_out),
    )


def _check(line: Mapping[str, Any]) -> Check:
    difference = ""
    if line["differing"]:
        difference = f"{line['array']}, element {line['element']}: {line['found']}, the C has {line['expected']}"
    return Check(
        int(line["compared"]),
        int(line["differing"]),
        float(line["largest_relative_error"]),
        float(line["largest_allowed"]),
        difference,
        int(line.get("by_rounding", 0)),
    )


def _launches(port: CudaFile) -> Iterator[MeasuredLaunch]:
    for kernel in port.kernels:
        launch = kernel.chosen.launch
        shared = tuple(c_name(choice.array) for choice in launch.shared)
        yield MeasuredLaunch(kernel.name, launch.block, launch.outputs_per_thread, shared)


def _wish_of(port: CudaFile) -> LaunchWish:
    launch = port.kernels[0].chosen.launch
    return LaunchWish(launch.block, launch.outputs_per_thread, tuple(c_name(choice.array) for choice in launch.shared))


def _tolerance(evaluation: NestEvaluation) -> Tolerance:
    """What the order of sums and fused operations explain.

    Rounding errors of a sum of m terms grow with its root; what loses a term is off by one in m. Errors that all have
    one direction grow with m.
    """
    terms = _terms(evaluation, (evaluation.facts.nest.root,))
    units = 32 + 8 * sqrt(terms)
    return Tolerance({size: epsilon * units for size, epsilon in _EPSILON.items()}, units / terms)


def _terms(evaluation: NestEvaluation, body: Sequence[Statement]) -> float:
    """How many terms are added up for a number: iterations that share nothing add none, loops beside each other do."""
    facts = evaluation.facts
    shared_out = {loop.loop for kernel in facts.kernels for loop in kernel.grid if not kernel.reductions}
    shared_out |= {verdict.loop for verdict in facts.verdicts if verdict.kind == "parallel"}
    terms = 0.0
    for one in body:
        if isinstance(one, Loop):
            trips = 1.0 if one.id in shared_out else _trips(evaluation, one)
            terms += trips * _terms(evaluation, one.body)
        elif isinstance(one, If):
            terms += max(_terms(evaluation, one.then), _terms(evaluation, one.otherwise))
    return max(1.0, terms)


def _trips(evaluation: NestEvaluation, loop: Loop) -> float:
    return max(1.0, float(evaluation.facts.trip_count(loop.id).average.evaluate(dict(evaluation.sizes))))
