"""How much must be on its way to saturate memory: bandwidth rises with the bytes in flight up to a plateau."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.hwprofiles.calibrate.fits.residual import Residual, relative_residual

_RISING = 0.5
_FLAT = 0.95


@dataclass(frozen=True, slots=True)
class Saturation:
    """`knee` in the unit of the points' x: where the rising line meets `peak`; `curve` holds both lines' minimum."""

    peak: float
    knee: float
    residual: Residual
    curve: tuple[tuple[float, float], ...]


def saturation(in_flight: Sequence[float], bandwidths: Sequence[float]) -> Saturation:
    """Fit min(slope · x, peak): slope of the points below half of the peak, by relative least squares.

    Source: Little's law; the knee is what Resios' max_p of eq. 4.6 stands for. Raises ValueError where no point is in
    the rising part, or only the last one on the plateau.

    >>> saturation((1, 2, 4, 8, 16, 32), (10, 20, 40, 80, 100, 100)).knee
    10.0
    """
    order = np.argsort(np.asarray(in_flight, dtype=float), kind="stable")
    x, y = np.asarray(in_flight, dtype=float)[order], np.asarray(bandwidths, dtype=float)[order]
    peak = float(y.max()) if y.size else 0.0
    rising = y < _RISING * peak
    if not rising.any() or np.count_nonzero(y >= _FLAT * peak) < 2:
        raise ValueError("no rise up to a plateau was seen")
    slope = float(np.mean(y[rising] / x[rising]))
    fitted = np.minimum(slope * x, peak)
    curve = tuple(zip(map(float, x), map(float, fitted), strict=True))
    return Saturation(peak, peak / slope, relative_residual(y, fitted), curve)
