"""Whether a nest is worth porting, as JSON values: the sentence of every view, and the numbers in it."""

from __future__ import annotations

from typing import Any

from warplens.analysis.advice.worth import Factor, worth_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import BreakEven
from warplens.server.render.loop_reasons import LineOf
from warplens.server.render.worth_sentence import comparison_text, worth_sentence


def verdict_as_json(evaluation: NestEvaluation, line_of: LineOf, break_even: BreakEven | None) -> dict[str, Any]:
    """`resident` and `with_copies` are times faster than `against`, None where no number has a ground."""
    worth = worth_of(evaluation, break_even)
    return {
        "word": worth.word,
        "sentence": worth_sentence(evaluation, line_of, break_even).replace("`", ""),
        "comparison": comparison_text(evaluation) or None,
        "is_sure": worth.is_sure,
        "against": worth.against,
        "resident": _factor(worth.resident),
        "with_copies": _factor(worth.copied),
        "faster_from": _faster_from(break_even),
        "now": worth.now,
        "now_s": worth.now_s if worth.grounds.carry_numbers else None,
        "gain_s": worth.gain_s if worth.resident is not None else None,
    }


def _factor(factor: Factor | None) -> dict[str, float] | None:
    return None if factor is None else {"value": factor.value, "least": factor.least, "most": factor.most}


def _faster_from(found: BreakEven | None) -> dict[str, Any] | None:
    """The size from which the GPU is faster than the best of the CPU; None of it: never."""
    if found is None or not found.wins:
        return None
    return {
        "name": found.name,
        "resident": found.beats_cpu_from("resident"),
        "with_copies": found.beats_cpu_from("cold"),
    }
