"""A number out of samples of which some are off: the median, and how far the middle half of them lies apart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Robust:
    """Median and quartiles, in the samples' unit."""

    value: float
    low: float
    high: float

    @property
    def spread(self) -> float:
        """Distance of the quartiles over the median, 0 where all samples agree."""
        return abs((self.high - self.low) / self.value) if self.value else 0.0


def robust(samples: Sequence[float]) -> Robust:
    """Median and quartiles of one or more samples, linear between neighbours; raises ValueError for none.

    >>> robust((3.0, 1.0, 100.0, 2.0, 4.0))
    Robust(value=3.0, low=2.0, high=4.0)
    """
    if not samples:
        raise ValueError("no samples")
    low, value, high = (float(each) for each in np.percentile(samples, (25, 50, 75)))
    return Robust(value, low, high)
