"""How a block copies a region to shared memory: its warps' requests, and the lines and sectors that these touch.

A region is a box of an array: rows of neighbouring elements, a pitch apart in memory. Threads copy it in its own order,
one each, so that a warp's request covers several rows when these are shorter than a warp, with a line in each.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launch import SharedChoice
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.ir.ids import NodeId

BASE_ALIGNMENT_BYTES = 256
"""An array starts at a multiple of it (CUDA C++ Programming Guide, Device Memory Accesses: at least 256 bytes)."""

_MANY_BYTES = 2.0**40
"""Larger regions fit no shared memory: they are counted as this large, which whole numbers hold."""


@dataclass(frozen=True, slots=True)
class BoxMove:
    """Where an access starts in one dimension of its array, and by how many elements each loop moves it there."""

    start: int
    moves: Mapping[NodeId, int]


@dataclass(frozen=True, slots=True, eq=False)
class StagedRows:
    """Bytes of a region that follow each other in memory, and what the address of each such row is a multiple of."""

    row_bytes: Column
    alignment_bytes: Integers

    def take(self, rows: Integers) -> StagedRows:
        """Return those of some regions, in that order."""
        return StagedRows(self.row_bytes[rows], self.alignment_bytes[rows])


@dataclass(frozen=True, slots=True, eq=False)
class StagedCopy:
    """One filling of a region by a block: warp-wide requests, and the lines and sectors that all of them touch."""

    requests: Column
    lines: Column
    sectors: Column

    def take(self, rows: Integers) -> StagedCopy:
        """Return those of some regions, in that order."""
        return StagedCopy(self.requests[rows], self.lines[rows], self.sectors[rows])


def staged_rows(
    moves: Sequence[Sequence[BoxMove]],
    widths: Sequence[Column],
    extents: Sequence[int | None],
    steps: Mapping[NodeId, Integers],
    element_bytes: int,
) -> StagedRows:
    """Rows of the boxes of `widths` elements, outermost dimension first; a column for each width and step.

    `moves` are, per dimension, those of all accesses; `steps` how many iterations of a loop lie between two boxes,
    without (or 0 for) loops that a box covers. Dimensions that a box
    spans from end to end lie in one piece, and the next one prolongs the row.
    Assumes: where the extent of a dimension is not known, rows start at any element.
    """
    number = len(widths[0])
    row: Column = np.full(number, float(element_bytes))
    alignment: Integers = np.full(number, BASE_ALIGNMENT_BYTES, dtype=np.int64)
    in_one_piece = np.ones(number, dtype=np.bool_)
    pitch = element_bytes
    for dimension in reversed(range(len(widths))):
        width, extent = widths[dimension], extents[dimension]
        row = np.where(in_one_piece, row * width, row)
        ends = in_one_piece & (True if extent is None else width < extent)
        alignment = np.where(ends, np.gcd(alignment, _starts(moves[dimension], steps, pitch, number)), alignment)
        pitch = element_bytes if extent is None else pitch * extent
        if dimension:
            alignment = np.where(ends, np.gcd(alignment, pitch % BASE_ALIGNMENT_BYTES), alignment)
        in_one_piece = in_one_piece & ~ends
    return StagedRows(row, alignment)


def _starts(moves: Sequence[BoxMove], steps: Mapping[NodeId, Integers], pitch: int, number: int) -> Integers:
    """What the places are multiples of where boxes start along one dimension, in bytes; 0 where all start at 0."""
    common: Integers = np.zeros(number, dtype=np.int64)
    for box in moves:
        common = np.gcd(common, box.start * pitch % BASE_ALIGNMENT_BYTES)
        for loop, move in box.moves.items():
            step = move * pitch % BASE_ALIGNMENT_BYTES
            if move < 0:
                common = np.gcd(common, step)
            elif loop in steps:
                common = np.gcd(common, step * (steps[loop] % BASE_ALIGNMENT_BYTES))
    return common


def staged_copy(size_bytes: Column, rows: StagedRows, element_bytes: int, threads: Column, gpu: Gpu) -> StagedCopy:
    """What one filling takes of a block of so many threads.

    A block of fewer threads than a warp makes a request for every copy of its threads. Each row touches the lines that
    it spans; a request that ends within a row, and not between two lines, touches a line that the next one does too.
    Assumes: threads copy an element each, in the order of the region; rows start at each multiple of
    their alignment equally often.
    """
    size = np.minimum(size_bytes, _MANY_BYTES)
    row = np.minimum(rows.row_bytes, size)
    warp_bytes = float(gpu.warp_size_threads * element_bytes)
    lanes_bytes = np.minimum(warp_bytes, threads * element_bytes)
    rounds = np.floor(size / (threads * element_bytes))
    rest = np.ceil((size - rounds * threads * element_bytes) / warp_bytes)
    requests = rounds * np.ceil(threads / gpu.warp_size_threads) + rest
    both = np.lcm(row.astype(np.int64), lanes_bytes.astype(np.int64))
    within_rows = np.maximum(0.0, requests - np.ceil(size / both))
    cut_alignment = np.gcd(np.gcd(rows.alignment_bytes, row.astype(np.int64)), lanes_bytes.astype(np.int64))

    def touched(granule_bytes: int) -> Column:
        start = np.gcd(rows.alignment_bytes, granule_bytes)
        spanned = 1 + (np.ceil(row / start) * start - start) / granule_bytes
        shared = 1 - np.gcd(cut_alignment, granule_bytes) / granule_bytes
        pieces: Column = size / row * spanned + within_rows * shared
        return pieces

    return StagedCopy(requests, touched(gpu.l1.line_bytes), touched(gpu.l2.sector_bytes))


def copy_of_choice(choice: SharedChoice, threads: int, gpu: Gpu) -> StagedCopy:
    """What one filling of what a launch stages takes of a block of so many threads, in one row."""
    row_bytes = choice.moved_bytes if choice.row_bytes is None else choice.row_bytes
    rows = StagedRows(np.array([float(row_bytes)]), np.array([choice.alignment_bytes]))
    return staged_copy(
        np.array([float(choice.moved_bytes)]), rows, choice.element_bytes, np.array([float(threads)]), gpu
    )
