"""Throughput of an SM: the rate rises with the warps on it up to a plateau; and how many warps reach that."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.hwprofiles.calibrate.fits.residual import Residual, relative_residual

_WITHIN = 0.05


@dataclass(frozen=True, slots=True)
class Plateau:
    """`rate` in the unit of the points; `residual` and the flat `curve` are of the points from `warps_to_peak` on."""

    rate: float
    warps_to_peak: float
    residual: Residual
    curve: tuple[tuple[float, float], ...]


def plateau(warps_per_sm: Sequence[float], rates: Sequence[float]) -> Plateau:
    """Take the largest rate, and the fewest warps within 5 % of it; raises ValueError for fewer than two points.

    >>> plateau((1, 2, 4, 8, 16), (8, 16, 31.5, 32, 32)).warps_to_peak
    4.0
    """
    if len(set(warps_per_sm)) < 2:
        raise ValueError("a plateau needs rates of two numbers of warps")
    order = np.argsort(np.asarray(warps_per_sm, dtype=float), kind="stable")
    warps, points = np.asarray(warps_per_sm, dtype=float)[order], np.asarray(rates, dtype=float)[order]
    peak = float(points.max())
    first = int(np.argmax(points >= (1 - _WITHIN) * peak))
    flat = points[first:]
    curve = tuple((float(each), peak) for each in warps[first:])
    return Plateau(peak, float(warps[first]), relative_residual(flat, np.full(flat.size, peak)), curve)
