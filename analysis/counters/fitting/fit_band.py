"""The band of errors on runs that a model had not seen, and the widest of several tests' bands."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, sqrt

import numpy as np
from scipy.stats import t as student
from warplens.analysis.counters.error_band import COVERAGE, ErrorBand
from warplens.analysis.counters.predictors import Floats

_TAIL = (1 - COVERAGE) / 2
_ENOUGH = ceil(1 / _TAIL) - 1
"""With fewer errors the largest of them is no quantile of nine in ten."""


def band_of(errors: Floats, reach: float = 0.0) -> ErrorBand:
    """Split-conformal quantiles of log2(measured / predicted), which hold for the next run too; always around zero.

    With fewer than 19 errors, of which even all do not reach nine in ten, as wide as if they were normal (Student's t
    around their mean), and at least all of them.
    """
    ordered = np.sort(errors)
    count = len(ordered)
    low = float(ordered[max(0, floor(_TAIL * (count + 1)) - 1)])
    high = float(ordered[min(count - 1, ceil((1 - _TAIL) * (count + 1)) - 1)])
    if 1 < count < _ENOUGH:
        spread = float(student.ppf(1 - _TAIL, count - 1) * ordered.std(ddof=1) * sqrt(1 + 1 / count))
        mean = float(ordered.mean())
        low, high = min(low, mean - spread), max(high, mean + spread)
    return ErrorBand(min(0.0, low), max(0.0, high), count, reach)


def widest(bands: Sequence[ErrorBand]) -> ErrorBand:
    """At the reach of the nearest, as wide for each doubling as any of several, and both ways.

    Errors beyond what was run have one cause, so that their sign in a test says nothing about the next one's.
    """
    reach = min(band.reach for band in bands)
    off = max(max(-band.low, band.high) * reach / band.reach for band in bands)
    return ErrorBand(-off, off, sum(band.runs for band in bands), reach)
