"""What counters say of the time beside the problem's size: whatever drifts with the size seems to make the time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from warplens.analysis.counters.drivers import Direction
from warplens.analysis.counters.fitting.fit_counter import fit_counter
from warplens.analysis.counters.fitting.forest import SEED, grow
from warplens.analysis.counters.fitting.importance import mean_increases
from warplens.analysis.counters.fitting.noise import noise_test
from warplens.analysis.counters.fitting.partial_dependence import dependence_curves
from warplens.analysis.counters.predictors import Floats

_LEAST_REST = 1e-6
"""Of a column's variance: what is left below is the arithmetic's."""


def beside_size(sizes: Floats, values: Floats, log_time: Floats, columns: Sequence[int]) -> dict[int, Direction]:
    """How the time goes with each of the columns at equal sizes, without those that say no more of it than chance.

    The size is taken out of the time and of each column by splines (Frisch and Waugh's way, with MARS), and a forest of
    the rests is tested as the whole one is. Shape: sizes (runs, problem sizes), values (runs, columns).
    """
    rest = {j: _rest(sizes, values[:, j]) for j in columns}
    told = [j for j in columns if rest[j].var() > _LEAST_REST * values[:, j].var()]
    if not told:
        return {}
    forest = grow(np.column_stack([rest[j] for j in told]), _rest(sizes, log_time))
    noise = noise_test(forest)
    above = [place for place, increase in enumerate(mean_increases(forest)) if noise.is_above_chance(increase)]
    return {told[curve.column]: curve.direction for curve in dependence_curves(forest, above)}


def _rest(sizes: Floats, column: Floats) -> Floats:
    return column - fit_counter(sizes, column, is_log=True, seed=SEED).predict(sizes)
