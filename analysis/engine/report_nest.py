"""One nest of a file through all passes: facts, sizes, evaluation, findings and fixes, each remembered."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from warplens.analysis.advice.benefit_findings import linked_benefits, with_gains
from warplens.analysis.advice.catalogue import findings
from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.stakes import Stake, stake_of
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.argument_values import ArgumentValue
from warplens.analysis.engine.denied_promises import without_denied
from warplens.analysis.engine.directive_scope import directives_for
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.met_parameters import MetParameters
from warplens.analysis.engine.offered_fixes import mended_findings, offered_fixes
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.passed_ranges import passed_ranges
from warplens.analysis.engine.pinned_mappings import PinnedMappings
from warplens.analysis.engine.program_sizes import ProgramSizes
from warplens.analysis.engine.promises_in_force import PromisesInFile
from warplens.analysis.engine.report import NestReport
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.engine.sizes import resolve_sizes
from warplens.analysis.engine.stand_in_code import stand_in_code
from warplens.analysis.engine.sure_findings import without_unsure
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.comments.translation_unit import (
    LoweredFunction,
    LoweredNest,
    TranslationUnit,
)
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import KnownRange, LoopNest, MetPair, NestSpans
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.measured.measured_counts import LoopCounts
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.steady_bound import steady_bound
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import FixContext

T = TypeVar("T")

_SAID = frozenset(("directive", "file", "setting"))
"""Origins of sizes that somebody has decided on."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The user's text, what of it stands outside of functions, and the file's own name."""

    source: str
    outside: str
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class FileRun:
    """What all nests of one report share. `code` is the file without comments, empty when nothing asks for it.

    `measured` is what a real run counted, by the offset of the loop's keyword, `passed` what calls in the file pass, by
    function and parameter, `met` which of them lead into one object. `machine` is the pair of processors as part of
    keys.
    """

    unit: TranslationUnit
    code: str
    gpu: Gpu
    cpu: Cpu
    options: AnalysisOptions
    memo: Memo
    measured: Mapping[int, LoopCounts]
    passed: Mapping[tuple[str, str], ArgumentValue]
    met: MetParameters
    promises: PromisesInFile
    mappings: PinnedMappings
    machine: SameObject
    text: str
    """The file as it was preprocessed."""
    file: SourceFile
    surroundings: SameObject
    """All that the reports of this file's nests depend on beside its functions, as part of keys."""
    program_sizes: ProgramSizes
    missing_headers: tuple[str, ...]


class _FailedNestError(Exception):
    """A report that is not to be remembered: a failure is tried again."""

    def __init__(self, report: NestReport) -> None:
        super().__init__()
        self.report = report


def same_for_all_nests(run: FileRun, function: LoweredFunction) -> Hashable | None:
    """All that the report of a nest of this function depends on besides the nest, as part of a key.

    None where something in the file, or a real run, speaks of single loops: their reports are then put together anew,
    of remembered parts.
    """
    if run.promises.said or run.mappings.said or run.unit.directives or run.measured:
        return None
    certain = tuple(run.passed.get((function.name, parameter)) for parameter in function.parameters)
    source, span = run.file.source, function.span
    before = source[source.rfind("\n", 0, span.start) + 1 : span.start]
    return (before, source[span.start : span.end], has_one_nest(function), run.surroundings, certain)


def report_nest(run: FileRun, function: LoweredFunction, lowered: LoweredNest, same: Hashable | None) -> NestReport:
    """The report of a nest at its place of now; `same` is what `same_for_all_nests` gave."""
    if same is None or lowered.nest.inlined:
        return _placed(run, replace(_through_passes(run, function, lowered), macros=lowered.macros))

    def compute() -> NestReport:
        report = _through_passes(run, function, lowered)
        if report.failure:
            raise _FailedNestError(report)
        return report

    spans = lowered.spans
    met = run.met.of(lowered.nest, function.name)
    values = SameObject(run.program_sizes.values)
    at = function.span.start - spans.base
    key = (SameObject(lowered.nest), SameObject(spans.nodes), lowered.id, at, same, met, values)
    try:
        report = run.memo.get("report", key, compute)
    except _FailedNestError as failed:
        report = failed.report
    return _placed(run, replace(report, spans=spans, macros=lowered.macros))


