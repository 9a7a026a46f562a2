"""The passes in order. The one file that names every pass."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from warplens.analysis.advice.benefit_findings import linked_benefits
from warplens.analysis.advice.catalogue import findings
from warplens.analysis.advice.finding import Finding
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.argument_values import ArgumentValue, argument_values
from warplens.analysis.engine.called_elsewhere import called_elsewhere, companions_in
from warplens.analysis.engine.denied_promises import without_denied
from warplens.analysis.engine.directive_scope import code_only, directives_for, loop_of
from warplens.analysis.engine.kernel_names import unused_kernel_names, with_kernel_names
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.met_parameters import MetParameters
from warplens.analysis.engine.offered_fixes import mended_findings, offered_fixes, outside_of_functions
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.passed_ranges import passed_ranges
from warplens.analysis.engine.program_sizes import ProgramSizes
from warplens.analysis.engine.progress import Progress
from warplens.analysis.engine.promise_targets import is_about
from warplens.analysis.engine.report import (
    CPP_REPORT,
    SKIPPED,
    FunctionReport,
    Hidden,
    NestReport,
    Recomputed,
    Report,
)
from warplens.analysis.engine.same_object import SameObject
from warplens.analysis.engine.shown import as_wanted
from warplens.analysis.engine.sizes import resolve_sizes
from warplens.analysis.engine.stale_counts import stale_problems
from warplens.analysis.engine.stand_in_code import stand_in_code
from warplens.analysis.engine.sure_findings import without_unsure
from warplens.analysis.engine.switched_off import off_regions, unknown_codes
from warplens.analysis.engine.unused_sizes import unused_size
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.comments.comment_parts import read_offs
from warplens.analysis.frontend.comments.translation_unit import (
    LoweredFunction,
    LoweredNest,
    Opaque,
    Problem,
    TranslationUnit,
)
from warplens.analysis.frontend.comments.warplens_comments import PromiseDirective, read_kernels, read_promises
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.cpp_header import is_cpp_header
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.frontend.scopes.file_scopes import FileScopes
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import KnownRange, LoopNest, MetPair, NestSpans
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.size_name import by_size_key, size_key
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.measured.measured_counts import LoopCounts, MeasuredFile, measured_file
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.steady_bound import steady_bound
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.fix import FixContext
from warplens.analysis.program.program import Program
from warplens.analysis.program.sizes.nest_sizes import NestSizes
from warplens.analysis.program.sizes.said_sizes import SaidSize

T = TypeVar("T")

_SAID = frozenset(("directive", "file", "setting"))
"""Origins of sizes that somebody has decided on."""


def run_pipeline(
    source: str,
    preprocessed: Preprocessed,
    gpu: Gpu,
    cpu: Cpu,
    options: AnalysisOptions,
    memo: Memo,
    progress: Progress,
    program: Program | None = None,
) -> Report:
    """Everything from text to findings."""
    if is_cpp_header(preprocessed):
        return CPP_REPORT
    memo.begin_run(preprocessed.main_path)
    before = dict(memo.computed)
    file_scopes = FileScopes()  # types are laid out once, for loops and for sizes
    joined = companions_in(program, preprocessed.main_path, memo)
    unit = parse_unit(source, preprocessed, memo, joined, file_scopes)
    measured = _measured(source, options, memo)
    promises = read_promises(source)
    offs = read_offs(source)
    kernels = read_kernels(source)
    code = code_only(source) if unit.directives or promises or offs or kernels else ""
    passed = argument_values(unit.functions, unit.handed_out)
    said = _said_of_program(options)
    program_sizes = ProgramSizes(source, preprocessed, program, options.arguments, said, memo, file_scopes)
    machine = memo.get("machine", (gpu, cpu), lambda: SameObject((gpu, cpu)))
    file = _File(
        source,
        outside_of_functions(source, [function.span for function in unit.functions]),
        re.split(r"[/\\]", preprocessed.main_path)[-1],
    )
    around = (gpu, cpu, options, file.outside, file.name, preprocessed.missing)
    surroundings = memo.get("surroundings", around, lambda: SameObject(around))
    run = _Run(
        unit, code, gpu, cpu, options, memo, dict(measured.loops), passed,
        MetParameters(unit.functions, unit.handed_out), promises, machine, preprocessed.text, file, surroundings,
        program_sizes, preprocessed.missing,
    )  # fmt: skip
    off = off_regions(code, unit, offs, len(source))
    nests: list[NestReport] = []
    """Those that are done, in the order of the text."""

    def report() -> Report:
        functions = with_kernel_names(_functions(unit, nests), unit, code, kernels)
        opaque = unit.opaque + tuple(o for function in unit.functions for o in function.opaque)
        found = Report(
            functions=functions,
            opaque=opaque,
            problems=(
                *unit.problems,
                *_without_effect(run, functions, opaque),
                *stale_problems(source, measured, unit.functions, options.counts),
                *unknown_codes(offs),
                *unused_kernel_names(unit, code, kernels),
            ),
            directives=unit.directives,
            loops_in_text=unit.loops_in_text,
            loops_found=unit.loops_found,
            recomputed=Recomputed(
                declarations_parsed=unit.declarations_parsed,
                nests_analysed=memo.computed.get("facts", 0) - before.get("facts", 0),
                nests_evaluated=memo.computed.get("evaluation", 0) - before.get("evaluation", 0),
            ),
            said_sizes=frozenset(program_sizes.values.used),
        )
        return as_wanted(found, off, options)

    for function in unit.functions:
        same = _same_for_all_nests(run, function) if function.nests else None
        for lowered in function.nests:
            if lowered.id in options.skipped:
                nests.append(NestReport(lowered.id, lowered.spans, None, None, (), SKIPPED, lowered.macros))
                continue
            progress.nest_begins(lowered.id)
            done = _remembered_report(run, function, lowered, same)
            nests.append(replace(done, elsewhere=called_elsewhere(lowered.nest, unit.elsewhere, memo)))
            progress.nest_ended(report)
    return report()


def _functions(unit: TranslationUnit, done: Sequence[NestReport]) -> tuple[FunctionReport, ...]:
    """The functions with what is done of their nests; the others are pending."""
    ready = iter(done)
    return tuple(
        FunctionReport(
            function.name,
            function.span,
            tuple(next(ready, None) or _pending(lowered) for lowered in function.nests),
            _has_one_nest(function),
        )
        for function in unit.functions
    )


def _pending(lowered: LoweredNest) -> NestReport:
    return NestReport(lowered.id, lowered.spans, None, None, (), macros=lowered.macros, hidden=Hidden("pending"))


@dataclass(frozen=True, slots=True, eq=False)
class _Run:
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
    promises: tuple[PromiseDirective, ...]
    machine: SameObject
    text: str
    """The file as it was preprocessed."""
    file: _File
    surroundings: SameObject
    """All that the reports of this file's nests depend on beside its functions, as part of keys."""
    program_sizes: ProgramSizes
    missing_headers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _File:
    """The user's text, what of it stands outside of functions, and the file's own name."""

    source: str
    outside: str
    name: str


