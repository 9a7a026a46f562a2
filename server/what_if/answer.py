"""The answer to a what-if as docs/what-if.md has it: choices, the numbers before and after, what differs and why."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import Any

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.nest.what_if import Changes, WhatIf, what_if
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.hwprofiles.validation import model_errors
from warplens.server.json.choices import choices_as_json
from warplens.server.json.loop import place_as_json
from warplens.server.json.numbers import numbers_as_json
from warplens.server.json.visible import visible_json
from warplens.server.lsp.lines import Lines
from warplens.server.lsp.places import line_in, node_span
from warplens.server.report_page.nest_data import nest_detail, nest_summary
from warplens.server.what_if.asked_changes import asked_changes
from warplens.server.what_if.differences import differences
from warplens.server.what_if.job import WhatIfJob
from warplens.server.what_if.without_numbers import without_numbers
from warplens.server.worker.job import NestAnswer
from warplens.server.worker.packing import unpack

Json = dict[str, Any]

_REMEMBERED = 32
"""Predictions of the last changes: a slider that goes back finds them."""


def answered(job: WhatIfJob) -> Json:
    """Predict and compare."""
    base = unpack(job.nest.packed)
    asked = asked_changes(job.changes, base, reads_files=job.reads_files)
    found = _predicted(job.nest.packed, asked.changes)
    lines = Lines(job.text)
    spans = job.nest.spans
    root = node_span(spans, NodeId(0))
    page = _page_part(found.evaluation, lines, job.nest) if job.with_page else {}
    return {
        **page,
        **without_numbers((each.change, each.message) for each in (*asked.problems, *found.refusals)),
        "nest": {
            "function": job.nest.id.function,
            "ordinal": job.nest.id.ordinal,
            **place_as_json(lines, root),
        },
        "choices": choices_as_json(lines, spans, base, found.evaluation, job.nest.other_calls),
        "base": numbers_as_json(lines, spans, base, asked.data),
        "result": numbers_as_json(lines, spans, found.evaluation, asked.data),
        "differences": list(differences(base, found.evaluation, asked.data)),
    }


def _page_part(evaluation: NestEvaluation, lines: Lines, nest: NestAnswer) -> Json:
    """The prediction as the report's page draws it: `page`, with the fields of a nest there."""
    line_of = partial(line_in, lines, nest.spans)
    page = {**nest_summary(evaluation, line_of), "detail": nest_detail(evaluation, line_of)}
    return {"page": visible_json(page)}


@lru_cache(maxsize=_REMEMBERED)
def _predicted(packed: bytes, changes: Changes) -> WhatIf:
    return what_if(unpack(packed), changes, model_errors())
