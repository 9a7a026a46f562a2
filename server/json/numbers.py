"""A prediction as JSON values, in the words of docs/json.md, with the total that a question is about."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from warplens.analysis.ir.nest import NestSpans
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.server.json.grounds import grounds_as_json
from warplens.server.json.loop import assumption_as_json
from warplens.server.json.mapping import mapping_as_json, mappings_as_json, pin_as_json
from warplens.server.json.models import cpu_as_json, offload_as_json
from warplens.server.json.report import kernel_as_json
from warplens.server.lsp.lines import Lines
from warplens.server.render.headline import lens_text
from warplens.server.what_if.data_places import DataPlace
from warplens.server.what_if.total import total_of


def numbers_as_json(lines: Lines, spans: NestSpans, evaluation: NestEvaluation, data: DataPlace) -> dict[str, Any]:
    """All numbers of a nest; lines and columns are of the text of `lines`."""
    total = total_of(evaluation, data)
    gpu, cpu = evaluation.gpu, evaluation.cpu
    return {
        "headline": lens_text(evaluation),
        "sizes": dict(evaluation.sizes),
        "grounds": grounds_as_json(evaluation),
        "cpu": cpu_as_json(evaluation),
        "gpu": offload_as_json(evaluation),
        "mapping": mapping_as_json(lines, spans, evaluation),
        "pin": pin_as_json(evaluation),
        "mappings": mappings_as_json(evaluation),
        "kernels": [kernel_as_json(lines, spans, evaluation, kernel) for kernel in evaluation.kernels],
        "assumptions": [assumption_as_json(a) for a in evaluation.assumptions],
        "profiles": {"gpu": {"id": gpu.id, "name": gpu.name}, "cpu": {"id": cpu.id, "name": cpu.name}},
        "total": None if total is None else {"data": data, **asdict(total)},
    }