class _FailedNestError(Exception):
    """A report that is not to be remembered: a failure is tried again."""

    def __init__(self, report: NestReport) -> None:
        super().__init__()
        self.report = report


def _same_for_all_nests(run: _Run, function: LoweredFunction) -> Hashable | None:
    """All that the report of a nest of this function depends on besides the nest, as part of a key.

    None where something in the file, or a real run, speaks of single loops: their reports are then put together anew,
    of remembered parts.
    """
    if run.promises or run.unit.directives or run.measured:
        return None
    certain = tuple(run.passed.get((function.name, parameter)) for parameter in function.parameters)
    source, span = run.file.source, function.span
    before = source[source.rfind("\n", 0, span.start) + 1 : span.start]
    return (before, source[span.start : span.end], _has_one_nest(function), run.surroundings, certain)


def _remembered_report(run: _Run, function: LoweredFunction, lowered: LoweredNest, same: Hashable | None) -> NestReport:
    """The report of a nest at its place of now; `same` is what `_same_for_all_nests` gave."""
    if same is None or lowered.nest.inlined:
        return _placed(run, replace(_report_nest(run, function, lowered), macros=lowered.macros))

    def compute() -> NestReport:
        report = _report_nest(run, function, lowered)
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


def _placed(run: _Run, report: NestReport) -> NestReport:
    """The report with the lines of now of what its sizes follow from."""
    if report.facts is None or report.evaluation is None:
        return report
    program = _program_sizes(run, report.id.function, report.facts)
    said = dict(program.sizes)
    used = (a.subject for a in report.evaluation.assumptions if a.kind == "size" and a.origin == "program")
    sources = ((name, run.program_sizes.sources(said[name].steps)) for name in used if name in said)
    assumptions = report.evaluation.assumptions
    guessed = {a.subject for a in assumptions if a.kind == "size" and a.origin in {"default", "inferred"}}
    roots = tuple((name, root) for name, root in program.roots if name in guessed)
    return replace(report, size_sources=tuple(sources), size_roots=roots)


