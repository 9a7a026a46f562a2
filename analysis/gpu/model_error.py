"""How far a model's predictions were from measurements: what a prediction is shown with as its error band."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ModelError:
    """What the accuracy ledger measured of one model on kernels of one family: predicted over measured times.

    `ratio` is the geometric mean of predicted / measured; nine of ten are from `low` to `high`, the narrowest such
    range; `mape` is the mean of |predicted / measured - 1|.
    """

    model: str
    family: str
    ratio: float
    low: float
    high: float
    mape: float
    measurements: int
    gpus: tuple[str, ...]
