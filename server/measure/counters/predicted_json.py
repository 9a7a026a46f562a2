"""Predicted times as JSON (docs/counters.md)."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.advice.studied_kernel import StudiedKernel
from warplens.analysis.counters.predict import PredictedTime
from warplens.server.measure.counters.study_json import accuracy_json


def predicted_json(
    kernel: StudiedKernel,
    target: str,
    found: Sequence[tuple[dict[str, float], PredictedTime]],
    notes: Sequence[str],
) -> dict[str, object]:
    """One object; `notes` are what was assumed and how times came to another GPU."""
    model = kernel.fit.model
    return {
        "kernel": kernel.fit.kernel,
        "measured_on": kernel.gpu,
        "predicted_for": target,
        "runs": kernel.fit.runs,
        "notes": list(notes),
        "accuracy_between_sizes": accuracy_json(model.inside.accuracy) if model and model.inside else None,
        "accuracy_beyond_sizes": accuracy_json(model.beyond.accuracy) if model and model.beyond else None,
        "times": [
            {
                "given": given,
                "time_s": time.time_s,
                "low_s": time.low_s,
                "high_s": time.high_s,
                "counters": dict(time.counters),
                "beyond": list(time.beyond),
            }
            for given, time in found
        ],
    }
