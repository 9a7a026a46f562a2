"""Between what the measured time lies of a predicted one: from errors on runs that the model had not seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, floor

import numpy as np
from warplens.analysis.counters.predictors import Floats

COVERAGE = 0.9


@dataclass(frozen=True, slots=True)
class ErrorBand:
    """`low` and `high` are log2(measured / predicted): nine of ten of `runs` unseen runs lay between them.

    `reach` is how far beyond the trained sizes those runs were, in doublings of the size; 0: between them.
    """

    low: float
    high: float
    runs: int
    reach: float = 0.0

    def at(self, reach: float) -> ErrorBand:
        """The band so many doublings beyond the trained sizes: wider in proportion beyond what was tested."""
        wider = max(1.0, reach / self.reach) if self.reach else 1.0
        return ErrorBand(self.low * wider, self.high * wider, self.runs, reach)


def widest(bands: Sequence[ErrorBand]) -> ErrorBand:
    """At the reach of the nearest, as wide for each doubling as any of several, and both ways.

    Errors beyond what was run have one cause, so that their sign in a test says nothing about the next one's.
    """
    reach = min(band.reach for band in bands)
    off = max(max(-band.low, band.high) * reach / band.reach for band in bands)
    return ErrorBand(-off, off, sum(band.runs for band in bands), reach)


def band_of(errors: Floats, reach: float = 0.0) -> ErrorBand:
    """Split-conformal quantiles of log2(measured / predicted), which hold for the next run too; always around zero."""
    ordered = np.sort(errors)
    tail = (1 - COVERAGE) / 2
    low = max(0, floor(tail * (len(ordered) + 1)) - 1)
    high = min(len(ordered) - 1, ceil((1 - tail) * (len(ordered) + 1)) - 1)
    return ErrorBand(min(0.0, float(ordered[low])), max(0.0, float(ordered[high])), len(ordered), reach)
