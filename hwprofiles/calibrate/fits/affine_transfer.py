"""Latency and bandwidth of a copy: its time is latency + size / bandwidth, from sizes that span many powers of two."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.hwprofiles.calibrate.fits.residual import Residual, relative_residual


@dataclass(frozen=True, slots=True)
class AffineTransfer:
    """`curve` holds the fitted seconds at each size in bytes."""

    latency_s: float
    bandwidth_bytes_per_s: float
    residual: Residual
    curve: tuple[tuple[float, float], ...]


def affine_transfer(sizes_bytes: Sequence[float], times_s: Sequence[float]) -> AffineTransfer:
    """Least squares of relative errors, so that a small copy weighs as much as a large one.

    Raises ValueError for fewer than two sizes, times not over zero, or a latency or bandwidth that is not positive.
    """
    sizes, times = np.asarray(sizes_bytes, dtype=float), np.asarray(times_s, dtype=float)
    if len(set(sizes_bytes)) < 2 or not np.all(times > 0):
        raise ValueError("latency and bandwidth need copies of two sizes, of times over zero")
    # Sizes in units of the largest: bytes beside ones would make the columns differ by ten powers of ten.
    matrix = np.column_stack([np.ones(sizes.size), sizes / sizes.max()])
    latency, largest_s = (float(each) for each in np.linalg.lstsq(matrix / times[:, None], np.ones(times.size))[0])
    if latency <= 0 or largest_s <= 0:
        raise ValueError("the times are no latency and bandwidth over zero")
    fitted = matrix @ (latency, largest_s)
    curve = tuple(zip(map(float, sizes), map(float, fitted), strict=True))
    return AffineTransfer(latency, float(sizes.max()) / largest_s, relative_residual(times, fitted), curve)
