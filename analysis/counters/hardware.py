"""The time on a GPU that was hardly run on, from the runs on another one (hardware scaling, sec. 6.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from warplens.analysis.counters.error_band import ErrorBand, band_of
from warplens.analysis.counters.predict import PredictedTime
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.time_model import TimeModel

Verdict = Literal["transfer", "mix", "refuse", "untested"]

FEWEST_FOR_BAND = 5


@dataclass(frozen=True, slots=True)
class Similarity:
    """`tau` is the weighted rank correlation of the importances over the `shared` quantities, in [-1, 1].

    `transfer`: the one's model serves the other; `mix`: the important counters of both are needed; `refuse`: neither.
    """

    tau: float
    shared: tuple[str, ...]
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class Transfer:
    """`log_ratio` is log2(time on the target / time on the source), of `calibration_runs` (0: from the machines alone).

    `band` is between what calibration runs lay of each other's prediction, None with fewer than five of them.
    """

    target: str
    log_ratio: float
    calibration_runs: int
    band: ErrorBand | None
    similarity: Similarity


def calibrate(
    model: TimeModel, target: str, given: Floats, time_s: Floats, similarity: Similarity, expected_log_ratio: float
) -> Transfer:
    """The median ratio between times measured on the target and predicted for the source, at the same given quantities.

    Shape: given (runs, given quantities of the model) on the model's scales, time_s (runs,). Without a run the ratio is
    the expected one.
    """
    if not len(time_s):
        return Transfer(target, expected_log_ratio, 0, None, similarity)
    ratios = np.log2(time_s) - model.chain.log_time(model.chain.columns_of(given))
    band = None
    if len(ratios) >= FEWEST_FOR_BAND:
        others = [float(np.median(np.delete(ratios, i))) for i in range(len(ratios))]
        band = band_of(ratios - np.array(others))
    return Transfer(target, float(np.median(ratios)), len(ratios), band, similarity)


def transferred(predicted: PredictedTime, transfer: Transfer) -> PredictedTime:
    """A time predicted for the source, on the target."""
    factor = float(np.exp2(transfer.log_ratio))
    time_s = predicted.time_s * factor
    low = high = None
    if transfer.band is not None and predicted.low_s is not None and predicted.high_s is not None:
        low = predicted.low_s * factor * float(np.exp2(transfer.band.low))
        high = predicted.high_s * factor * float(np.exp2(transfer.band.high))
    return PredictedTime(time_s, low, high, predicted.counters, predicted.beyond)
