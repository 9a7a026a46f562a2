"""Whether two GPUs rank what matters to a kernel alike: the test that the paper plans for (sec. 7)."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from scipy.stats import weightedtau
from warplens.analysis.counters.hardware import Similarity

ALIKE = 0.6
UNLIKE = 0.2
FEWEST_SHARED = 3


def similarity(first: Mapping[str, float], second: Mapping[str, float]) -> Similarity:
    """Of the importances by quantity; ranks at the top weigh more than those at the bottom (Vigna 2015).

    `transfer` from a correlation of 0.6 on, `refuse` at 0.2 and below, `mix` between, `untested` with fewer than three
    quantities in common.
    """
    shared = tuple(name for name in first if name in second)
    if len(shared) < FEWEST_SHARED:
        return Similarity(0.0, shared, "untested")
    tau = float(weightedtau([max(first[n], 0.0) for n in shared], [max(second[n], 0.0) for n in shared]).statistic)
    if not np.isfinite(tau):  # one of the two says nothing about any
        return Similarity(0.0, shared, "untested")
    return Similarity(tau, shared, "transfer" if tau >= ALIKE else "mix" if tau > UNLIKE else "refuse")
