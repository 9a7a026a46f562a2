"""A random forest of the time, and how well it does on runs its trees have not seen (BlackForest, sec. 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.ensemble import RandomForestRegressor
from warplens.analysis.counters.predictors import Floats

SEED = 20150901
TREES = 200
MANY_RUNS = 500
"""With fewer runs, trees are grown until every leaf has one; R's randomForest, which the paper used, stops at 5."""
MOST_RUNS_PER_TREE = 4000
"""A tree's bootstrap sample is no larger: with more runs it is the forest that sees them all."""
_WORTH_THREADS = 20_000


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """`model` is scikit-learn's; `oob` predicts each run by the trees that did not see it, NaN where all did.

    Shape: values (runs, columns); response and oob (runs,).
    """

    model: Any
    values: Floats
    response: Floats
    oob: Floats

    @property
    def oob_explained_variance(self) -> float:
        """1 - mean squared out-of-bag error / variance, on the response's own scale."""
        seen = ~np.isnan(self.oob)
        return explained_variance(self.response[seen], self.oob[seen])


def grow(values: Floats, response: Floats, trees: int = TREES, seed: int = SEED) -> Forest:
    """Trees on bootstrap samples, a third of the columns tried at each split (Breiman 2001; R's for regression)."""
    model = RandomForestRegressor(
        n_estimators=trees,
        max_features=max(1, -(-values.shape[1] // 3)),
        min_samples_leaf=1 if len(values) < MANY_RUNS else 5,
        max_samples=min(len(values), MOST_RUNS_PER_TREE),
        random_state=seed,
        n_jobs=-1 if values.size > _WORTH_THREADS else None,
    )
    model.fit(values, response)
    return Forest(model, values, response, _out_of_bag(model, values))


def _out_of_bag(model: Any, values: Floats) -> Floats:
    single = values.astype(np.float32)
    total, count = np.zeros(len(values)), np.zeros(len(values))
    for tree, bag in zip(model.estimators_, model.estimators_samples_, strict=True):
        out = left_out(bag, len(values))
        total[out] += tree.tree_.predict(single[out])[:, 0]
        count[out] += 1
    with np.errstate(invalid="ignore"):
        return total / np.where(count > 0, count, np.nan)


def left_out(bag: np.ndarray, runs: int) -> np.ndarray:
    """Places of the runs that are not in a tree's bootstrap sample."""
    seen = np.zeros(runs, dtype=bool)
    seen[bag] = True
    return np.flatnonzero(~seen)


def explained_variance(measured: Floats, predicted: Floats) -> float:
    """1 - sum of squared errors / sum of squares around the mean; below zero: worse than always saying the mean.

    >>> explained_variance(np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 4.0]))
    0.5
    """
    around = float(((measured - measured.mean()) ** 2).sum()) if len(measured) else 0.0
    return 1 - float(((measured - predicted) ** 2).sum()) / around if around > 0 else 0.0


def mean_absolute_percentage_error(measured: Floats, predicted: Floats) -> float:
    """As a share: 0.1 is 10 %."""
    return float(np.mean(np.abs(predicted / measured - 1)))
