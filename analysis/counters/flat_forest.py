"""A grown forest as plain arrays: so a saved one neither runs code nor needs the library that made it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.counters.predictors import Floats

LEAF = -1


@dataclass(frozen=True, slots=True, eq=False)
class FlatForest:
    """Nodes of all trees behind each other; `roots` are the trees' first nodes.

    Shape: feature, threshold, left, right and value (nodes,); roots (trees,). At a leaf `feature` is -1; else a run
    goes to `left` where its column `feature`, in single precision, is at most `threshold`.
    """

    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    value: NDArray[np.float64]
    roots: NDArray[np.int32]

    def predict(self, values: Floats) -> Floats:
        """Mean over the trees, as scikit-learn's; shape (runs, columns) -> (runs,)."""
        if not len(self.roots):
            return np.zeros(len(values))
        single = values.astype(np.float32).astype(np.float64)
        node = np.tile(self.roots, (len(values), 1))
        rows = np.arange(len(values))[:, None]
        while True:
            feature = self.feature[node]
            inner = feature != LEAF
            if not inner.any():
                found: Floats = self.value[node].mean(axis=1)
                return found
            goes_left = single[rows, np.where(inner, feature, 0)] <= self.threshold[node]
            node = np.where(inner, np.where(goes_left, self.left[node], self.right[node]), node)

    def problem(self, columns: int) -> str | None:
        """Why these arrays are no forest over so many columns: one that passes can't be predicted with for ever."""
        nodes = len(self.feature)
        if not (nodes == len(self.threshold) == len(self.left) == len(self.right) == len(self.value)):
            return "its arrays have different lengths"
        if any(array.ndim != 1 for array in (self.feature, self.threshold, self.left, self.right, self.value)):
            return "its arrays have more than one dimension"
        if any(array.dtype.kind != "i" for array in (self.feature, self.left, self.right, self.roots)):
            return "a node is no whole number"
        if len(self.roots) and not (self.roots.min() >= 0 and self.roots.max() < nodes):
            return "a tree begins outside its nodes"
        inner = np.flatnonzero(self.feature != LEAF)
        if len(inner) and not (self.feature[inner].min() >= 0 and self.feature[inner].max() < columns):
            return "a node asks for a column that does not exist"
        for child in (self.left[inner], self.right[inner]):
            if not ((child > inner) & (child < nodes)).all():
                return "a node leads back, or out of its nodes"
        if not (np.isfinite(self.value).all() and np.isfinite(self.threshold[inner]).all()):
            return "it has a number that is not finite"
        return None


_NO_NODES, _NO_VALUES = np.empty(0, dtype=np.int32), np.empty(0)
NO_FOREST = FlatForest(_NO_NODES, _NO_VALUES, _NO_NODES, _NO_NODES, _NO_VALUES, _NO_NODES)


def flatten(trees: Sequence[Any]) -> FlatForest:
    """Of scikit-learn's trees with one response, each the `tree_` of its estimator."""
    roots = np.cumsum([0, *(tree.node_count for tree in trees)])[:-1]

    def joined(name: str) -> Any:
        return np.concatenate([getattr(tree, name) for tree in trees])

    def children(name: str) -> NDArray[np.int32]:
        return np.concatenate([getattr(tree, name) + root for tree, root in zip(trees, roots, strict=True)]).astype(
            np.int32
        )

    feature = joined("feature").astype(np.int32)
    feature[feature < 0] = LEAF
    value = np.concatenate([tree.value[:, 0, 0] for tree in trees])
    return FlatForest(
        feature,
        joined("threshold"),
        children("children_left"),
        children("children_right"),
        value,
        roots.astype(np.int32),
    )
