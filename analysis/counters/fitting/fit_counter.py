"""A counter as a function of the size and the launch: multivariate adaptive regression splines (sec. 4.1.3)."""

from __future__ import annotations

import numpy as np
from threadpoolctl import threadpool_limits
from warplens.analysis.counters.counter_model import CounterModel
from warplens.analysis.counters.fitting.forest import explained_variance
from warplens.analysis.counters.fitting.splines import fit_splines
from warplens.analysis.counters.predictors import Floats

_MOST_TERMS = 11
_MOST_RUNS = 1500


def fit_counter(given: Floats, counter: Floats, *, is_log: bool, seed: int) -> CounterModel:
    """MARS with products of two, pruned by generalised cross-validation; of more than 1500 runs a sample is fitted."""
    rows = np.arange(len(given))
    if len(rows) > _MOST_RUNS:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_MOST_RUNS])
    centre = float(counter[rows].mean())  # the constant may be pruned away: nothing is lost around the mean
    with threadpool_limits(1, "blas"):  # small systems are solved slower by several threads
        found = fit_splines(given[rows], counter[rows] - centre, _MOST_TERMS, min(2, given.shape[1]))
    terms = ((centre, ()), *found)
    bounds = None if is_log else (float(counter.min()), float(counter.max()))
    model = CounterModel(terms, 0.0, 0.0, bounds)
    fitted = model.predict(given)
    return CounterModel(terms, explained_variance(counter, fitted), float(((counter - fitted) ** 2).sum()), bounds)
