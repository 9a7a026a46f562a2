"""The answer to a what-if as docs/what-if.md has it: choices, the numbers before and after, what differs and why."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.evaluation import NestEvaluation
from warplens.analysis.models.what_if import Changes, WhatIf, what_if
from warplens.hwprofiles.validation import model_errors
from warplens.server.cli.loop_json import place_as_json
from warplens.server.positions import PositionMap
from warplens.server.to_lsp import node_span
from warplens.server.what_if.asked_changes import asked_changes
from warplens.server.what_if.choices_json import choices_as_json
from warplens.server.what_if.differences import differences
from warplens.server.what_if.job import WhatIfJob
from warplens.server.what_if.numbers_json import numbers_as_json
from warplens.server.what_if.without_numbers import without_numbers
from warplens.server.worker.packing import unpack

Json = dict[str, Any]

_REMEMBERED = 32
"""Predictions of the last changes: a slider that goes back finds them."""


def answered(job: WhatIfJob) -> Json:
    """Predict and compare."""
    base = unpack(job.nest.packed)
    asked = asked_changes(job.changes, base)
    found = _predicted(job.nest.packed, asked.changes)
    positions = PositionMap(job.text, "utf-32")
    spans = job.nest.spans
    root = node_span(spans, NodeId(0))
    return {
        **without_numbers((each.change, each.message) for each in (*asked.problems, *found.refusals)),
        "nest": {
            "function": job.nest.id.function,
            "ordinal": job.nest.id.ordinal,
            **place_as_json(positions, root),
        },
        "choices": choices_as_json(positions, spans, base, found.evaluation),
        "base": numbers_as_json(positions, spans, base, asked.data),
        "result": numbers_as_json(positions, spans, found.evaluation, asked.data),
        "differences": list(differences(base, found.evaluation, asked.data)),
    }


@lru_cache(maxsize=_REMEMBERED)
def _predicted(packed: bytes, changes: Changes) -> WhatIf:
    base: NestEvaluation = unpack(packed)
    return what_if(base, changes, model_errors())
