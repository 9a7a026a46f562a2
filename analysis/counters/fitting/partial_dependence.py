"""How the predicted time changes with one predictor, the others as they were, with the bands the paper asks for."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from warplens.analysis.counters.drivers import DependenceCurve, Direction
from warplens.analysis.counters.fitting.forest import SEED, Forest, grow
from warplens.analysis.counters.predictors import Floats

_RESAMPLES = 20
_TREES = 40
_GRID = 20
_MOST_RUNS = 1000
_FLAT = 0.05


def dependence_curves(forest: Forest, columns: Sequence[int], seed: int = SEED) -> tuple[DependenceCurve, ...]:
    """Over the middle nine tenths of a column's values; forests of resampled runs make the band.

    None for a column that has one value there.
    """
    rng = np.random.default_rng(seed)
    rows = rng.permutation(len(forest.response))[:_MOST_RUNS]
    values, response = forest.values[rows], forest.response[rows]
    spread = float(response.std()) or 1.0
    grids = {j: np.unique(np.quantile(values[:, j], np.linspace(0.05, 0.95, _GRID))) for j in columns}
    drawn = [j for j in columns if len(grids[j]) > 1]
    found: dict[int, list[Floats]] = {j: [] for j in drawn}
    for turn in range(_RESAMPLES):
        pick = rng.integers(0, len(rows), len(rows))
        grown = grow(values[pick], response[pick], _TREES, seed + turn)
        for j in drawn:
            found[j].append(curve_of(grown, j, grids[j]))
    curves = []
    for j in drawn:
        many = np.stack(found[j])
        low, high = np.quantile(many, [0.05, 0.95], axis=0)
        curves.append(DependenceCurve(j, grids[j], many.mean(axis=0), low, high, _direction(many, spread)))
    return tuple(curves)


def curve_of(forest: Forest, column: int, grid: Floats) -> Floats:
    """The mean prediction at each value of one column, as scikit-learn's `partial_dependence` has it by recursion.

    Where a tree asks for another column both ways count, by how many runs went each in training (Friedman 2001).
    """
    points = grid.astype(np.float32)[:, None]
    total = np.zeros(len(grid))
    for tree in forest.trees:
        tree.nodes.compute_partial_dependence(points, np.array([column]), total)
    return total / len(forest.trees)


def _direction(curves: Floats, spread: float) -> Direction:
    """From the rise between the ends of each resample, held against how far its curve goes back."""
    rise = curves[:, -1] - curves[:, 0]
    extent = np.ptp(curves, axis=1)
    if float(np.median(extent)) < _FLAT * spread:
        return "flat"
    if float(np.median(np.abs(rise) / np.maximum(extent, 1e-12))) < 0.5:
        return "mixed"
    if (rise > 0).mean() >= 0.95:
        return "rises"
    return "falls" if (rise < 0).mean() >= 0.95 else "mixed"
