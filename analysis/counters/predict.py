"""The time of a run that was never made, with an interval, and whether it is beyond what was run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.time_model import TimeModel


@dataclass(frozen=True, slots=True)
class PredictedTime:
    """Units: seconds; nine of ten measured times lie from low to high, None where nothing was tested out there.

    `counters` are the predicted ones in their own units; `beyond` says which given quantity is out of its range.
    """

    time_s: float
    low_s: float | None
    high_s: float | None
    counters: tuple[tuple[str, float], ...]
    beyond: tuple[str, ...]


class MissingQuantityError(Exception):
    """A size, launch or characteristic that the model needs was not given, or is one it does not know."""


def predict_time(model: TimeModel, given: Mapping[str, float]) -> PredictedTime:
    """`given` has a positive value for each given quantity of the model, by name. Raises MissingQuantityError."""
    scales = [scale for scale in model.scales if scale.is_given]
    missing = [scale.name for scale in scales if scale.name not in given]
    unknown = sorted(given.keys() - {scale.name for scale in scales})
    if missing or unknown:
        parts = [f"{', '.join(missing)} is needed"] if missing else []
        parts += [f"{', '.join(unknown)} is not among what was varied"] if unknown else []
        raise MissingQuantityError("; ".join(parts))
    raw = np.array([[given[scale.name] for scale in scales]], dtype=np.float64)
    if not np.isfinite(raw).all() or (raw <= 0).any():
        message = "sizes must be positive numbers"
        raise MissingQuantityError(message)
    known = np.column_stack([scale.of(raw[:, j]) for j, scale in enumerate(scales)])
    columns = model.chain.columns_of(known)
    log_time = float(model.chain.log_time(columns)[0])
    beyond = tuple(_beyond(model, known[0]))
    band = _band(model, known[0], len(beyond))
    counters = tuple(
        (scale.name, float(scale.back(columns[:, j])[0])) for j, scale in enumerate(model.scales) if not scale.is_given
    )
    low, high = (float(np.exp2(log_time + edge)) for edge in (band.low, band.high)) if band else (None, None)
    return PredictedTime(float(np.exp2(log_time)), low, high, counters, beyond)


def _band(model: TimeModel, known: Floats, out_of_range: int) -> ErrorBand | None:
    """Larger sizes were tested; smaller ones, other launches and two quantities at once were not."""
    if not out_of_range:
        return model.inside
    if model.main_size is None or model.beyond is None or out_of_range > 1:
        return None
    reach = float(known[model.main_size]) - model.ranges[model.main_size][1]
    return model.beyond.at(reach) if reach > 0 else None


def _beyond(model: TimeModel, known: Floats) -> list[str]:
    words = []
    for scale, (low, high), value in zip(model.scales, model.ranges, known, strict=False):
        slack = 1e-9 * max(1.0, abs(high))
        if not low - slack <= value <= high + slack:
            first, last, here = (float(scale.back(np.array(edge))) for edge in (low, high, value))
            words.append(f"{scale.name} = {here:g} is outside of {first:g} to {last:g}, which were run")
    return words
