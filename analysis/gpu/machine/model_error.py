"""How far a model's predictions were from measurements: what a prediction is shown with as its error band."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.machine.value_uncertainty import ValueUncertainty


@dataclass(frozen=True, slots=True)
class ModelError:
    """What the accuracy ledger measured of one model on kernels of one family: predicted over measured times.

    `ratio` is the geometric mean of predicted / measured; nine of ten are from `low` to `high`, the narrowest such
    range; `mape` is the mean of |predicted / measured - 1|. Of a prediction on a GPU that is not among `gpus`,
    `profile_factor` is how much further it may be off each way for values of the profile that were not measured on that
    GPU, `uncertain` the values that count most in it.
    """

    model: str
    family: str
    ratio: float
    low: float
    high: float
    mape: float
    measurements: int
    gpus: tuple[str, ...]
    profile_factor: float = 1.0
    uncertain: tuple[ValueUncertainty, ...] = ()
