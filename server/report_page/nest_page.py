"""One nest's part of the page, worked out in the analysis process."""

from __future__ import annotations

from dataclasses import asdict
from functools import lru_cache
from typing import Any

from warplens.analysis.advice.stakes import stake_of
from warplens.analysis.advice.worth import worth_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.sizes.break_even import BreakEven, break_even
from warplens.analysis.ports.fix import OfferedFix
from warplens.server.json.visible import visible_json
from warplens.server.render.loop_reasons import LineOf
from warplens.server.render.next_step import next_step
from warplens.server.render.stakes_order import depth_of
from warplens.server.report_page.compared_gpus import compared_gpus
from warplens.server.report_page.job import NestPageJob
from warplens.server.report_page.nest_data import nest_detail, nest_summary
from warplens.server.worker.packing import unpack

_SUMMARIES_KEPT = 2000


def nest_page(job: NestPageJob) -> dict[str, Any]:
    """The summary's fields with the next `step`; beside them `stake`, `depth` (for `overview_data`), `detail`, `gpus`.

    Raises ProfileError: a GPU without a profile.
    """
    line_of = _line_of(job.lines)
    result: dict[str, Any] = {}
    evaluation = unpack(job.packed) if set(job.parts) - {"summary"} else None
    found = job.break_even
    if evaluation is not None and "break_even" in job.parts:
        found = break_even(evaluation)
    if "summary" in job.parts:
        result |= _summary(job.packed, job.lines, found, job.fixes)
    if evaluation is None:
        return result
    if "stake" in job.parts:
        result["stake"] = stake_of(job.function, evaluation, found)
        result["depth"] = depth_of(evaluation.facts.nest.root)
    if "detail" in job.parts:
        result["detail"] = visible_json(nest_detail(evaluation, line_of, job.size_sources, job.program_root, found))
    if "gpus" in job.parts:
        result["gpus"] = compared_gpus(evaluation, job.gpus)
    return result


@lru_cache(maxsize=_SUMMARIES_KEPT)
def _summary(
    packed: bytes,
    lines: tuple[tuple[NodeId, int], ...],
    found: BreakEven | None,
    fixes: tuple[OfferedFix, ...],
) -> dict[str, Any]:
    """After an edit most nests of a file are as they were."""
    evaluation = unpack(packed)
    step = next_step(worth_of(evaluation, found), evaluation, fixes)
    summary: dict[str, Any] = visible_json(
        {**nest_summary(evaluation, _line_of(lines), found), "step": asdict(step) if step.kind else None}
    )
    return summary


def _line_of(lines: tuple[tuple[NodeId, int], ...]) -> LineOf:
    known = dict(lines)
    return lambda node: known.get(node, 0)
