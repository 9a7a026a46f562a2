"""Whether two GPUs rank what matters to a kernel alike: the test that the paper plans for (sec. 7)."""

from __future__ import annotations

import numpy as np
from scipy.stats import weightedtau
from warplens.analysis.counters.hardware import Ranking, Similarity

ALIKE = 0.6
UNLIKE = 0.2
FEWEST_SHARED = 3


def similarity(first: Ranking, second: Ranking) -> Similarity:
    """Over the counters that both have; high ranks weigh more (Vigna 2015), what says no more than chance is last.

    `transfer` from a correlation of 0.6 on, `refuse` at 0.2 and below, `mix` between, `untested` with fewer than three
    counters, or where none says anything on one of the two.
    """
    shared = tuple(name for name in first.importance if name in second.importance)
    ranked = [[one.importance[name] if name in one.telling else 0.0 for name in shared] for one in (first, second)]
    if len(shared) < FEWEST_SHARED or not all(any(each) for each in ranked):
        return Similarity(0.0, shared, "untested")
    tau = float(weightedtau(*ranked).statistic)
    if not np.isfinite(tau):  # one of the two says nothing about any
        return Similarity(0.0, shared, "untested")
    return Similarity(tau, shared, "transfer" if tau >= ALIKE else "mix" if tau > UNLIKE else "refuse")
