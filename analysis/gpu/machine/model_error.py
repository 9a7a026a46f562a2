"""How far a model's predictions were from measurements: what a prediction is shown with as its error band."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.machine.range_model import RangeModel
from warplens.analysis.gpu.machine.value_uncertainty import ValueUncertainty


@dataclass(frozen=True, slots=True)
class ModelError:
    """What the accuracy ledger measured of one model on kernels of one family: predicted over measured times.

    Every pair of a kernel and a GPU counts as much, however many of its `measurements` there are. `ratio` is the
    geometric mean of predicted / measured, `typical` that of the factors by which predictions are off either way,
    `mape` the mean of |predicted / measured - 1|. Nine of ten are from `low` to `high`: of a row of the ledger the
    narrowest such range, with a prediction (`ranged`) that of launches which do what it does, by `ranges`. Of a
    prediction on a GPU that `ranges` was not calibrated on, `profile_factor` is how much wider it is each way for
    values of the profile that were not measured on that GPU, `uncertain` the values that count most in it.
    """

    model: str
    family: str
    ratio: float
    low: float
    high: float
    mape: float
    typical: float
    pairs: int
    measurements: int
    gpus: tuple[str, ...]
    profile_factor: float = 1.0
    uncertain: tuple[ValueUncertainty, ...] = ()
    ranges: RangeModel | None = None
