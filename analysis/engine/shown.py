"""A report less what the user does not want to see: comments and settings that switch off, the level of noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.advice.entries import entries
from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.noise import assumed_sizes, is_worth_showing, speeds_up
from warplens.analysis.engine.options import AnalysisOptions
from warplens.analysis.engine.report import Hidden, NestReport, Report
from warplens.analysis.engine.switched_off import INPUT, NOT_ANALYSED, OffRegion
from warplens.analysis.engine.weighed import weighed
from warplens.analysis.frontend.comments.translation_unit import Opaque, Problem
from warplens.analysis.ir.ids import NodeId

_SIZES = "WL901"


def as_wanted(report: Report, off: Sequence[OffRegion], options: AnalysisOptions) -> Report:
    """The report with the findings that are shown, and the reason at each nest that shows nothing.

    Below "all" there is one finding per cause, as severe as its nest's share of the file's time makes it, and an
    assumed size is told once in a file; at "quiet" only the first place that was not understood is shown, so that it
    does not look as if there was none.
    """
    told: set[tuple[str, float]] = set()
    functions = tuple(
        replace(function, nests=tuple(_nest(nest, off, options, told) for nest in function.nests))
        for function in report.functions
    )
    shown = replace(report, functions=functions)
    return replace(
        shown if options.noise == "all" else weighed(shown, options.worthwhile_s, options.noise),
        opaque=_opaque(report.opaque, off, options),
        problems=tuple(each for each in report.problems if _is_problem_shown(each, off, options)),
    )


def _nest(
    nest: NestReport, off: Sequence[OffRegion], options: AnalysisOptions, told: set[tuple[str, float]]
) -> NestReport:
    hidden = _hidden(nest, off, options)
    if hidden is not None and hidden.reason == "off":
        return replace(nest, findings=(), hidden=hidden)
    on = [f for f in nest.findings if not (off and is_off(off, f.code, _place(nest, f.node)))]
    if hidden is not None:  # wrong code is told however little time it takes
        return replace(nest, findings=tuple(f for f in on if f.is_wrong_code), hidden=hidden)
    shown = [finding for finding in on if _is_worth(nest, finding, options, told)]
    return replace(nest, findings=tuple(shown) if options.noise == "all" else entries(shown))


def _hidden(nest: NestReport, off: Sequence[OffRegion], options: AnalysisOptions) -> Hidden | None:
    at = _place(nest, NodeId(0))
    unread = NOT_ANALYSED in options.disabled_rules or is_off(off, NOT_ANALYSED, at)
    if any(not region.codes and region.covers("", at) for region in off) or (nest.failure and unread):
        return Hidden("off")
    evaluation = nest.evaluation
    if evaluation is None or options.noise == "all":
        return None
    time_s = evaluation.cpu_time.one_core_s
    if time_s < options.worthwhile_s and not assumed_sizes(evaluation):
        return Hidden("small", time_s, options.worthwhile_s)
    if options.noise == "quiet" and not nest.failure and not speeds_up(evaluation):
        return Hidden("no gain")
    return None


def _is_worth(nest: NestReport, finding: Finding, options: AnalysisOptions, told: set[tuple[str, float]]) -> bool:
    evaluation = nest.evaluation
    if evaluation is None or not is_worth_showing(evaluation, finding, nest.findings, options.noise):
        return False
    if finding.code != _SIZES or options.noise == "all":
        return True
    new = assumed_sizes(evaluation) - told
    told |= new
    return bool(new)


def _opaque(found: Sequence[Opaque], off: Sequence[OffRegion], options: AnalysisOptions) -> tuple[Opaque, ...]:
    """At "quiet" the first one alone is shown; what is not shown counts."""
    wanted = [
        NOT_ANALYSED not in options.disabled_rules and not is_off(off, NOT_ANALYSED, each.span.start) for each in found
    ]
    if options.noise == "quiet" and any(wanted):
        first = wanted.index(True)
        wanted = [at == first for at in range(len(found))]
    return tuple(replace(each, is_shown=shown) for each, shown in zip(found, wanted, strict=True))


def _is_problem_shown(problem: Problem, off: Sequence[OffRegion], options: AnalysisOptions) -> bool:
    if INPUT in options.disabled_rules or is_off(off, INPUT, problem.span.start):
        return False
    return options.noise != "quiet" or problem.severity != "note"


def is_off(off: Sequence[OffRegion], code: str, at: int) -> bool:
    """Whether a message at an offset is switched off."""
    return any(region.covers(code, at) for region in off)


def _place(nest: NestReport, node: NodeId) -> int:
    """Where a message about a node stands: at its loop's header, statement or access, else at the nest's."""
    places = {**dict(nest.spans.nodes), **dict(nest.spans.header)}
    span = places.get(node) or places.get(NodeId(0))
    return nest.spans.base + (span.start if span else 0)
