"""The ratio of times on another GPU, from a few runs there (hardware scaling, sec. 6.2)."""

from __future__ import annotations

import numpy as np
from warplens.analysis.counters.fitting.fit_band import band_of
from warplens.analysis.counters.hardware import FEWEST_FOR_BAND, Transfer
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.time_model import TimeModel
from warplens.analysis.counters.trained_points import trained_points


def calibrate(model: TimeModel, target: str, given: Floats, time_s: Floats) -> Transfer:
    """The median ratio between times measured on the target and predicted for the source, at the same given quantities.

    Shape: given (runs, given quantities of the model) on the model's scales, time_s (runs,), at least one.
    """
    ratios = np.log2(time_s) - model.chain.log_time(model.chain.columns_of(given))
    band = None
    if len(ratios) >= FEWEST_FOR_BAND:
        others = [float(np.median(np.delete(ratios, i))) for i in range(len(ratios))]
        band = band_of(ratios - np.array(others))
    return Transfer(target, float(np.median(ratios)), len(ratios), band, runs=trained_points(given))
