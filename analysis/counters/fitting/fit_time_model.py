"""The chain from size to time with how far it is off, between the sizes that were run and beyond them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold
from warplens.analysis.counters.chain import TrendKind
from warplens.analysis.counters.fitting.fit_band import band_of, widest
from warplens.analysis.counters.fitting.fit_chain import fit_chain, fit_counters
from warplens.analysis.counters.fitting.forest import SEED, TREES, explained_variance, mean_absolute_percentage_error
from warplens.analysis.counters.predictors import GIVEN, Floats, Predictors, Scale
from warplens.analysis.counters.time_model import Accuracy, Tested, TimeModel
from warplens.analysis.counters.trained_points import trained_points

_TEST_TREES = 60
_MOST_TEST_RUNS = 1500
_FOLDS = 5
_FEWEST_SIZES = 3
_TRAINED = (1 / 3, 1 / 2, 2 / 3)
"""Shares of the sizes, smallest first, that the others are predicted from: how a trend bends shows in several."""


def fit_time_model(
    predictors: Predictors, kept: tuple[str, ...], *, trends: tuple[TrendKind, ...] | None = None
) -> TimeModel:
    """Fit on all runs, with the errors found on runs left out: by size in folds, and all above some size.

    `kept` are the counters to use; of `trends` (default: both kinds) the one is taken that was better beyond the sizes
    it was trained on. The accuracy beyond is that of the largest third of the sizes.
    """
    given = predictors.columns(*GIVEN)
    columns = (*given, *(predictors.names.index(name) for name in kept))
    scales = tuple(predictors.scales[j] for j in columns)
    values, log_time = predictors.values[:, columns], np.log2(predictors.time_s)
    main = _main_size(values, log_time, scales)
    rows = np.sort(np.random.default_rng(SEED).permutation(len(values))[:_MOST_TEST_RUNS])
    test = _Test(values[rows], log_time[rows], tuple(scale.is_log for scale in scales), len(given))
    beyond, trend = _beyond(test, main, trends or ("counters", "size"))
    sizes = [j for j, scale in enumerate(scales) if scale.role == "problem"]
    inside = test.by_folds(sizes or list(range(len(given))), trend)
    counters = fit_counters(values, test.is_log, len(given))
    chain = fit_chain(values, log_time, counters, len(given), trend, TREES)
    return TimeModel(scales, trained_points(values[:, : len(given)]), chain, trend, main, inside, beyond)


@dataclass(frozen=True, slots=True, eq=False)
class _Test:
    """Chains fitted on some of the runs and asked for the others, from what is given alone."""

    values: Floats
    log_time: Floats
    is_log: tuple[bool, ...]
    given: int

    def errors(
        self, train: NDArray[np.intp], held: NDArray[np.intp], trends: tuple[TrendKind, ...]
    ) -> dict[TrendKind, Floats]:
        """log2(measured / predicted) of the runs that were held out, by each of the trends."""
        values, log_time = self.values[train], self.log_time[train]
        counters = fit_counters(values, self.is_log, self.given)
        chains = {trend: fit_chain(values, log_time, counters, self.given, trend, _TEST_TREES) for trend in trends}
        asked = self.values[held, : self.given]
        return {trend: self.log_time[held] - chain.log_time(chain.columns_of(asked)) for trend, chain in chains.items()}

    def by_folds(self, sizes: list[int], trend: TrendKind) -> Tested | None:
        """Runs of one size are held out together, as a new size is what will be asked for.

        `sizes` are columns: the problem's, or the launch where only that was varied. None with fewer than three sizes.
        """
        _, group = np.unique(self.values[:, sizes], axis=0, return_inverse=True)
        folds = min(_FOLDS, int(group.max()) + 1)
        if folds < _FEWEST_SIZES:
            return None
        errors = np.empty(len(self.values))
        for train, held in GroupKFold(folds).split(self.values, groups=group):
            errors[held] = self.errors(train, held, (trend,))[trend]
        return Tested(band_of(errors), self.accuracy(np.arange(len(self.values)), errors))

    def accuracy(self, held: NDArray[np.intp], errors: Floats) -> Accuracy:
        """On times, not their logarithms."""
        measured = np.exp2(self.log_time[held])
        predicted = np.exp2(self.log_time[held] - errors)
        return Accuracy(
            explained_variance(measured, predicted), mean_absolute_percentage_error(measured, predicted), len(held)
        )


def _main_size(values: Floats, log_time: Floats, scales: tuple[Scale, ...]) -> int | None:
    """Of the problem's sizes the one that the time follows most."""
    sizes = [j for j, scale in enumerate(scales) if scale.role == "problem"]
    return max(sizes, key=lambda j: abs(float(np.corrcoef(values[:, j], log_time)[0, 1])), default=None)


def _beyond(test: _Test, main: int | None, trends: tuple[TrendKind, ...]) -> tuple[Tested | None, TrendKind]:
    if main is None:
        return None, trends[0]
    sizes = np.unique(test.values[:, main])
    trained = {int(np.ceil(len(sizes) * share)) for share in _TRAINED}
    splits = []
    for count in sorted(count for count in trained if _FEWEST_SIZES <= count < len(sizes)):
        last = sizes[count - 1]
        is_held = test.values[:, main] > last
        train, held = np.flatnonzero(~is_held), np.flatnonzero(is_held)
        splits.append((float(sizes[-1] - last), held, test.errors(train, held, trends)))
    if not splits:
        return None, trends[0]
    best = min(trends, key=lambda trend: sum(float(np.abs(tried[trend]).mean()) for _, _, tried in splits))
    _, held, tried = splits[-1]
    band = widest([band_of(tried[best], reach) for reach, _, tried in splits])
    return Tested(band, test.accuracy(held, tried[best])), best
