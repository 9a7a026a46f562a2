"""The region of an array that a block stages in shared memory: a box, and how often it is copied (Resios 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.placement.walk import evaluate_known
from warplens.analysis.gpu.staging.bank_conflicts import StagedBox
from warplens.analysis.gpu.staging.box_movement import (
    box_moves,
    main_access,
    moved_alike,
    moving_loops,
    read_only_arrays,
)
from warplens.analysis.gpu.staging.collected_arrays import collected_arrays
from warplens.analysis.gpu.staging.staged_copy import BoxMove, StagedCopy, StagedRows, staged_copy, staged_rows
from warplens.analysis.gpu.staging.tile_padding import padded
from warplens.analysis.ir.ids import NodeId

MOST_TILE_BYTES = 48 * 1024
"""Of a block's arrays in shared memory that have a constant size, as those of a port have.

Source: CUDA C++ Programming Guide, Shared Memory.
"""


def room_bytes(gpu: Gpu) -> int:
    """Shared memory that the tiles of a block may take together."""
    return min(gpu.occupancy.shared_per_block_bytes, MOST_TILE_BYTES)


@dataclass(frozen=True, slots=True, eq=False)
class StagedRegion:
    """Box of elements that blocks read between two stagings, or write once, and what one copy of it takes a block.

    Parts that blocks move differently (the rows of `a[i][k]` and `a[j][k]`) stand one after the other in it. Where that
    is so in several dimensions the box has more than is read.
    Shape: `stagings` (tiles,).
    """

    box: StagedBox
    stagings: Column
    rows: StagedRows
    copy: StagedCopy

    @property
    def accesses(self) -> tuple[AccessFacts, ...]:
        """The accesses that find their elements in it."""
        return self.box.accesses

    @property
    def is_written(self) -> bool:
        """Whether blocks write it back, instead of filling it."""
        return any(facts.is_write for facts in self.box.accesses)

    @property
    def elements(self) -> Column:
        """Elements that one staging moves."""
        elements: Column = self.box.widths.prod(axis=1)
        return elements

    @property
    def moved_bytes(self) -> Column:
        """What one staging moves."""
        moved: Column = self.elements * self.box.element_bytes
        return moved

    @property
    def size_bytes(self) -> Column:
        """Shared memory that a block needs for it, its padding included."""
        size: Column = self.box.padded_widths.prod(axis=1) * self.box.element_bytes
        return size

    def take(self, rows: Integers) -> StagedRegion:
        """Return the region in some of the tiles, in that order."""
        return replace(
            self,
            box=self.box.take(rows),
            stagings=self.stagings[rows],
            rows=self.rows.take(rows),
            copy=self.copy.take(rows),
        )


def stageable_arrays(sized: SizedKernel) -> dict[str, tuple[AccessFacts, ...]]:
    """The accesses to each array that blocks may keep a part of: those that are only read, and those they collect."""
    if sized.kernel.is_one_each:
        return {}
    return read_only_arrays(sized.kernel) | sized.shared(collected_arrays)


def staged_regions(sized: SizedKernel, arrays: Sequence[str], tiles: Tiles, gpu: Gpu) -> dict[str, StagedRegion]:
    """Regions of those of `arrays` that blocks can stage; raises KeyError for a parameter without value."""
    known = stageable_arrays(sized)
    regions = {array: _region(known[array], sized, tiles, gpu) for array in arrays if array in known}
    return {array: region for array, region in regions.items() if region is not None}


def _region(accesses: tuple[AccessFacts, ...], sized: SizedKernel, tiles: Tiles, gpu: Gpu) -> StagedRegion | None:
    kernel, trips, sizes = sized.kernel, sized.trips, sized.sizes
    box = None if any(f.is_gathered or f.is_approximate for f in accesses) else box_moves(accesses, kernel, sizes)
    if box is None:
        return None
    main = main_access(accesses)
    path = [loop for loop in main.loops if loop in trips]
    chunk = tiles.block[:, 0].astype(np.float64)
    counts = {loop: np.minimum(float(ceil(trips[loop])), chunk) for loop in path}
    covered = np.minimum(np.array(tiles.iterations, dtype=np.float64), tiles.tile)
    counts |= {loop: covered[:, axis] for axis, loop in enumerate(kernel.thread_order)}
    known = [evaluate_known(extent, sizes) for _, extent in zip(box, accesses[0].access.extents, strict=False)]
    groups = [moved_alike(moves, kernel) for moves in box]
    widths = [_width(moves, counts, extent, len(chunk)) for moves, extent in zip(groups, known, strict=False)]
    moving = moving_loops(accesses)
    if not kernel.apart.isdisjoint(loop for loop in path if loop in moving):
        return None  # a tile is filled where all threads of a block wait for each other
    stagings = _stagings(path, moving, chunk, trips)
    steps = {loop: tiles.tile[:, axis] for axis, loop in enumerate(kernel.thread_order)}
    # A chunk's step is a multiple of the box of a loop that it covers whole: 0 as far as its addresses go.
    steps |= {loop: np.where(trips[loop] > chunk, tiles.block[:, 0], 0) for loop in path if loop in moving}
    element_bytes = main.access.element_bytes
    rows = staged_rows(box, widths, known, steps, element_bytes)
    in_shared = padded(StagedBox.unpadded(accesses, np.stack(widths).T, element_bytes), sized, tiles, gpu.shared)
    threads = tiles.block.prod(axis=1).astype(np.float64)
    copy = staged_copy(in_shared.widths.prod(axis=1) * element_bytes, rows, element_bytes, threads, gpu)
    return StagedRegion(in_shared, stagings, rows, copy)


def _stagings(
    path: Sequence[NodeId], moving: frozenset[NodeId], chunk: Column, trips: Mapping[NodeId, float]
) -> Column:
    """How often a block fills the region: per chunk of the loops that are cut, per iteration of those outside them."""
    stagings = np.ones_like(chunk)
    inside_is_cut = np.zeros(len(chunk), dtype=np.bool_)
    for loop in reversed(path):
        if loop in moving:
            is_cut = trips[loop] > chunk
            stagings = np.where(is_cut, stagings * np.ceil(trips[loop] / chunk), stagings)
            inside_is_cut = inside_is_cut | is_cut
        else:
            stagings = np.where(inside_is_cut, stagings * trips[loop], stagings)
    return stagings


def _width(
    groups: Sequence[Sequence[BoxMove]], counts: Mapping[NodeId, Column], extent: int | None, tiles: int
) -> Column:
    """Width of the box in one dimension, in elements: of those that blocks move differently, one after the other."""
    width: Column = np.zeros(tiles)
    for moves in groups:
        low: Column = np.full(tiles, np.inf)
        high: Column = np.full(tiles, -np.inf)
        for box in moves:
            first = last = np.full(tiles, float(box.start - moves[0].start))
            for loop, move in box.moves.items():
                span = float(move) * (counts[loop] - 1) if loop in counts else np.zeros(tiles)
                first, last = first + np.minimum(0.0, span), last + np.maximum(0.0, span)
            low, high = np.minimum(low, first), np.maximum(high, last)
        width = width + high - low + 1
    return width if extent is None else np.minimum(width, float(max(1, extent)))
