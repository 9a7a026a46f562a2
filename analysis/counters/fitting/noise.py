"""Whether the counters say anything about the time at all, and how important a column looks that says nothing."""

from __future__ import annotations

import numpy as np
from warplens.analysis.counters.drivers import NoiseTest
from warplens.analysis.counters.fitting.forest import SEED, Forest, grow
from warplens.analysis.counters.fitting.importance import mean_increases

SHUFFLES = 19
"""With the true order they are 20: a forest better than all of them is so by chance once in twenty times."""
_SHADOW_FORESTS = 5
_TREES = 40
_MOST_RUNS = 1000


def noise_test(forest: Forest, seed: int = SEED) -> NoiseTest:
    """Small forests on at most 1000 of the runs, on the true order of the times and on shuffled ones.

    Source: Ojala and Garriga 2010 (a permutation test for the model), Kursa and Rudnicki 2010 (shuffled copies beside
    the columns).
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(forest.response))[:_MOST_RUNS]
    values, response = forest.values[rows], forest.response[rows]
    true = grow(values, response, _TREES, seed)
    shuffled = [
        grow(values, rng.permutation(response), _TREES, seed + turn).out_of_bag_explained()
        for turn in range(1, SHUFFLES + 1)
    ]
    shadows = []
    for turn in range(_SHADOW_FORESTS):
        both = grow(np.hstack([values, rng.permuted(values, axis=0)]), response, _TREES, seed + turn)
        increases = mean_increases(both, seed + turn)
        shadows.append(float(increases[values.shape[1] :].max(initial=0.0)))
    return NoiseTest(true.out_of_bag_explained(), max(shuffled), max(shadows), SHUFFLES)
