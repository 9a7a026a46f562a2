"""The report of a file as JSON values: every number with its unit in the name; lines and columns count from 1."""

from __future__ import annotations

from functools import partial
from typing import Any

from warplens.analysis.advice.naming import accesses_of
from warplens.analysis.engine.stand_in_code import stand_in_code
from warplens.analysis.facts.calls.call_assumptions import uncounted_functions
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import NestSpans, loops_of
from warplens.analysis.models.choice.time_range import kernel_range
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.analysis.text.span import Span
from warplens.server.json.break_even import BreakEvens, break_even_as_json
from warplens.server.json.fixes import fixes_as_json
from warplens.server.json.grounds import grounds_as_json
from warplens.server.json.loop import assumption_as_json, loop_as_json, macro_as_json, place_as_json
from warplens.server.json.mapping import directives_as_json, mapping_as_json, mappings_as_json, pin_as_json
from warplens.server.json.models import (
    benefits_as_json,
    bound_as_json,
    comparison_as_json,
    cpu_as_json,
    offload_as_json,
    range_as_json,
    ranking_as_json,
)
from warplens.server.json.verdict import verdict_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in, node_span
from warplens.server.render.headline import lens_text
from warplens.server.render.hidden_text import hidden_text
from warplens.server.render.macro_rows import written_in
from warplens.server.worker.job import Answer, NestAnswer
from warplens.server.worker.packing import unpack

_LAUNCHES_SHOWN = 5


def file_as_json(path: str, text: str, answer: Answer, break_evens: BreakEvens) -> dict[str, Any]:
    """Everything known of one file; `nests` is an iterator, as all of a large file's would take much memory."""
    lines = Lines(text)
    return {
        "path": path,
        "gpu": answer.gpu,
        "cpu": answer.cpu,
        "language": "C++" if answer.is_cpp else "C",
        "preprocessor": answer.preprocessor,
        "loops_in_text": answer.loops_in_text,
        "loops_found": answer.loops_found,
        "nests": (_nest(path, lines, nest, break_evens) for function in answer.functions for nest in function.nests),
        "opaque": [{**place_as_json(lines, o.span), "function": o.function, "reason": o.reason} for o in answer.opaque],
        "problems": [
            {**place_as_json(lines, p.span), "severity": p.severity, "message": p.message} for p in answer.problems
        ],
        "configuration": [
            {"path": p.path, "line": p.line or None, "message": p.message} for p in answer.config_problems
        ],
    }


def _nest(path: str, lines: Lines, nest: NestAnswer, break_evens: BreakEvens) -> dict[str, Any]:
    evaluation = unpack(nest.packed) if nest.packed else None
    return {
        **place_as_json(lines, node_span(nest.spans, NodeId(0)) or Span(nest.spans.base, nest.spans.base)),
        "function": nest.id.function,
        "failure": nest.failure or None,
        "hidden": hidden_text(nest.hidden) if nest.hidden else None,
        **(_evaluation(path, lines, nest, evaluation, break_evens.get(nest.packed)) if evaluation else {}),
        "break_even": break_even_as_json(break_evens.get(nest.packed)),
        "findings": [
            {
                **place_as_json(lines, node_span(nest.spans, f.node)),
                "code": f.code,
                "severity": f.severity,
                "message": f.message,
                "macro": macro_as_json(path, lines, written_in(nest.macros, f.node)),
                "related": [
                    {**place_as_json(lines, node_span(nest.spans, r.node)), "message": r.message} for r in f.related
                ],
            }
            for f in nest.findings
        ],
        "fixes": fixes_as_json(lines, nest, break_evens.get(nest.packed)),
    }


