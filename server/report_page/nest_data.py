"""One nest as the report's page shows it: plain JSON values, each number with its unit in the name.

Every number is one of the evaluation's or of its kernels' simulation; texts are those of the full card. Fields:
report-page/src/data.ts.
"""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.naming import access_text, accesses_of
from warplens.analysis.advice.worth import worth_of
from warplens.analysis.engine.program_sizes import SizeSources
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.choice.time_range import TimeRange, is_short, kernel_range, range_of
from warplens.analysis.models.launch_work.roofline import roofline_point
from warplens.analysis.models.nest.kernel_case import case_of, warp_timeline
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.json.break_even import break_even_as_json
from warplens.server.json.grounds import grounds_as_json
from warplens.server.json.mapping import mappings_as_json
from warplens.server.json.models import (
    benefits_as_json,
    bound_as_json,
    error_as_json,
    launch_as_json,
    offload_as_json,
    range_as_json,
)
from warplens.server.json.verdict import verdict_as_json
from warplens.server.render.bound_word import bound_word
from warplens.server.render.break_even_text import break_even_rows
from warplens.server.render.card import Card
from warplens.server.render.headline import lens_text
from warplens.server.render.launch_words import shape_text
from warplens.server.render.loop_card import loop_card
from warplens.server.render.loop_reasons import LineOf
from warplens.server.render.model_names import model_name
from warplens.server.render.model_words import bound_text
from warplens.server.render.open_reason import open_reason
from warplens.server.render.size_places import with_places
from warplens.server.report_page.launch_map import launch_map_as_json
from warplens.server.report_page.machine_data import roofs_as_json
from warplens.server.report_page.timeline_data import timeline_as_json

Json = dict[str, Any]


def nest_summary(evaluation: NestEvaluation, line_of: LineOf, break_even: BreakEven | None = None) -> Json:
    """What the page shows of every nest at once: the verdict, and a point of the roofline per kernel.

    `break_even` is the nest's where it is known already: it may decide the verdict.
    """
    worth = worth_of(evaluation, break_even)
    return {
        "headline": lens_text(evaluation),
        "verdict": verdict_as_json(evaluation, line_of, break_even),
        "all_cores_s": worth.all_cores_s,
        "gpu_s": worth.gpu_s,
        "copied_s": worth.copied_s,
        "is_guessed": bool(worth.grounds.guesses),
        "bound": bound_word(evaluation) or None,
        "reason": open_reason(evaluation, worth) or None,
        "break_even": _break_even(break_even, evaluation.cpu.core_count),
        "kernels": [_roofline(evaluation, kernel, line_of) for kernel in _kernels(evaluation)],
    }


def _break_even(found: BreakEven | None, core_count: int) -> Json | None:
    """The curve, and what the full card says of it."""
    values = break_even_as_json(found)
    if found is None or values is None or found.why_not:
        return values
    return {**values, "says": [text for _, text in break_even_rows(found, core_count)]}


def nest_detail(
    evaluation: NestEvaluation,
    line_of: LineOf,
    sources: SizeSources = (),
    program_root: str = "",
    break_even: BreakEven | None = None,
) -> Json:
    """Everything that the page shows of a chosen nest on the GPU of its evaluation; lines count from 1.

    `sources` are the statements that its sizes follow from, shown from a folder; `break_even` as in `nest_summary`.
    """
    card = loop_card(evaluation, evaluation.facts.nest.root.id, line_of, break_even=break_even)
    return {
        "gpu": {"id": evaluation.gpu.id, "name": evaluation.gpu.name, "roofs": roofs_as_json(evaluation.gpu)},
        "card": card_as_json(with_places(card, evaluation, sources, program_root)),
        "sizes": sizes_as_json(evaluation),
        "grounds": grounds_as_json(evaluation),
        "cpu": {
            "name": evaluation.cpu.name,
            "cores": evaluation.cpu.core_count,
            "one_core_s": evaluation.cpu_time.one_core_s,
            "all_cores_s": evaluation.cpu_time.all_cores_s,
            "bound_by": evaluation.cpu_time.bound_by,
        },
        "offload": offload_as_json(evaluation),
        "mappings": mappings_as_json(evaluation),
        "kernels": [_kernel(evaluation, kernel, line_of) for kernel in _kernels(evaluation)],
    }


