"""What one warp's request touches: the address instantiated over its threads (Resios ch. 6)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, gcd, isinf

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.machine.gpu import Cache
from warplens.analysis.gpu.placement.warp_lanes import Lanes
from warplens.analysis.gpu.requests.coalescing import Move


@dataclass(frozen=True, slots=True)
class WarpRequest:
    """One request of a warp, averaged over warps and alignments.

    `sectors` and `lines` are distinct ones touched; `ideal_sectors` would hold the same distinct elements packed.
    `broadcast`: all active lanes read one address.
    """

    sectors: float
    lines: float
    ideal_sectors: float
    broadcast: bool


@dataclass(frozen=True, slots=True)
class Alignments:
    """Shifts of a warp's addresses within a line, and how often each occurs (weights sum to 1)."""

    shifts_bytes: NDArray[np.int64]
    weights: NDArray[np.float64]


def alignments(moves: Iterable[Move], line_bytes: int, element_bytes: int) -> Alignments:
    """Distribution of a warp's address modulo a line over all that moves it.

    Equation: the circular convolution of each move's {step · t mod line | t < count}: the moves are independent.
    Assumes: a step that is not known reaches every alignment of the element equally often.

    >>> alignments([Move(4096, 8), Move(32, 1000)], 128, 4).shifts_bytes
    array([ 0, 32, 64, 96])
    """
    weights = np.zeros(line_bytes)
    weights[0] = 1.0
    for move in moves:
        step = (element_bytes if move.step_bytes is None else move.step_bytes) % line_bytes
        if not step:
            continue
        period = line_bytes // gcd(step, line_bytes)
        count = period if move.step_bytes is None or isinf(move.count) else ceil(move.count)
        if count <= 1:
            continue
        cycles, rest = divmod(count, period)
        at = step * np.arange(period, dtype=np.int64) % line_bytes
        reached = np.zeros(line_bytes)
        reached[at] = cycles / count
        reached[at[:rest]] += 1 / count
        shifts = np.flatnonzero(reached)
        weights = (reached[shifts, None] * weights[np.arange(line_bytes) - shifts[:, None]]).sum(axis=0)
    shifts = np.flatnonzero(weights)
    return Alignments(shifts, weights[shifts])


def warp_request(
    addresses: Lanes, active: NDArray[np.bool_], size_bytes: int, cache: Cache, aligned: Alignments
) -> WarpRequest:
    """Sectors and lines that the warps touch with `size_bytes` per lane, averaged over warps and alignments.

    Units: bytes from the array's base, which is aligned to a line (cudaMalloc aligns to 256 bytes).
    Source: Resios ch. 6 (distinct lines); CUDA C++ Programming Guide, Global Memory (32-byte sectors).
    Assumes: an inactive lane touches nothing; warps without an active lane are left out.
    """
    used = active.any(axis=1)
    if not used.all():
        if not used.any():
            return WarpRequest(0.0, 0.0, 0.0, broadcast=False)
        addresses, active = addresses[used], active[used]
    first = addresses
    if not active.all():
        first_active = addresses[np.arange(len(addresses)), active.argmax(axis=1)]
        first = np.where(active, addresses, first_active[:, None])
    ends = (first,) if size_bytes <= 1 else (first, first + (size_bytes - 1))
    touched = np.concatenate(ends, axis=1)[None, :, :] + aligned.shifts_bytes[:, None, None]
    distinct = _distinct(first)
    ideal = np.ceil(distinct * size_bytes / cache.sector_bytes)
    return WarpRequest(
        sectors=_average(aligned, _distinct(touched // cache.sector_bytes)),
        lines=_average(aligned, _distinct(touched // cache.line_bytes)),
        ideal_sectors=float(ideal.sum()) / len(ideal),
        broadcast=bool((distinct == 1).all()),
    )


def _distinct(values: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of different values along the last axis."""
    ordered = np.sort(values, axis=-1)
    distinct: NDArray[np.int64] = 1 + (ordered[..., 1:] != ordered[..., :-1]).sum(axis=-1, dtype=np.int64)
    return distinct


def _average(aligned: Alignments, counts: NDArray[np.int64]) -> float:
    """Over alignments (weighted) and warps; rounded, so that weights that sum to 1 - 1e-16 don't show."""
    return round(float(aligned.weights @ counts.sum(axis=1) / counts.shape[1]), 9)
