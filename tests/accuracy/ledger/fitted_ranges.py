"""Ranges that hold: how far off a model's time may be by what a launch does, fitted to the ledger's pairs.

A launch's half width is exp(base + Σ weight · trait) (range_model.py). The weights are those of a quantile regression
of ln|ln(predicted / measured)| on the traits; ridge holds them near `PRIOR`, which is what they are where nothing was
measured: what only data decides is known half as well. The base is conformal: launches are scored by their error over
their half width, by weights that were fitted without their family, and by those without their GPU; nine of ten pairs'
scores are inside, of all together and of each family and each GPU that has enough of them. Every pair counts once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np
from accuracy.ledger.pairs import PairLaunch, pair_weights
from numpy.typing import NDArray
from warplens.analysis.gpu.machine.range_model import RangeModel

Column = NDArray[np.float64]

PRIOR: Mapping[str, float] = {
    "gathered": log(3.0),
    "unknown_branch": log(2.0),
    "unknown_trips": log(2.0),
    "atomic": log(2.0),
    "divergent": log(2.0),
    "division": log(2.0),
    "local": log(2.0),
    "over_fetched": 0.0,
    "dram": 0.0,
    "latency": 0.0,
    "empty": 0.0,
}
"""The traits that ranges hang on, and the logarithm of the factor that each is taken to widen them by."""

LEVEL = 0.9
ENOUGH_PAIRS = 20
"""Of fewer pairs nine in ten can't be told from eight or ten in ten."""
_FIT_LEVEL, _RIDGE, _SMOOTH, _LEAST_ERROR = 0.75, 15.0, 0.15, 0.02


@dataclass(frozen=True, slots=True)
class RangeData:
    """Launches as columns: traits (launches, traits), |ln(predicted / measured)|, weights, names of the groups."""

    traits: Column
    errors: Column
    weights: Column
    families: NDArray[np.str_]
    gpus: NDArray[np.str_]

    def where(self, rows: NDArray[np.bool_]) -> RangeData:
        """Some of them."""
        return RangeData(self.traits[rows], self.errors[rows], self.weights[rows], self.families[rows], self.gpus[rows])


def range_data(launches: Sequence[PairLaunch], model: str) -> RangeData:
    """The launches as one model predicts them."""
    shares = [one.expected[model].traits.as_shares() for one in launches]
    return RangeData(
        np.array([[each[name] for name in PRIOR] for each in shares]),
        np.array([abs(log(one.ratios[model])) for one in launches]),
        np.array(pair_weights(launches)),
        np.array([one.family for one in launches]),
        np.array([one.gpu for one in launches]),
    )


def fitted_range(data: RangeData) -> RangeModel:
    """Fit and calibrate."""
    theta = _fitted(data)
    needed = []
    for groups in (data.families, data.gpus):
        scores = _left_out_scores(data, groups)
        needed.append(_conformal(scores, data.weights))
        for name in np.unique(groups):
            rows = groups == name
            if data.weights[rows].sum() >= ENOUGH_PAIRS:
                needed.append(weighted_quantile(scores[rows], data.weights[rows], LEVEL))
    weights = tuple((name, round(float(value), 3)) for name, value in zip(PRIOR, theta[1:], strict=True))
    return RangeModel(round(float(theta[0]) + max(needed), 3), weights, tuple(sorted({*map(str, data.gpus)})))


def weighted_quantile(values: Column, weights: Column, level: float) -> float:
    """The least value that has this share of the weights at it or below; values are not empty.

    >>> weighted_quantile(np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 8.0]), 0.9)
    2.0
    """
    order = np.argsort(values, kind="stable")
    place = int(np.searchsorted(np.cumsum(weights[order]), level * weights.sum() - 1e-9))
    return float(values[order][min(place, len(values) - 1)])


def _conformal(scores: Column, weights: Column) -> float:
    """Quantile of the scores below which a new pair stays so often: that of one pair more with the largest score."""
    pairs = float(weights.sum())
    return weighted_quantile(scores, weights, min(1.0, LEVEL * (pairs + 1) / pairs))


def _left_out_scores(data: RangeData, groups: NDArray[np.str_]) -> Column:
    """ln(error / half width) of each launch by weights that were fitted without its group."""
    scores = np.empty(len(data.errors))
    for name in np.unique(groups):
        rows = groups == name
        theta = _fitted(data.where(~rows) if not rows.all() else data)
        scores[rows] = np.log(data.errors[rows] + 1e-9) - _log_half_widths(theta, data.traits[rows])
    return scores


def _log_half_widths(theta: Column, traits: Column) -> Column:
    found: Column = theta[0] + traits @ theta[1:]
    return found


def _fitted(data: RangeData) -> Column:
    """Base and weights: the smoothed pinball loss with ridge towards the prior, by Newton's method (it is convex)."""
    target = np.log(data.errors + _LEAST_ERROR)
    design = np.column_stack([np.ones(len(target)), data.traits])
    prior = np.array([0.0, *PRIOR.values()])
    ridge = np.array([1e-9, *[_RIDGE] * len(PRIOR)])
    theta = prior.copy()
    theta[0] = weighted_quantile(target - data.traits @ prior[1:], data.weights, _FIT_LEVEL)
    for _ in range(60):
        above = 1 / (1 + np.exp(-np.clip((target - design @ theta) / _SMOOTH, -40, 40)))
        slope = -design.T @ (data.weights * (above - (1 - _FIT_LEVEL))) + ridge * (theta - prior)
        curve = data.weights * (above * (1 - above) / _SMOOTH + 0.02)
        step = np.linalg.solve((design.T * curve) @ design + np.diag(ridge), slope)
        theta = theta - step * min(1.0, 0.5 / max(1e-9, float(np.abs(step).max())))
        if float(np.abs(step).max()) < 1e-6:
            break
    found: Column = theta
    return found