def _placed(run: FileRun, report: NestReport) -> NestReport:
    """The report with the lines of now of what its sizes follow from."""
    if report.evaluation is None:
        return report
    sources, roots, calls = run.program_sizes.places(report.evaluation, report.id.function)
    return replace(report, size_sources=sources, size_roots=roots, other_calls=calls)


def _through_passes(run: FileRun, function: LoweredFunction, lowered: LoweredNest) -> NestReport:
    """The passes in order; where one fails the report has what came before."""
    met = run.met.of(lowered.nest, function.name)
    nest = _told(lowered.nest, (), met, run.memo) if met else lowered.nest
    promises = run.promises.of(function, lowered)
    facts, failure = _contained("analysis", lambda: _facts(nest, promises, run.memo))
    if facts is not None and any(v.kind in {"unknown", "carried"} for v in facts.verdicts):
        ranges = passed_ranges(nest, function, run.passed, run.text)
        if ranges:
            told = _told(lowered.nest, ranges, met, run.memo)
            facts, failure = _contained("analysis", lambda: _facts(told, promises, run.memo))
    if facts is None:
        return NestReport(lowered.id, lowered.spans, None, None, (), failure)
    predicted, failure = _contained("prediction", lambda: _evaluation(run, function, lowered, facts))
    if predicted is None:
        return NestReport(lowered.id, lowered.spans, facts, None, (), failure)
    context = _fix_context(run, function, lowered, predicted)
    fixes = offered_fixes(context, run.file.outside, run.memo)
    advised, failure = _contained("advice", lambda: _advised(run, function.name, predicted, mended_findings(fixes)))
    if advised is None:
        return NestReport(lowered.id, lowered.spans, facts, predicted, (), failure, fixes=fixes)
    evaluation, found, stake = advised
    stand_ins = stand_in_code(facts.nest, lowered.spans)
    shown = without_unsure(tuple(finding for finding in found if finding.node not in stand_ins), context)
    return NestReport(lowered.id, lowered.spans, facts, evaluation, shown, fixes=fixes, stake=stake)


def has_one_nest(function: LoweredFunction) -> bool:
    """Whether a function is one nest of loops, and nothing of it was not understood."""
    return len(function.nests) == 1 and not function.opaque


def _fix_context(
    run: FileRun, function: LoweredFunction, lowered: LoweredNest, evaluation: NestEvaluation
) -> FixContext:
    return FixContext(
        evaluation,
        lowered.spans,
        run.file.source,
        run.file.name,
        lowered.id,
        function.span,
        is_only_nest=has_one_nest(function),
    )


def _advised(
    run: FileRun, function: str, evaluation: NestEvaluation, mended: frozenset[str]
) -> tuple[NestEvaluation, tuple[Finding, ...], Stake]:
    """Findings with what they gain, and the evaluation with its benefits led to those that speak of them.

    And what is at stake at the nest, seen alone. `mended` have a quick fix.
    """
    disabled = run.options.disabled_rules

    def compute() -> tuple[NestEvaluation, tuple[Finding, ...], Stake]:
        plain = evaluation.with_one_output
        found = findings(evaluation, disabled)
        linked_plain = linked = _linked(plain, found, mended)
        if plain is not evaluation:
            linked = replace(_linked(evaluation, found, mended), plain=linked_plain)
        gained = with_gains(linked_plain, found, is_recommended=plain is evaluation)
        return linked, gained, stake_of(function, linked, None)

    return run.memo.get("advice", (SameObject(evaluation), function, disabled, mended), compute)


