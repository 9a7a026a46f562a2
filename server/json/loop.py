"""The loops of a nest as JSON values: what dependence analysis says of each, with the places it says it of."""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.naming import node_text
from warplens.analysis.facts.verdict import Dependence, LoopVerdict
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest, NestSpans
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.text.macro_definitions import MacroDefinition
from warplens.analysis.text.span import Span
from warplens.server.json.counts import counts_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import node_span
from warplens.server.render.loop_reasons import dependence_text


def loop_as_json(lines: Lines, spans: NestSpans, evaluation: NestEvaluation, loop: Loop) -> dict[str, Any]:
    """One loop: its verdict, why, what the verdict needs, and what a real run counted."""
    facts = evaluation.facts
    counts = evaluation.measured_counts(loop.id)
    verdict = facts.verdict(loop.id)
    return {
        **place_as_json(lines, node_span(spans, loop.id)),
        "iterator": c_name(loop.iterator),
        "verdict": verdict.kind,
        "reason": _reason(lines, spans, facts.nest, verdict),
        "conditions": [{"name": promise.subject, "kind": promise.kind} for promise in verdict.conditions],
        "under_conditions": verdict.under_conditions or None,
        "suggestion": verdict.suggestion or None,
        "trip_count": str(facts.trip_count(loop.id).average),
        "measured": None if counts is None else counts_as_json(counts),
        "private": [c_name(name) for name in verdict.private],
        "word": None if verdict.word is None else place_as_json(lines, node_span(spans, verdict.word)),
        "copied_in": [c_name(name) for name in verdict.copied_in],
        "reductions": [
            {
                "variable": c_name(reduction.variable),
                "operator": reduction.operator,
                "is_array_element": reduction.is_array_element,
                **place_as_json(lines, node_span(spans, reduction.statement)),
            }
            for reduction in verdict.reductions
        ],
        "dependences": [_dependence(lines, spans, facts.nest, d) for d in verdict.dependences],
        "assumptions": [assumption_as_json(a) for a in (*verdict.assumptions, *facts.trip_count(loop.id).assumptions)],
    }


def _reason(lines: Lines, spans: NestSpans, nest: LoopNest, verdict: LoopVerdict) -> str | None:
    def line_of(node: NodeId) -> int:
        return place_as_json(lines, node_span(spans, node))["line"] or 0

    if verdict.kind == "carried":
        return "; ".join(dict.fromkeys(dependence_text(nest, d, line_of) for d in verdict.dependences)) or None
    return verdict.reason or None


def _dependence(lines: Lines, spans: NestSpans, nest: LoopNest, dependence: Dependence) -> dict[str, Any]:
    def end(node: NodeId) -> dict[str, Any]:
        return {**place_as_json(lines, node_span(spans, node)), "text": node_text(nest, node).replace("`", "")}

    return {
        "kind": dependence.kind,
        "variable": c_name(dependence.variable),
        "source": end(dependence.source),
        "sink": end(dependence.sink),
        "distance": None if None in dependence.distances else list(dependence.distances),
        "direction": list(dependence.directions),
    }


def assumption_as_json(assumption: Assumption) -> dict[str, Any]:
    """Something taken for granted."""
    return {
        "kind": assumption.kind,
        "subject": assumption.subject,
        "text": assumption.text,
        "value": assumption.value,
        "origin": assumption.origin,
    }


def macro_as_json(path: str, lines: Lines, definition: MacroDefinition | None) -> dict[str, Any] | None:
    """A macro and where it is defined; `path` is the analysed file's."""
    if definition is None:
        return None
    if definition.span is not None:
        return {"name": definition.name, "path": path, **place_as_json(lines, definition.span)}
    is_file = not definition.file.startswith("<")
    return {
        "name": definition.name,
        "path": definition.file if is_file else None,
        "line": definition.line if is_file else None,
        "column": None,
    }


def place_as_json(lines: Lines, span: Span | None) -> dict[str, int | None]:
    """Line and column from 1, null for what stands in no place of the file."""
    if span is None:
        return {"line": None, "column": None}
    return {"line": lines.line_of(span.start) + 1, "column": lines.column_of(span.start) + 1}
