"""How far measured points lie from a fitted curve, relative to the points."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike


@dataclass(frozen=True, slots=True)
class Residual:
    """Largest and root-mean-square distance of the points from the curve, over the points' own size."""

    largest: float
    rms: float


def relative_residual(measured: ArrayLike, fitted: ArrayLike) -> Residual:
    """Compare positive points with the curve at the same places; raises ValueError for none or for one of zero.

    >>> relative_residual([10.0, 20.0], [11.0, 20.0]).largest
    0.1
    """
    points = np.asarray(measured, dtype=float)
    if points.size == 0 or not np.all(points > 0):
        raise ValueError("a relative residual needs points over zero")
    off = np.abs(np.asarray(fitted, dtype=float) - points) / points
    return Residual(float(off.max()), float(np.sqrt(np.mean(off**2))))