def sizes_as_json(evaluation: NestEvaluation) -> list[Json]:
    """The problem sizes that the numbers are for, and whether they are assumed."""
    assumed = {a.subject for a in evaluation.assumptions if a.kind == "size" and a.origin in {"default", "inferred"}}
    return [
        {"name": name, "text": name, "value": value, "is_assumed": name in assumed} for name, value in evaluation.sizes
    ]


def card_as_json(card: Card) -> Json:
    """The words of a card; texts may hold `code` in backquotes."""
    return {
        "headline": card.headline,
        "rows": [list(row) for row in card.rows],
        "sections": [
            {"title": section.title, "items": list(section.items), "table": [list(row) for row in section.table]}
            for section in card.sections
            if section.items or section.table
        ],
        "footer": card.footer,
    }


def _kernels(evaluation: NestEvaluation) -> tuple[KernelEvaluation, ...]:
    """None where nothing runs, or where nobody knows what."""
    if grounds_of(evaluation).undeclared:
        return ()
    return evaluation.kernels if evaluation.offload is not None and evaluation.offload.has_work else ()


def _roofline(evaluation: NestEvaluation, kernel: KernelEvaluation, line_of: LineOf) -> Json:
    prediction = kernel.prediction
    point = roofline_point(case_of(evaluation, kernel), prediction.flops)
    return {
        "line": line_of(evaluation.place(kernel.kernel)),
        "time_s": prediction.time_s,
        "launches": kernel.launches,
        "bound": bound_text(prediction),
        "peak": point.peak,
        "flops": point.flops,
        "flops_per_s": prediction.flops_per_s,
        "dram_bytes": point.dram_bytes,
        "l2_bytes": point.l2_bytes,
        "dram_flops_per_byte": point.dram_intensity,
        "l2_flops_per_byte": point.l2_intensity,
    }


def _kernel(evaluation: NestEvaluation, kernel: KernelEvaluation, line_of: LineOf) -> Json:
    prediction = kernel.prediction
    case = case_of(evaluation, kernel)
    return {
        "line": line_of(evaluation.place(kernel.kernel)),
        "launches": kernel.launches,
        "time_s": prediction.time_s,
        "range_s": range_as_json(kernel_range(kernel, evaluation.gpu)),
        "is_short": is_short(prediction),
        "launch": {**launch_as_json(prediction.launch), "text": shape_text(prediction.launch)},
        "bound": bound_text(prediction),
        "occupancy": prediction.occupancy.fraction,
        "models": _models(kernel),
        "launches_map": None if kernel.ranking is None else launch_map_as_json(kernel.ranking),
        "benefits": benefits_as_json(kernel.benefits),
        "timeline": timeline_as_json(
            warp_timeline(case), access_names(evaluation.kernel_facts, line_of), case.gpu.clock_hz
        ),
    }


def access_names(facts: NestFacts, line_of: LineOf) -> dict[NodeId, str]:
    """What each access of a nest is called, with its line where it has one."""

    def place(node: NodeId) -> str:
        line = line_of(node)
        return f" (line {line})" if line else ""

    return {node: access_text(facts.nest, access) + place(node) for node, access in accesses_of(facts.nest).items()}


def _models(kernel: KernelEvaluation) -> list[Json]:
    """The models side by side, the chosen one first: time, its parts, and the range by what was measured of each."""
    predictions = (kernel.prediction,) if kernel.comparison is None else kernel.comparison.predictions
    return [_model(kernel, each) for each in predictions]


def _model(kernel: KernelEvaluation, prediction: Prediction) -> Json:
    error = None if kernel.comparison is None else kernel.comparison.error_of(prediction.model)
    times: TimeRange | None = None if error is None else range_of(prediction.time_s, error)
    return {
        "model": prediction.model,
        "name": model_name(prediction.model),
        "is_chosen": prediction is kernel.prediction or prediction.model == kernel.prediction.model,
        "time_s": prediction.time_s,
        "range_s": range_as_json(times),
        "error": None if error is None else error_as_json(error),
        **bound_as_json(prediction),
    }