def _said_of_program(options: AnalysisOptions) -> tuple[SaidSize, ...]:
    """What settings say of sizes, the folder's file first: other sizes of the program follow from them."""
    first = sorted(options.sizes, key=lambda one: one.origin != "file")
    return tuple(SaidSize(one.name, one.function, one.value) for one in first)


def _program_sizes(run: _Run, function: str, facts: NestFacts) -> NestSizes:
    return run.program_sizes.of(facts, function, run.options.default_size)


def _report_nest(run: _Run, function: LoweredFunction, lowered: LoweredNest) -> NestReport:
    met = run.met.of(lowered.nest, function.name)
    nest = _told(lowered.nest, (), met, run.memo) if met else lowered.nest
    promises = _promises(run, function, lowered)
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
    advised, failure = _contained("advice", lambda: _advised(run, predicted, mended_findings(fixes)))
    if advised is None:
        return NestReport(lowered.id, lowered.spans, facts, predicted, (), failure, fixes=fixes)
    evaluation, found = advised
    stand_ins = stand_in_code(facts.nest, lowered.spans)
    shown = without_unsure(tuple(finding for finding in found if finding.node not in stand_ins), context)
    return NestReport(lowered.id, lowered.spans, facts, evaluation, shown, fixes=fixes)


def _has_one_nest(function: LoweredFunction) -> bool:
    return len(function.nests) == 1 and not function.opaque


def _fix_context(run: _Run, function: LoweredFunction, lowered: LoweredNest, evaluation: NestEvaluation) -> FixContext:
    return FixContext(
        evaluation,
        lowered.spans,
        run.file.source,
        run.file.name,
        lowered.id,
        function.span,
        is_only_nest=_has_one_nest(function),
    )


def _advised(
    run: _Run, evaluation: NestEvaluation, mended: frozenset[str]
) -> tuple[NestEvaluation, tuple[Finding, ...]]:
    """Findings, and the evaluation with its benefits led to those that speak of them; `mended` have a quick fix."""
    disabled = run.options.disabled_rules

    def compute() -> tuple[NestEvaluation, tuple[Finding, ...]]:
        found = findings(evaluation, disabled)
        kernels = (replace(kernel, benefits=linked_benefits(kernel, found, mended)) for kernel in evaluation.kernels)
        return replace(evaluation, kernels=tuple(kernels)), found

    return run.memo.get("advice", (SameObject(evaluation), disabled, mended), compute)


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


