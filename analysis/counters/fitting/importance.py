"""Which predictors the time hangs on: how much worse out-of-bag predictions get when one is shuffled (Breiman 2001)."""

from __future__ import annotations

import numpy as np
from warplens.analysis.counters.drivers import Importance
from warplens.analysis.counters.fitting.forest import SEED, Forest, left_out
from warplens.analysis.counters.predictors import Floats

_MOST_RUNS_PER_TREE = 1000
_RESAMPLES = 200


def importances(forest: Forest, seed: int = SEED) -> tuple[Importance, ...]:
    """Most important first. The trees are resampled (bootstrap) to know how stable each one's rank is."""
    increases = increases_by_tree(forest, seed)
    order = np.argsort(-increases.mean(axis=0), kind="stable")
    rng = np.random.default_rng(seed)
    picks = rng.integers(0, len(increases), size=(_RESAMPLES, len(increases)))
    means = np.stack([increases[pick].mean(axis=0) for pick in picks])
    ranks = (-means).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable") + 1
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest")
    errors = means.std(axis=0)
    return tuple(
        Importance(int(j), float(increases[:, j].mean()), float(errors[j]), place, int(low[j]), int(high[j]))
        for place, j in enumerate(order, 1)
    )


def increases_by_tree(forest: Forest, seed: int) -> Floats:
    """Shape (trees, columns): the rise of each tree's out-of-bag mean squared error / variance of the response.

    A tree that saw every run says nothing: zeros.
    """
    rng = np.random.default_rng(seed)
    single = forest.values.astype(np.float32)
    runs, columns = single.shape
    variance = max(float(forest.response.var()), float(np.finfo(np.float64).tiny))
    found = np.zeros((len(forest.model.estimators_), columns))
    for t, (tree, bag) in enumerate(zip(forest.model.estimators_, forest.model.estimators_samples_, strict=True)):
        out = left_out(bag, runs)
        if len(out) < 2:
            continue
        out = rng.permutation(out)[:_MOST_RUNS_PER_TREE]
        held = single[out]
        response = forest.response[out]
        before = float(((tree.tree_.predict(held)[:, 0] - response) ** 2).mean())
        for j in np.unique(tree.tree_.feature[tree.tree_.feature >= 0]):
            kept = held[:, j].copy()
            held[:, j] = kept[rng.permutation(len(out))]
            found[t, j] = float(((tree.tree_.predict(held)[:, 0] - response) ** 2).mean()) - before
            held[:, j] = kept
    return found / variance
