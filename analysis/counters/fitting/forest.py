"""A random forest of the time, and how well it does on runs its trees have not seen (BlackForest, sec. 4.2).

The trees are scikit-learn's, from the random numbers that its RandomForestRegressor grows them from. That one makes and
checks everything anew for each tree: it takes four times as long, and a fit grows thousands of small trees.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import config_context
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import check_array
from sklearn.utils.parallel import Parallel, delayed
from warplens.analysis.counters.predictors import Floats

SEED = 20150901
TREES = 200
MANY_RUNS = 500
"""With fewer runs, trees are grown until every leaf has one; R's randomForest, which the paper used, stops at 5."""
MOST_RUNS_PER_TREE = 4000
"""A tree's bootstrap sample is no larger: with more runs it is the forest that sees them all."""
_WORTH_THREADS = 20_000
_MOST_SEED = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True, eq=False)
class GrownTree:
    """`nodes` is scikit-learn's `tree_`; `bag` are the places of the runs in its bootstrap sample."""

    nodes: Any
    bag: NDArray[np.intp]

    def unseen(self, runs: int) -> NDArray[np.intp]:
        """Places of those runs, of so many, that are not in its bootstrap sample."""
        is_seen = np.zeros(runs, dtype=bool)
        is_seen[self.bag] = True
        return np.flatnonzero(~is_seen)

    def predict(self, single: NDArray[np.float32]) -> Floats:
        """Shape (runs, columns) -> (runs,)."""
        found: Floats = self.nodes.predict(single)[:, 0]
        return found


@dataclass(frozen=True, slots=True, eq=False)
class Forest:
    """Shape: values (runs, columns), response (runs,)."""

    trees: tuple[GrownTree, ...]
    values: Floats
    response: Floats

    def out_of_bag(self) -> Floats:
        """Each run as the trees predict it that did not see it, NaN where all did; shape (runs,)."""
        single = self.values.astype(np.float32)
        total, count = np.zeros(len(single)), np.zeros(len(single))
        for tree in self.trees:
            out = tree.unseen(len(single))
            total[out] += tree.predict(single[out])
            count[out] += 1
        with np.errstate(invalid="ignore"):
            return total / np.where(count > 0, count, np.nan)

    def out_of_bag_explained(self) -> float:
        """1 - mean squared out-of-bag error / variance, on the response's own scale."""
        predicted = self.out_of_bag()
        seen = ~np.isnan(predicted)
        return explained_variance(self.response[seen], predicted[seen])

    def predict(self, values: Floats) -> Floats:
        """Mean over the trees; shape (runs, columns) -> (runs,)."""
        single = values.astype(np.float32)
        total = np.zeros(len(values))
        for tree in self.trees:
            total += tree.predict(single)
        return total / len(self.trees)


def grow(values: Floats, response: Floats, trees: int = TREES, seed: int = SEED) -> Forest:
    """Trees on bootstrap samples, a third of the columns tried at each split (Breiman 2001; R's for regression)."""
    single = check_array(values, dtype=np.float32)
    seeds = [int(one) for one in np.random.RandomState(seed).randint(_MOST_SEED, size=trees)]
    bags = list(_bags(seeds, len(values)))
    # What the library checks of each tree, check_array did of all.
    with config_context(skip_parameter_validation=True, assume_finite=True):
        if values.size > _WORTH_THREADS:
            nodes = Parallel(n_jobs=-1, prefer="threads")(
                delayed(_nodes)(single, response, bag, one) for bag, one in zip(bags, seeds, strict=True)
            )
        else:
            random = np.random.RandomState()  # one for all: making one takes longer than growing a small tree
            nodes = [
                _nodes(single, response, bag, _begun_at(one, random)) for bag, one in zip(bags, seeds, strict=True)
            ]
    grown = tuple(GrownTree(one, bag) for one, bag in zip(nodes, bags, strict=True))
    return Forest(grown, values, response)


def _bags(seeds: list[int], runs: int) -> Iterator[NDArray[np.intp]]:
    """Places of the runs in each tree's bootstrap sample."""
    random = np.random.RandomState()
    for seed in seeds:
        yield _begun_at(seed, random).randint(0, runs, min(runs, MOST_RUNS_PER_TREE))


def _begun_at(seed: int, random: np.random.RandomState) -> np.random.RandomState:
    """As a new one of this seed would be."""
    random.seed(seed)
    return random


def _nodes(
    single: NDArray[np.float32], response: Floats, bag: NDArray[np.intp], random: int | np.random.RandomState
) -> Any:
    runs, columns = single.shape
    tree = DecisionTreeRegressor(
        max_features=max(1, -(-columns // 3)),
        min_samples_leaf=1 if runs < MANY_RUNS else 5,
        random_state=random,
    )
    return tree.fit(single, response, sample_weight=np.bincount(bag, minlength=runs), check_input=False).tree_


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