def _linked(evaluation: NestEvaluation, found: Sequence[Finding], mended: frozenset[str]) -> NestEvaluation:
    """With each benefit's finding, and whether that has a quick fix."""
    kernels = (replace(kernel, benefits=linked_benefits(kernel, found, mended)) for kernel in evaluation.kernels)
    return replace(evaluation, kernels=tuple(kernels))


def _facts(nest: LoopNest, promises: tuple[Promise, ...], memo: Memo) -> NestFacts:
    """Facts of this object, else of an equal nest, whose comparison walks through all of it."""
    return memo.get(
        "facts of this nest",
        (SameObject(nest), promises),
        lambda: memo.get("facts", (nest, promises), lambda: analyse_nest(nest, promises)),
    )


def _told(nest: LoopNest, ranges: tuple[KnownRange, ...], met: tuple[MetPair, ...], memo: Memo) -> LoopNest:
    """The nest with more that is known of its parameters; the same object for the same of all."""
    return memo.get(
        "nest with arguments",
        (SameObject(nest), ranges, met),
        lambda: replace(nest, known=(*nest.known, *ranges), met=met),
    )


def _evaluation(run: FileRun, function: LoweredFunction, lowered: LoweredNest, facts: NestFacts) -> NestEvaluation:
    directives = directives_for(run.code, run.unit.functions, function, lowered.spans, run.unit.directives)
    measured = _measured_in(lowered.spans, run.measured)
    program = run.program_sizes.of(facts, function.name)
    sizes, assumptions = resolve_sizes(facts, function.name, directives, run.options, measured, program)
    mapping = run.mappings.of(function, lowered)

    def compute() -> NestEvaluation:
        named = {one.subject for one in assumptions if one.kind == "size" and one.origin in _SAID}
        possible = without_denied(facts, {name: value for name, value in sizes if name in named})
        evaluation = evaluate_nest(possible, dict(sizes), run.gpu, run.cpu, run.options.model_errors, mapping)
        order, plain = evaluation.source_order, evaluation.plain
        told_order = None if order is None else told(order)
        told_plain = told_order if plain is order else None if plain is None else told(plain)
        given = replace(told(evaluation), source_order=told_order, plain=told_plain)
        # Of the nest as it is recommended only: of the others nobody says what bounds them.
        return replace(given, steady_bound=steady_bound(given))

    def told(evaluation: NestEvaluation) -> NestEvaluation:
        """With what is known beside the facts."""
        known = {one.subject for one in assumptions if one.origin != "default"}
        rest = (one for one in evaluation.assumptions if one.kind != "size" or one.subject not in known)
        return replace(
            evaluation,
            assumptions=(*assumptions, *rest),
            measured=measured,
            missing_headers=run.missing_headers,
        )

    key = (
        SameObject(facts), sizes, assumptions, run.machine, run.options.model_errors, measured, run.missing_headers,
        mapping,
    )  # fmt: skip
    return run.memo.get("evaluation", key, compute)


def _measured_in(spans: NestSpans, by_keyword: Mapping[int, LoopCounts]) -> tuple[tuple[NodeId, LoopCounts], ...]:
    """What was counted of the loops of a nest."""
    keywords = ((loop, span.start + spans.base) for loop, span in spans.header)
    return tuple((loop, by_keyword[at]) for loop, at in keywords if at in by_keyword)


def _contained(stage: str, compute: Callable[[], T]) -> tuple[T | None, str]:
    """Result, or None and what to tell the user: a defect of one pass on one nest must not take the file with it."""
    try:
        return compute(), ""
    except TooLargeError as error:
        return None, f"an expression of this loop grows to {error}"
    except OverflowError:
        return None, "a count or a size in this loop is larger than the numbers that are computed with"
    except Exception as defect:  # noqa: BLE001 - the border where any defect becomes a shown failure of one loop
        return None, f"internal error in the {stage} of this loop ({type(defect).__name__}: {defect}); please report it"
