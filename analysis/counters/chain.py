"""Size -> counters -> time: what predicts runs that were never made (sec. 4.2, results interpretation)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from warplens.analysis.counters.counter_model import CounterModel
from warplens.analysis.counters.flat_forest import FlatForest
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.counters.trend import Trend

TrendKind = Literal["none", "counters", "size"]
"""What the forest learns the rest of: nothing (the paper), a line through all predictors, or MARS of the given ones."""


@dataclass(frozen=True, slots=True, eq=False)
class Chain:
    """Over columns that are first the `given` ones, then the counters that are kept.

    `counters` has one model for each counter; the forest predicts what the trend leaves of log2(time in s).
    """

    given: int
    counters: tuple[CounterModel, ...]
    trend: Trend | CounterModel | None
    forest: FlatForest

    def columns_of(self, given: Floats) -> Floats:
        """The counters of runs that were never made; shape (runs, given) -> (runs, columns)."""
        return np.column_stack([given, *(model.predict(given) for model in self.counters)])

    def log_time(self, values: Floats) -> Floats:
        """log2(time in s); shape (runs, columns) -> (runs,)."""
        found = self.forest.predict(values)
        if isinstance(self.trend, CounterModel):
            return found + self.trend.predict(values[:, : self.given])
        return found if self.trend is None else found + self.trend.predict(values)
