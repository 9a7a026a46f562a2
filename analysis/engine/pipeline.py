"""The passes in order. The one file that names every pass."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from warplens.analysis.advice.catalogue import findings
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.engine.directive_scope import directives_for, nest_span
from warplens.analysis.engine.memo import Memo
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import FunctionReport, NestReport, Recomputed, Report
from warplens.analysis.engine.sizes import resolve_sizes
from warplens.analysis.facts.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.frontend.unit import LoweredFunction, LoweredNest, TranslationUnit
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.evaluate_nest import evaluate_nest
from warplens.analysis.models.evaluation import NestEvaluation

T = TypeVar("T")


def run_pipeline(
    source: str,
    preprocessed: Preprocessed,
    gpu: Gpu,
    cpu: Cpu,
    options: AnalysisOptions,
    memo: Memo,
    on_nest: Callable[[str, int], None],
) -> Report:
    """Everything from text to findings; `on_nest(function, ordinal)` is called before each nest is analysed."""
    before = dict(memo.computed)
    unit = parse_unit(source, preprocessed, memo)
    functions: list[FunctionReport] = []
    for function in unit.functions:
        nests: list[NestReport] = []
        for lowered in function.nests:
            on_nest(function.name, lowered.id.ordinal)
            nests.append(_report_nest(source, unit, function, lowered, gpu, cpu, options, memo))
        functions.append(FunctionReport(function.name, function.span, tuple(nests)))
    opaque = unit.opaque + tuple(o for function in unit.functions for o in function.opaque)
    return Report(
        functions=tuple(functions),
        opaque=opaque,
        problems=unit.problems,
        directives=unit.directives,
        loops_in_text=unit.loops_in_text,
        loops_found=unit.loops_found,
        recomputed=Recomputed(
            declarations_parsed=unit.declarations_parsed,
            nests_analysed=memo.computed.get("facts", 0) - before.get("facts", 0),
            nests_evaluated=memo.computed.get("evaluation", 0) - before.get("evaluation", 0),
        ),
    )


def _report_nest(
    source: str,
    unit: TranslationUnit,
    function: LoweredFunction,
    lowered: LoweredNest,
    gpu: Gpu,
    cpu: Cpu,
    options: AnalysisOptions,
    memo: Memo,
) -> NestReport:
    facts, failure = _contained("analysis", lambda: memo.get("facts", lowered.nest, lambda: analyse_nest(lowered.nest)))
    if facts is None:
        return NestReport(lowered.id, lowered.spans, None, None, (), failure)
    directives = directives_for(source, unit.functions, function, nest_span(lowered.spans), unit.directives)
    sizes, assumptions = resolve_sizes(facts, function.name, directives, options)
    key = (lowered.nest, sizes, assumptions, gpu, cpu)
    evaluation, failure = _contained(
        "prediction",
        lambda: memo.get("evaluation", key, lambda: _evaluated(facts, sizes, assumptions, gpu, cpu)),
    )
    if evaluation is None:
        return NestReport(lowered.id, lowered.spans, facts, None, (), failure)
    found, failure = _contained("advice", lambda: findings(evaluation, options.disabled_rules))
    return NestReport(lowered.id, lowered.spans, facts, evaluation, found or (), failure)


def _evaluated(
    facts: NestFacts, sizes: tuple[tuple[str, int], ...], assumptions: tuple[Assumption, ...], gpu: Gpu, cpu: Cpu
) -> NestEvaluation:
    evaluation = evaluate_nest(facts, dict(sizes), gpu, cpu)
    return replace(evaluation, assumptions=(*assumptions, *evaluation.assumptions))


def _contained(stage: str, compute: Callable[[], T]) -> tuple[T | None, str]:
    """Result, or None and what to tell the user: a defect of one pass on one nest must not take the file with it."""
    try:
        return compute(), ""
    except Exception as defect:  # noqa: BLE001 - the border where any defect becomes a shown failure of one loop
        return None, f"internal error in the {stage} of this loop ({type(defect).__name__}: {defect}); please report it"
