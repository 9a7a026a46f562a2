"""Block shapes with their outputs per thread as columns: what each covers of the grid, and the warps it is made of."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.extent import Extent
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Flags, Launches, Table, take_rows
from warplens.analysis.gpu.mapping import Lanes, iterator_values
from warplens.analysis.gpu.waves import threads_extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.work.kernels.work_per_thread import times_run

LARGEST_EXTENT = 2**62
"""Grids are cut here: coordinates are 64-bit integers."""


@dataclass(frozen=True, slots=True, eq=False)
class WarpRows:
    """Warps of several block shapes, a row each; those of a shape that are alike up to a shift are one row.

    Shape: `shape_of_row` (rows,) increasing; `first_row` (shapes,); `iterations` (3, rows, lanes) along x, y, z of each
    thread's first output; `active` (rows, lanes).
    """

    shape_of_row: Integers
    first_row: Integers
    iterations: Lanes
    active: Flags

    @property
    def used(self) -> Integers:
        """Rows of each shape with an active lane."""
        return np.add.reduceat(self.active.any(axis=1).astype(np.int64), self.first_row)

    def values(self, kernel: Kernel, sizes: Mapping[str, int]) -> dict[str, Lanes]:
        """Grid iterators for each lane."""
        return iterator_values(kernel, self.iterations, sizes)


@dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """`waves.Placement` of several launches.

    Shape: `block`, `outputs`, `tile`, `steps` (tiles, 3) integers, `blocks` (tiles, 3); `iterations` are the grid's.
    `rows` are the warps of the `shape_of_tile` (tiles,) that tiles have in common; `warps` (tiles,) of the first block
    have a thread in the grid, `has_one_row` says that one row stands for all warps of a block.
    """

    iterations: Extent
    block: Integers
    outputs: Integers
    blocks: NDArray[np.float64]
    rows: WarpRows
    shape_of_tile: Integers
    warps: Integers
    has_one_row: Flags

    @property
    def tile(self) -> Integers:
        """Iterations along x, y, z that a block covers."""
        return self.block * self.outputs

    @property
    def steps(self) -> Integers:
        """Iterations along x, y, z between neighbouring threads."""
        return output_steps(self.outputs)

    def warp_extent(self, warp_size: int) -> Table:
        """Iterations along x, y, z that the first warp of a block covers (`Placement.warp_counts`)."""
        lanes_left = np.full(len(self.block), warp_size)
        covered = np.ones_like(self.block)
        for axis in range(3):
            covered[:, axis] = np.minimum(self.block[:, axis], lanes_left)
            lanes_left = np.maximum(1, lanes_left // self.block[:, axis])
        extent: Table = np.minimum(np.array(self.iterations, dtype=np.float64), covered * self.outputs)
        return extent

    @property
    def filled_blocks(self) -> Column:
        """Blocks of the grid, the last one along each axis by the share of it that lies inside; at least 1."""
        filled: Column = np.maximum(1.0, np.array(self.iterations, dtype=np.float64) / self.tile).prod(axis=1)
        return filled

    def copies_along(self, axes: Sequence[NodeId], variation: Variation) -> Column:
        """How often a thread of a full block runs what varies so along these loops (`Placement.full_copies`)."""
        blocks = np.ceil(np.array(self.iterations, dtype=np.float64) / self.block)
        full = np.minimum(self.outputs, np.maximum(1.0, blocks))
        return times_run(variation, axes, list(full.T), np.ones(len(full)))

    def outputs_run(self) -> NDArray[np.float64]:
        """Outputs along x, y, z that a warp runs on average (`waves.outputs_run`)."""
        wanted = np.ceil(np.array(self.iterations, dtype=np.float64) / self.block)
        return np.divide(wanted, self.blocks, out=np.ones_like(wanted), where=self.blocks > 0)

    def working_threads(self) -> Column:
        """Threads with an iteration to run (`waves.working_threads`)."""
        iterations = np.array(self.iterations, dtype=np.float64)
        along = np.ceil(iterations / self.outputs)
        tile = self.tile[:, 0]
        whole = np.floor(iterations[0] / tile)
        round_robin = whole * self.block[:, 0] + np.minimum(self.block[:, 0], iterations[0] - whole * tile)
        along[:, 0] = np.where(self.outputs[:, 0] == 1, along[:, 0], round_robin)
        working: Column = along.prod(axis=1)
        return working


def tiles_of_launches(kernel: Kernel, launches: Launches, sizes: Mapping[str, int], gpu: Gpu) -> tuple[Tiles, Integers]:
    """Place the different blocks and outputs of launches in the grid, and say which of them a launch has."""
    first, tile = distinct_rows([*launches.block.T, *launches.outputs_per_thread.T])
    block, outputs = take_rows(launches.block, first), take_rows(launches.outputs_per_thread, first)
    return tiles_of(block, outputs, threads_extent(kernel, sizes), gpu.warp_size_threads), tile


def tiles_of(block: Integers, outputs: Integers, iterations: Extent, warp_size: int) -> Tiles:
    """Place block shapes with outputs per thread in a grid of `iterations`.

    Source and rules: `waves.place_threads` and `mapping.warp_lanes`.
    """
    extents = np.array([min(count, LARGEST_EXTENT) for count in iterations], dtype=np.int64)
    threads = -(-extents // output_steps(outputs))
    alike = _alike(block, threads, warp_size)
    # Of shapes whose warps are alike the first warp stands for all: its lanes do not depend on what follows.
    lanes_left = np.full(len(block), warp_size)
    first_warp = np.ones_like(block)
    for axis in range(3):
        first_warp[:, axis] = np.minimum(block[:, axis], lanes_left)
        lanes_left = np.maximum(1, lanes_left // block[:, axis])
    shape = np.where(alike[:, None], first_warp, block)
    steps = np.where(alike[:, None] & (shape == 1), 1, output_steps(outputs))
    first, which = distinct_rows([*shape.T, *steps.T[1:], alike.astype(np.int64)])
    within = np.where(alike[first, None], shape[first], threads[first])
    rows = _warp_rows(shape[first], steps[first], within, warp_size)
    whole = -(-block.prod(axis=1) // warp_size)
    number_of_rows = np.bincount(rows.shape_of_row, minlength=len(first))[which]
    return Tiles(
        iterations,
        block,
        outputs,
        np.ceil(np.array(iterations, dtype=np.float64) / (block * outputs)),
        rows,
        which,
        np.where(number_of_rows < whole, whole, rows.used[which]),
        number_of_rows == 1,
    )


def output_steps(outputs: Integers) -> Integers:
    """Iterations between neighbouring threads: side by side along x, past a thread's outputs along y and z."""
    steps = outputs.copy()
    steps[:, 0] = 1
    return steps


