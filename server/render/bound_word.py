"""What bounds a nest's longest kernel, in one word of a table."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.prediction import BoundBy, Prediction

_WORDS: Mapping[BoundBy, str] = {
    "memory bandwidth": "memory",
    "memory latency": "latency",
    "computation": "compute",
    "synchronisation": "barriers",
    "atomic updates": "atomics",
    "launch overhead": "launch",
}


def bound_word(evaluation: NestEvaluation) -> str:
    """The word; empty where nothing runs on the GPU, or where guesses decide it."""
    kernels, grounds = evaluation.kernels, grounds_of(evaluation)
    if not grounds.carry_numbers:
        return "" if evaluation.steady_bound is None or grounds.undeclared else _WORDS[evaluation.steady_bound]
    if not kernels or evaluation.offload is None or not evaluation.offload.has_work:
        return ""
    return _word(max(kernels, key=lambda each: each.launches * each.prediction.time_s).prediction)


def _word(prediction: Prediction) -> str:
    if prediction.bound_by == "memory bandwidth" and prediction.memory_level == "l2":
        return "L2 cache"
    return _WORDS[prediction.bound_by]
