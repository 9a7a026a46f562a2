"""Counters that rise and fall together, so that one of them is asked and importance is not shared out among them."""

from __future__ import annotations

import numpy as np
from scipy.cluster import hierarchy
from scipy.spatial.distance import squareform
from scipy.stats import rankdata
from warplens.analysis.counters.drivers import Group
from warplens.analysis.counters.predictors import Predictors

TOGETHER = 0.95
"""|Spearman's rank correlation| from which counters can't be told apart (Strobl et al. 2006 on the bias otherwise)."""


def groups_of(predictors: Predictors, together: float = TOGETHER) -> tuple[Group, ...]:
    """Average-linkage clusters of the predictors with 1 - |Spearman's rho| as distance, in the predictors' order."""
    names = predictors.names
    if len(names) < 2:
        return tuple(Group(name, (name,)) for name in names)
    closeness = rank_correlation(predictors.values)
    distance = np.clip(1 - np.abs(closeness), 0, 1)
    np.fill_diagonal(distance, 0)
    tree = hierarchy.linkage(squareform(distance, checks=False), method="average")
    labels = hierarchy.fcluster(tree, t=1 - together, criterion="distance")
    groups = []
    for label in dict.fromkeys(labels.tolist()):
        places = np.flatnonzero(labels == label)
        order = places[np.argsort(-np.abs(closeness[np.ix_(places, places)]).mean(axis=1), kind="stable")]
        given = [i for i in order if predictors.scales[i].is_given]
        asked = given[0] if given else order[0]
        groups.append(Group(names[asked], tuple(names[i] for i in order)))
    return tuple(groups)


def rank_correlation(values: np.ndarray) -> np.ndarray:
    """Spearman's rho between all columns; shape (columns, columns). Columns must not be constant."""
    return np.atleast_2d(np.corrcoef(rankdata(values, axis=0), rowvar=False))
