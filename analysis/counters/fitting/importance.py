"""Which predictors the time hangs on: how much worse out-of-bag predictions get when one is shuffled (Breiman 2001)."""

from __future__ import annotations

import numpy as np
from warplens.analysis.counters.drivers import Importance
from warplens.analysis.counters.fitting.forest import SEED, Forest, grow
from warplens.analysis.counters.predictors import Floats

_MOST_RUNS_PER_TREE = 1000
_RESAMPLES = 20
_RESAMPLED_TREES = 40
_RESAMPLED = 0.632
"""As many different runs as a bootstrap sample has; drawn once each, as twins would be in and out of a tree's bag."""
_MOST_RESAMPLED = 500


def importances(forest: Forest, seed: int = SEED) -> tuple[Importance, ...]:
    """Most important first. Forests of resampled runs tell how stable each one's importance and rank are."""
    mean = mean_increases(forest, seed)
    rng = np.random.default_rng(seed)
    runs = len(forest.response)
    size = min(max(4, round(_RESAMPLED * runs)), _MOST_RESAMPLED)
    means = []
    for turn in range(_RESAMPLES):
        pick = rng.permutation(runs)[:size]
        grown = grow(forest.values[pick], forest.response[pick], _RESAMPLED_TREES, seed + turn)
        means.append(mean_increases(grown, seed + turn))
    ranks = (-np.stack(means)).argsort(axis=1, kind="stable").argsort(axis=1, kind="stable") + 1
    low, high = np.quantile(ranks, [0.05, 0.95], axis=0, method="nearest")
    errors = np.std(means, axis=0)
    return tuple(
        Importance(int(j), float(mean[j]), float(errors[j]), place, min(place, int(low[j])), max(place, int(high[j])))
        for place, j in enumerate(np.argsort(-mean, kind="stable"), 1)
    )


def mean_increases(forest: Forest, seed: int = SEED) -> Floats:
    """The rise of the out-of-bag error by column, in variances of the response; shape (columns,)."""
    return np.asarray(increases_by_tree(forest, seed).mean(axis=0), dtype=np.float64)


def increases_by_tree(forest: Forest, seed: int) -> Floats:
    """Shape (trees, columns): the rise of each tree's out-of-bag mean squared error / variance of the response.

    A tree that saw every run says nothing: zeros.
    """
    rng = np.random.default_rng(seed)
    single = forest.values.astype(np.float32)
    variance = max(float(forest.response.var()), float(np.finfo(np.float64).tiny))
    found = np.zeros((len(forest.trees), single.shape[1]))
    for t, tree in enumerate(forest.trees):
        out = tree.unseen(len(single))
        if len(out) < 2:
            continue
        out = rng.permutation(out)[:_MOST_RUNS_PER_TREE]
        held = single[out]
        response = forest.response[out]
        before = float(((tree.predict(held) - response) ** 2).mean())
        asked = tree.nodes.feature
        for j in np.unique(asked[asked >= 0]):
            kept = held[:, j].copy()
            held[:, j] = kept[rng.permutation(len(out))]
            found[t, j] = float(((tree.predict(held) - response) ** 2).mean()) - before
            held[:, j] = kept
    return found / variance
