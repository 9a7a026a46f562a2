"""One nest's part of the page, worked out in the analysis process."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.sizes.break_even import break_even
from warplens.server.json.break_even import break_even_as_json
from warplens.server.json.visible import visible_json
from warplens.server.render.loop_reasons import LineOf
from warplens.server.report_page.compared_gpus import compared_gpus
from warplens.server.report_page.job import NestPageJob
from warplens.server.report_page.nest_data import nest_detail, nest_summary
from warplens.server.worker.packing import unpack

_SUMMARIES_KEPT = 2000


def nest_page(job: NestPageJob) -> dict[str, Any]:
    """The summary's fields; `detail` and `gpus` beside them where they are asked for.

    Raises ProfileError: a GPU without a profile.
    """
    line_of = _line_of(job.lines)
    result: dict[str, Any] = {}
    if "summary" in job.parts:
        result |= _summary(job.packed, job.lines)
    if "detail" in job.parts:
        detail = nest_detail(unpack(job.packed), line_of, job.size_sources, job.program_root)
        result["detail"] = visible_json(detail)
    if "gpus" in job.parts:
        result["gpus"] = compared_gpus(unpack(job.packed), job.gpus)
    if "break_even" in job.parts:
        result["break_even"] = break_even_as_json(break_even(unpack(job.packed)))
    return result


@lru_cache(maxsize=_SUMMARIES_KEPT)
def _summary(packed: bytes, lines: tuple[tuple[NodeId, int], ...]) -> dict[str, Any]:
    """After an edit most nests of a file are as they were."""
    summary: dict[str, Any] = visible_json(nest_summary(unpack(packed), _line_of(lines)))
    return summary


def _line_of(lines: tuple[tuple[NodeId, int], ...]) -> LineOf:
    known = dict(lines)
    return lambda node: known.get(node, 0)
