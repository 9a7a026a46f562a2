"""A counter as a function of the problem's size and the launch: multivariate adaptive regression splines (sec. 4.1.3).

mars-earth is used as py-earth, the usual choice, builds on no Python of today. What it finds is kept as terms, so that
a saved model needs no library to predict.
"""

from __future__ import annotations

import numpy as np
from pymars import Earth
from threadpoolctl import threadpool_limits
from warplens.analysis.counters.counter_model import CounterModel, Hinge
from warplens.analysis.counters.fitting.forest import explained_variance
from warplens.analysis.counters.predictors import Floats

_MOST_TERMS = 11
_MOST_RUNS = 1500


def fit_counter(given: Floats, counter: Floats, *, is_log: bool, seed: int) -> CounterModel:
    """MARS with products of two, pruned by generalised cross-validation; of more than 1500 runs a sample is fitted."""
    rows = np.arange(len(given))
    if len(rows) > _MOST_RUNS:
        rows = np.sort(np.random.default_rng(seed).permutation(rows)[:_MOST_RUNS])
    centre = float(counter[rows].mean())  # the library may prune the intercept away: nothing is lost around the mean
    earth = Earth(max_degree=min(2, given.shape[1]), max_terms=_MOST_TERMS, endspan=1)
    with threadpool_limits(1, "blas"):  # its thousands of small systems are solved slower by several threads
        earth.fit(given[rows], counter[rows] - centre)
    found = zip(earth.coef_, earth.basis_, strict=True)
    terms = ((centre, ()), *((float(c), tuple(_hinges(basis))) for c, basis in found))
    bounds = None if is_log else (float(counter.min()), float(counter.max()))
    model = CounterModel(terms, 0.0, 0.0, bounds)
    fitted = model.predict(given)
    return CounterModel(terms, explained_variance(counter, fitted), float(((counter - fitted) ** 2).sum()), bounds)


def _hinges(basis: object) -> list[Hinge]:
    """The factors of one of the library's basis functions, which hold each other as parents."""
    factors: list[Hinge] = []
    node = basis
    while node is not None:
        column = getattr(node, "variable_idx", None)
        if column is not None:
            knot = getattr(node, "knot_val", None)
            is_right = bool(getattr(node, "is_right_hinge", True))
            factors.append(Hinge(int(column), None if knot is None else float(knot), is_right))
        node = getattr(node, "parent1", None)
    return factors
