"""A straight line through logarithms: what of the time goes on beyond the sizes that were run."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.predictors import Floats


@dataclass(frozen=True, slots=True)
class Trend:
    """log2(time in s) = intercept + sum of slopes times predictors; a slope is the power of a logarithmic one."""

    intercept: float
    slopes: tuple[float, ...]

    def predict(self, values: Floats) -> Floats:
        """Shape (runs, columns) -> (runs,)."""
        return np.asarray(self.intercept + values @ np.array(self.slopes), dtype=np.float64)
