"""How a warp's addresses lie in a line: distributions over all that moves them, as characteristic functions.

A move of `count` steps has that of a geometric sum, moves that do not depend on each other have the product, and the
average of anything over the distribution is a sum over frequencies (Parseval).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import gcd, isinf

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.requests.coalescing import Move
from warplens.analysis.ir.ids import NodeId

Spectrum = NDArray[np.complex128]
"""Shape (launches or 1, bins // 2 + 1)."""

_MANY = 2.0**52
"""More steps than that are as evenly spread as doubles can tell."""


def average_over_alignments(per_shift: NDArray[np.float64], tiles: Tiles, spectrum: Spectrum) -> Column:
    """Average per tile of what each shape touches at each shift.

    Shape: `per_shift` (shapes, bins), a bin being as many bytes as in the spectrum.
    """
    bins = per_shift.shape[1]
    touched = np.conj(np.fft.rfft(per_shift, axis=1)) / bins
    # The other half of the frequencies are the complex conjugates of these.
    touched[:, 1 : (bins + 1) // 2] *= 2
    average: Column = np.einsum("tf,tf->t", *np.broadcast_arrays(spectrum, touched[tiles.shape_of_tile])).real
    return average


def alignment_spectrum(
    fixed: Sequence[Move],
    strides: Mapping[NodeId, int | None],
    axes: Sequence[NodeId],
    tiles: Tiles,
    line_bytes: int,
    element_bytes: int,
) -> tuple[int, Spectrum | None]:
    """Bytes of a bin, and the distribution of a warp's address modulo a line; None where nothing shifts it.

    `fixed` are moves that all launches have in common, the others are those of blocks, outputs and warps along `axes`.
    Equation: the circular convolution of each move's {step · t mod line | t < count}: the moves are independent.
    Assumes: a step that is not known reaches every alignment of the element equally often.
    """
    fixed = [move for move in fixed if move.count > 1 or move.step_bytes is None]
    moved = [move.step_bytes for move in fixed] + [strides.get(loop, 0) for loop in axes]
    unit = gcd(line_bytes, *(element_bytes if step is None else step for step in moved))
    bins = line_bytes // unit
    if bins == 1:
        return line_bytes, None
    roots = np.exp(-2j * np.pi * np.arange(bins) / bins)
    spectrum: Spectrum | None = None
    for move in fixed:
        step, count = _step_and_count(move, unit, bins, element_bytes)
        spectrum = _times(spectrum, _geometric(np.array([step]), np.array([count]), roots))
    lanes_left = np.full(len(tiles.block), tiles.rows.active.shape[1])
    for axis, loop in enumerate(axes):
        size = tiles.block[:, axis]
        covered = np.minimum(size, lanes_left)
        stride = strides.get(loop, 0)
        if stride is None:
            # A step that is not known reaches every alignment, however often it is taken.
            step, count = _step_and_count(Move(None, 1.0), unit, bins, element_bytes)
            spectrum = _times(spectrum, _geometric(np.array([step]), np.array([count]), roots))
        elif stride != 0:
            first, which = distinct_rows([size, tiles.outputs[:, axis], covered, tiles.has_one_row.astype(np.int64)])
            along = _along_axis(stride, axis, tiles, first, covered[first], unit, roots)
            if along is not None:
                spectrum = _times(spectrum, along[which])
        lanes_left = np.maximum(1, lanes_left // size)
    return unit, spectrum


def _step_and_count(move: Move, unit: int, bins: int, element_bytes: int) -> tuple[int, float]:
    """Step in bins; a move of unknown or endless steps reaches every alignment that it can equally often."""
    step = (element_bytes if move.step_bytes is None else move.step_bytes) // unit % bins
    if move.step_bytes is None or isinf(move.count):
        return step, float(bins // gcd(step, bins))
    return step, min(float(move.count), _MANY)


def _along_axis(
    stride: int,
    axis: int,
    tiles: Tiles,
    chosen: Integers,
    covered: Integers,
    unit: int,
    roots: Spectrum,
) -> Spectrum | None:
    """Moves along one axis: a thread's outputs, blocks, and warps of a block that one row stands for."""
    bins = len(roots)
    size, outputs, step = tiles.block[chosen, axis], tiles.outputs[chosen, axis], tiles.steps[chosen, axis]
    warps = np.where(tiles.has_one_row[chosen], size // covered, 1)
    moves = (
        (size if axis == 0 else np.ones_like(size), outputs),
        (size * outputs, tiles.blocks[chosen, axis]),
        (covered * step, warps),
    )
    result: Spectrum | None = None
    for steps, counts in moves:
        each, often = stride // unit % bins * steps % bins, np.minimum(counts, _MANY)
        if ((each > 0) & (often > 1)).any():
            result = _times(result, _geometric(each, often, roots))
    return result


def _times(spectrum: Spectrum | None, other: Spectrum) -> Spectrum:
    return other if spectrum is None else spectrum * other


def _geometric(step: Integers, counts: NDArray[np.float64] | Integers, roots: Spectrum) -> Spectrum:
    """Average of q^t over t < count, with q the root of unity by which a step turns each frequency."""
    bins = len(roots)
    turn = step[:, None] * np.arange(bins // 2 + 1) % bins
    number = np.maximum(1.0, np.ceil(counts))[:, None]
    end = turn * np.mod(number, bins).astype(np.int64) % bins
    average: Spectrum = np.ones(turn.shape, dtype=np.complex128)
    np.divide(1.0 - roots[end], number * (1.0 - roots[turn]), out=average, where=turn != 0)
    return average