def _promises(run: _Run, function: LoweredFunction, lowered: LoweredNest) -> tuple[Promise, ...]:
    """What comments say of the arrays, functions and variables of this nest."""
    if not run.promises:
        return ()
    said = {promise for _, promise in _in_force(run, function, lowered)}
    return tuple(sorted(said, key=lambda p: (p.subject, p.kind, -1 if p.loop is None else p.loop)))


def _in_force(run: _Run, function: LoweredFunction, lowered: LoweredNest) -> Iterator[tuple[PromiseDirective, Promise]]:
    """The comments that say something of a nest. What is independent is so for the loop that a comment stands at."""
    for directive in directives_for(run.code, run.unit.functions, function, lowered.spans, run.promises):
        promise = directive.promise
        if promise.is_of_one_loop:
            promise = replace(promise, loop=loop_of(run.code, directive.span, lowered.spans))
        if is_about(promise, lowered.nest):
            yield directive, promise


def _evaluation(run: _Run, function: LoweredFunction, lowered: LoweredNest, facts: NestFacts) -> NestEvaluation:
    directives = directives_for(run.code, run.unit.functions, function, lowered.spans, run.unit.directives)
    measured = _measured_in(lowered.spans, run.measured)
    program = _program_sizes(run, function.name, facts)
    sizes, assumptions = resolve_sizes(facts, function.name, directives, run.options, measured, program)

    def compute() -> NestEvaluation:
        named = {one.subject for one in assumptions if one.kind == "size" and one.origin in _SAID}
        possible = without_denied(facts, {name: value for name, value in sizes if name in named})
        evaluation = evaluate_nest(possible, dict(sizes), run.gpu, run.cpu, run.options.model_errors)
        known = {one.subject for one in assumptions if one.origin != "default"}
        rest = (one for one in evaluation.assumptions if one.kind != "size" or one.subject not in known)
        given = replace(
            evaluation,
            assumptions=(*assumptions, *rest),
            measured=measured,
            missing_headers=run.missing_headers,
        )
        return replace(given, steady_bound=steady_bound(given))

    key = (
        SameObject(facts), sizes, assumptions, run.machine, run.options.model_errors, measured, run.missing_headers,
    )  # fmt: skip
    return run.memo.get("evaluation", key, compute)


def _measured(source: str, options: AnalysisOptions, memo: Memo) -> MeasuredFile:
    counts = options.counts
    if counts is None:
        return MeasuredFile(())
    return memo.get("counts", (source, counts), lambda: measured_file(source, counts))


def _measured_in(spans: NestSpans, by_keyword: Mapping[int, LoopCounts]) -> tuple[tuple[NodeId, LoopCounts], ...]:
    """What was counted of the loops of a nest."""
    keywords = ((loop, span.start + spans.base) for loop, span in spans.header)
    return tuple((loop, by_keyword[at]) for loop, at in keywords if at in by_keyword)


def _without_effect(run: _Run, functions: Sequence[FunctionReport], opaque: Sequence[Opaque]) -> tuple[Problem, ...]:
    """A note per directive that names nothing of any loop, unless a loop that was not understood may have it."""
    nests = [nest for function in functions for nest in function.nests]
    if opaque or any(nest.facts is None for nest in nests):
        return ()
    known = {name for nest in nests if nest.facts is not None for name in nest.facts.parameters}
    keys = by_size_key(known)
    in_force: set[PromiseDirective] = set()
    for function in run.unit.functions if run.promises else ():
        for lowered in function.nests:
            in_force.update(directive for directive, _ in _in_force(run, function, lowered))
    return tuple(
        Problem(_without_target(d.promise), d.span, "note") for d in run.promises if d not in in_force
    ) + tuple(
        Problem(unused_size(d.name, known, "this comment"), d.span, "note")
        for d in run.unit.directives
        if size_key(d.name) not in keys
    )


def _without_target(promise: Promise) -> str:
    return f"no loop that this comment speaks of {promise.unused.format(promise.subject)}: it has no effect"


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
