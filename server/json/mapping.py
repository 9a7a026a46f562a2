"""The recommended mapping as JSON: levels of each loop, and what it gains over the source's own order."""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.mapping_words import mapping_gain, mapping_reasons, mapping_text
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.directive_time import directive_time
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in


def mapping_as_json(lines: Lines, spans: NestSpans, evaluation: NestEvaluation) -> dict[str, Any] | None:
    """None where the source's own order is as good."""
    if evaluation.mapped is None:
        return None
    source_s = next((one.time_s for one in evaluation.mappings if one.name == SOURCE_ORDER), None)
    return {
        "text": mapping_text(evaluation),
        "why": list(mapping_reasons(evaluation)),
        "team_threads": evaluation.mapped.mapping.team_threads,
        "loops": [
            {"line": line_in(lines, spans, one.loop), "levels": list(one.levels)}
            for one in evaluation.mapped.mapping.loops
        ],
        "gain": mapping_gain(evaluation),
        "source_order_s": source_s,
    }


def directives_as_json(evaluation: NestEvaluation) -> dict[str, Any] | None:
    """The best that directives can ask for; None where what is recommended is about as fast."""
    found = directive_time(evaluation)
    return None if found is None else {"time_s": found.time_s, "has_teams": found.has_teams}