def _evaluation(
    path: str, lines: Lines, nest: NestAnswer, evaluation: NestEvaluation, found: BreakEven | None
) -> dict[str, Any]:
    stand_ins = stand_in_code(evaluation.facts.nest, nest.spans)
    return {
        "verdict": verdict_as_json(evaluation, partial(line_in, lines, nest.spans), found),
        "headline": nest.lens or lens_text(evaluation),
        "sizes": dict(evaluation.sizes),
        "grounds": grounds_as_json(evaluation),
        "size_sources": [
            {"name": name, "statements": [{"text": one.text, "path": one.path, "line": one.line} for one in listed]}
            for name, listed in nest.size_sources
        ],
        "functions_not_counted": list(uncounted_functions((evaluation.facts.nest.root,))),
        "loops": [
            {
                **loop_as_json(lines, nest.spans, evaluation, loop),
                "macro": macro_as_json(path, lines, written_in(nest.macros, loop.id)),
                "macros": [
                    macro_as_json(path, lines, use.definition) for use in nest.macros if loop.id in use.named_by
                ],
            }
            for loop in loops_of(evaluation.facts.nest)
            if loop.id not in stand_ins
        ],
        "cpu": cpu_as_json(evaluation),
        "gpu": offload_as_json(evaluation),
        "mapping": mapping_as_json(lines, nest.spans, evaluation),
        "pin": pin_as_json(evaluation),
        "mappings": mappings_as_json(evaluation),
        "directives": directives_as_json(evaluation),
        "kernels": [kernel_as_json(lines, nest.spans, evaluation, kernel) for kernel in evaluation.kernels],
        "assumptions": [assumption_as_json(a) for a in evaluation.assumptions],
    }


def kernel_as_json(
    lines: Lines, spans: NestSpans, evaluation: NestEvaluation, kernel: KernelEvaluation
) -> dict[str, Any]:
    """One kernel under its recommended launch, with its accesses."""
    prediction = kernel.prediction
    accesses = accesses_of(evaluation.kernel_facts.nest)
    hotspots = {h.access: h for h in prediction.hotspots}
    return {
        **place_as_json(lines, node_span(spans, evaluation.place(kernel.kernel))),
        "model": prediction.model,
        "launches": kernel.launches,
        "time_s": prediction.time_s,
        "time_range_s": range_as_json(kernel_range(kernel, evaluation.gpu)),
        **bound_as_json(prediction),
        "block": list(prediction.launch.block),
        "outputs_per_thread": list(prediction.launch.outputs_per_thread),
        "threads": prediction.threads,
        "occupancy": prediction.occupancy.fraction,
        "occupancy_limited_by": prediction.occupancy.limited_by,
        "registers_per_thread": prediction.registers_per_thread,
        "spills_per_thread": prediction.spills_per_thread,
        "flops_per_s": prediction.flops_per_s,
        "effective_bandwidth_bytes_per_s": prediction.effective_bandwidth_bytes_per_s,
        "arithmetic_intensity": float(kernel.kernel.arithmetic_intensity),
        "shared": [
            {"array": c.array, "size_bytes": c.size_bytes, "saved_bytes_per_block": c.saved_bytes}
            for c in prediction.launch.shared
        ],
        "shared_left_out": [{"array": array, "reason": reason} for array, reason in kernel.shared_left_out],
        "benefits": benefits_as_json(kernel.benefits),
        "ranking": ranking_as_json(kernel.ranking, _LAUNCHES_SHOWN),
        "comparison": comparison_as_json(kernel.comparison),
        "accesses": [
            {
                **place_as_json(lines, node_span(spans, cost.access)),
                "access": accesses[cost.access].written if cost.access in accesses else None,
                "pattern": cost.pattern,
                "sectors": cost.sectors,
                "ideal_sectors": cost.ideal_sectors,
                "stride_bytes": cost.stride_bytes,
                "served_by": cost.served_by,
                "conflict_degree": cost.conflict_degree,
                "delay_cycles": hotspots[cost.access].delay_cycles if cost.access in hotspots else None,
                "idle_share": hotspots[cost.access].idle_share if cost.access in hotspots else None,
            }
            for cost in prediction.costs
        ],
        "assumptions": [assumption_as_json(a) for a in (*kernel.kernel.assumptions, *prediction.assumptions)],
    }
