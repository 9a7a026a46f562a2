"""The mapping of a nest as JSON: levels of each loop, and what it gains over the source's own order; and the others."""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.mapping_words import mapping_gain, mapping_reasons, mapping_text, pin_text
from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.directive_time import directive_time
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.mapping_time import SOURCE_ORDER
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in
from warplens.server.render.mapping_words import listed_mappings


def mapping_as_json(lines: Lines, spans: NestSpans, evaluation: NestEvaluation) -> dict[str, Any] | None:
    """None where it is the source's own order."""
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


def mappings_as_json(evaluation: NestEvaluation) -> list[dict[str, Any]]:
    """The source's own order and all mappings that were tried, the fastest first; empty where nothing is parallel."""
    pinned = "" if evaluation.pinned is None else evaluation.pinned.name
    return [
        {
            "name": one.name,
            "time_s": one.time_s,
            "is_recommended": one.is_recommended,
            "is_pinned": one.name == pinned,
        }
        for one in listed_mappings(evaluation)
    ]


def pin_as_json(evaluation: NestEvaluation) -> dict[str, Any] | None:
    """The mapping that a comment pins, and what is recommended; None where none does."""
    pin = evaluation.pinned
    if pin is None:
        return None
    return {
        "name": pin.name,
        "text": pin_text(evaluation),
        "recommended": pin.recommended or None,
        "recommended_s": pin.recommended_s if pin.recommended else None,
    }


def directives_as_json(evaluation: NestEvaluation) -> dict[str, Any] | None:
    """The best that directives can ask for; None where what is recommended is about as fast."""
    found = directive_time(evaluation)
    return None if found is None else {"time_s": found.time_s, "has_teams": found.has_teams}