def _warp_rows(shapes: Integers, steps: Integers, threads: Integers, warp_size: int) -> WarpRows:
    per_block = shapes.prod(axis=1)
    rows = np.maximum(1, -(-per_block // warp_size))
    first_row = np.cumsum(rows) - rows
    of_row = np.repeat(np.arange(len(shapes)), rows)
    warp = np.arange(len(of_row)) - first_row[of_row]
    thread = warp[:, None] * warp_size + np.arange(warp_size, dtype=np.int64)
    rest, x = np.divmod(thread, shapes[of_row, 0, None])
    z, y = np.divmod(rest, shapes[of_row, 1, None])
    coordinates = np.stack((x, y, z))
    active = thread < per_block[of_row, None]
    for axis in range(3):
        active &= coordinates[axis] < threads[of_row, axis, None]
    return WarpRows(of_row, first_row, coordinates * steps.T[:, of_row, None], active)


def _alike(block: Integers, threads: Integers, warp_size: int) -> Flags:
    """Whether all warps of a shape are alike up to a shift (`mapping.warp_lanes`)."""
    x, y, z = block.T
    plane = x * y
    planes_fill_warps = (warp_size % plane == 0) & (plane * z % warp_size == 0)
    rows_fill_warps = (warp_size % x == 0) & ((plane % warp_size == 0) | planes_fill_warps)
    alike: Flags = (threads >= block).all(axis=1) & ((x % warp_size == 0) | rows_fill_warps)
    return alike
