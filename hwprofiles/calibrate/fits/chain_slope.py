"""Latency of an operation: the time of a chain of them, by its number of links, is a line whose slope it is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.hwprofiles.calibrate.fits.residual import Residual, relative_residual


@dataclass(frozen=True, slots=True)
class ChainSlope:
    """`per_link` and `overhead` in the unit of the points; `curve` holds the line at each point's links."""

    per_link: float
    overhead: float
    residual: Residual
    curve: tuple[tuple[float, float], ...]


def chain_slope(links: Sequence[float], times: Sequence[float]) -> ChainSlope:
    """Least squares of a line; raises ValueError for fewer than two lengths, or a chain that longer is no slower.

    >>> round(chain_slope((64, 128, 256), (276, 532, 1044)).per_link, 6)
    4.0
    """
    if len(set(links)) < 2:
        raise ValueError("a slope needs chains of two lengths")
    matrix = np.column_stack([np.asarray(links, dtype=float), np.ones(len(links))])
    slope, overhead = (float(each) for each in np.linalg.lstsq(matrix, np.asarray(times, dtype=float), rcond=None)[0])
    if slope <= 0:
        raise ValueError("a longer chain takes no longer")
    fitted = matrix @ (slope, overhead)
    curve = tuple(zip(map(float, links), map(float, fitted), strict=True))
    return ChainSlope(slope, overhead, relative_residual(times, fitted), curve)
