"""The recommended mapping as JSON: levels of each loop, and what it gains over the source's own order."""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.mapping_words import mapping_gain, mapping_reasons, mapping_text
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in


def mapping_as_json(lines: Lines, spans: NestSpans, evaluation: NestEvaluation) -> dict[str, Any] | None:
    """None where the source's own order is as good."""
    if evaluation.mapped is None:
        return None
    order = evaluation.in_source_order.offload
    return {
        "text": mapping_text(evaluation),
        "why": list(mapping_reasons(evaluation)),
        "team_threads": evaluation.mapped.mapping.team_threads,
        "loops": [
            {"line": line_in(lines, spans, one.loop), "levels": list(one.levels)}
            for one in evaluation.mapped.mapping.loops
        ],
        "gain": mapping_gain(evaluation),
        "source_order_s": None if order is None else order.kernels_s,
    }
