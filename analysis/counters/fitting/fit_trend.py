"""What of the time goes on beyond the sizes that were run: a forest alone says the longest time it saw for them.

A line through logarithms, whose rest the forest learns (regression-enhanced random forests, Zhang et al. 2019).
"""

from __future__ import annotations

import numpy as np
from sklearn.linear_model import RidgeCV
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.trend import Trend

_PENALTIES = tuple(10.0**power for power in range(-6, 4))


def fit_trend(values: Floats, log_time: Floats) -> Trend:
    """Ridge regression on standardised columns, its penalty by leave-one-out; constant columns get no slope."""
    mean, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 0, spread, 1.0)
    found = RidgeCV(_PENALTIES).fit((values - mean) / spread, log_time)
    slopes = np.asarray(found.coef_) / spread
    return Trend(float(found.intercept_ - mean @ slopes), tuple(float(slope) for slope in slopes))
