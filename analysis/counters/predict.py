"""The time of a run that was never made, with an interval, and whether it is beyond what was run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.error_band import ErrorBand
from warplens.analysis.counters.predictors import Floats, Scale, quantity_text
from warplens.analysis.counters.time_model import TimeModel

_FARTHEST = 4
"""Times the range of a size that was run, on its scale."""
_MOST_LOG_TIME = 64
"""No kernel takes 2 to this many seconds, or that part of one."""


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
    """A size, launch or characteristic that the model needs was not given, or it can't be asked for."""


def predict_time(model: TimeModel, given: Mapping[str, float]) -> PredictedTime:
    """`given` has a positive value for each given quantity of the model, by name. Raises MissingQuantityError."""
    scales = [scale for scale in model.scales if scale.is_given]
    names = [scale.name for scale in scales]
    missing = [name for name in names if name not in given]
    unknown = sorted(given.keys() - set(names))
    if missing or unknown:
        parts = [f"{', '.join(missing)} is needed"] if missing else []
        parts += [f"{', '.join(unknown)} is not among what was varied"] if unknown else []
        raise MissingQuantityError(f"{'; '.join(parts)} (varied were {', '.join(names)})")
    raw = np.array([[given[scale.name] for scale in scales]], dtype=np.float64)
    if not np.isfinite(raw).all() or (raw <= 0).any():
        message = "sizes must be positive numbers"
        raise MissingQuantityError(message)
    known = np.column_stack([scale.of(raw[:, j]) for j, scale in enumerate(scales)])
    _require_near(model, scales, known[0])
    columns = model.chain.columns_of(known)
    log_time = float(model.chain.log_time(columns)[0])
    if not abs(log_time) < _MOST_LOG_TIME:
        message = "what was run says nothing of the time there"
        raise MissingQuantityError(message)
    beyond = model.trained.outside(scales, known[0])
    band = _band(model, known[0], len(beyond))
    if not beyond and model.trained.is_far(known[0]):
        beyond, band = ("each of these was run, but nothing like them together",), None
    counters = tuple(
        (scale.name, float(scale.back(columns[:, j])[0])) for j, scale in enumerate(model.scales) if not scale.is_given
    )
    low, high = (float(np.exp2(log_time + edge)) for edge in (band.low, band.high)) if band else (None, None)
    return PredictedTime(float(np.exp2(log_time)), low, high, counters, beyond)


def _band(model: TimeModel, known: Floats, out_of_range: int) -> ErrorBand | None:
    """Larger sizes were tested; smaller ones, other launches and two quantities at once were not."""
    if not out_of_range:
        return model.inside.band if model.inside else None
    if model.main_size is None or model.beyond is None or out_of_range > 1:
        return None
    reach = float(known[model.main_size]) - model.trained.ranges[model.main_size][1]
    return model.beyond.band.at(reach) if reach > 0 else None


def _require_near(model: TimeModel, scales: Sequence[Scale], known: Floats) -> None:
    """A curve through sizes that hardly differ says nothing of twice the size."""
    for scale, (low, high), value in zip(scales, model.trained.ranges, known, strict=True):
        if scale.role == "problem" and not low - _FARTHEST * (high - low) <= value <= high + _FARTHEST * (high - low):
            first, last, here = (quantity_text(scale, each) for each in (low, high, value))
            message = f"{scale.name} = {here} is too far from {first} to {last}, which were run, for any prediction"
            raise MissingQuantityError(message)
