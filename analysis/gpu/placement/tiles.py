"""Block shapes with their outputs per thread as columns: what each covers of the grid, and the warps it is made of."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.distinct_rows import Integers, distinct_rows
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.launch.launches import Column, Flags, Launches, Table, take_rows
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.warp_lanes import Lanes, iterator_values
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.kernels.work_per_thread import times_run

LARGEST_EXTENT = 2**62
"""Grids are cut here: coordinates are 64-bit integers."""

_EXACT_IN_DOUBLE = 2**53
"""Whole numbers below are floating-point numbers, too."""


@dataclass(frozen=True, eq=False)
class WarpRows:
    """Warps of several block shapes, a row each; those of a shape that are alike up to a shift are one row.

    Shape: `shape_of_row` (rows,) increasing; `first_row` (shapes,); `iterations` (3, rows, lanes) along x, y, z of each
    thread's first output; `active` (rows, lanes).
    """

    shape_of_row: Integers
    first_row: Integers
    iterations: Lanes
    active: Flags

    @cached_property
    def is_used(self) -> Flags:
        """Whether a row has an active lane."""
        return np.asarray(self.active.any(axis=1))

    @cached_property
    def used(self) -> Integers:
        """Rows of each shape with an active lane."""
        return np.add.reduceat(self.is_used.astype(np.int64), self.first_row)

    def values(self, sized: SizedKernel) -> dict[str, Lanes]:
        """Grid iterators for each lane."""
        return iterator_values(sized.kernel, self.iterations, sized.sizes)

    def of_shape(self, shape: int) -> WarpRows:
        """Return the rows of one shape alone."""
        first, last = np.searchsorted(self.shape_of_row, [shape, shape + 1])
        number = np.zeros(last - first, dtype=np.int64)
        return WarpRows(number, number[:1], self.iterations[:, first:last], self.active[first:last])


@dataclass(frozen=True, slots=True, eq=False)
class Tiles:
    """Where the threads of launches are: the iterations that blocks cover, and the warps that they are made of.

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

    def take(self, rows: Integers) -> Tiles:
        """Return some of the tiles, in that order."""
        return replace(
            self,
            block=take_rows(self.block, rows),
            outputs=take_rows(self.outputs, rows),
            blocks=take_rows(self.blocks, rows),
            shape_of_tile=self.shape_of_tile[rows],
            warps=self.warps[rows],
            has_one_row=self.has_one_row[rows],
        )

    def warp_extent(self, warp_size: int) -> Table:
        """Iterations along x, y, z that the first warp of a block covers, its threads' outputs included."""
        lanes_left = np.full(len(self.block), warp_size)
        covered = np.ones_like(self.block)
        for axis in range(3):
            covered[:, axis] = np.minimum(self.block[:, axis], lanes_left)
            lanes_left = np.maximum(1, lanes_left // self.block[:, axis])
        extent: Table = np.minimum(np.array(self.iterations, dtype=np.float64), covered * self.outputs)
        return extent

    def waves_of(self, wave_blocks: Integers) -> Column:
        """Waves of the grid's blocks, so many at a time for each tile; at least 1."""
        blocks = self.blocks.prod(axis=1)
        if prod(self.iterations) >= _EXACT_IN_DOUBLE:
            blocks = (-(-np.array(self.iterations, dtype=object) // self.tile)).prod(axis=1)
        waves: Column = np.maximum(1.0, (blocks / wave_blocks).astype(np.float64))
        return waves

    @property
    def filled_blocks(self) -> Column:
        """Blocks of the grid, the last one along each axis by the share of it that lies inside; at least 1."""
        iterations = np.array(self.iterations, dtype=np.int64 if max(self.iterations) < _EXACT_IN_DOUBLE else object)
        filled: Column = np.maximum(1.0, (iterations / self.tile).astype(np.float64)).prod(axis=1)
        return filled

    def copies_along(self, axes: Sequence[NodeId], variation: Variation) -> Column:
        """How often a thread of a full block runs what varies so along these loops."""
        blocks = _pieces(self.iterations, self.block)
        full = np.minimum(self.outputs, np.maximum(1.0, blocks))
        return times_run(variation, axes, list(full.T), np.ones(len(full)))

    def outputs_run(self) -> NDArray[np.float64]:
        """Outputs along x, y, z that a warp with work runs on average (`grid_extents.outputs_run`)."""
        wanted, threads = _pieces(self.iterations, self.block), _pieces(self.iterations, self.outputs)
        run = np.divide(wanted, self.blocks, out=np.ones_like(wanted), where=self.blocks > 0)
        iterations = np.broadcast_to(np.array(self.iterations, dtype=np.float64), threads.shape)
        side_by_side = np.divide(iterations, threads, out=np.ones_like(threads), where=threads > 0)
        run[:, 1:] = side_by_side[:, 1:]
        return run

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


def tiles_of_launches(sized: SizedKernel, launches: Launches, gpu: Gpu) -> tuple[Tiles, Integers]:
    """Place the different blocks and outputs of launches in the grid, and say which of them a launch has."""
    first, tile = distinct_rows([*launches.block.T, *launches.outputs_per_thread.T])
    block, outputs = take_rows(launches.block, first), take_rows(launches.outputs_per_thread, first)
    return tiles_of(block, outputs, sized.iterations, gpu.warp_size_threads), tile


def tiles_of(block: Integers, outputs: Integers, iterations: Extent, warp_size: int) -> Tiles:
    """Place block shapes with outputs per thread in a grid of `iterations`.

    Thread id = x + bx·(y + by·z), 32 in a row are a warp. A lane is inactive past the block's last thread or past the
    grid's extent (first block). Source: CUDA C++ Programming Guide, Thread Hierarchy.
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
        _pieces(iterations, block * outputs),
        rows,
        which,
        np.where(number_of_rows < whole, whole, rows.used[which]),
        number_of_rows == 1,
    )


def _pieces(iterations: Extent, size: Integers) -> NDArray[np.float64]:
    """In how many pieces of a size the grid is cut along x, y, z: counted in whole numbers."""
    whole = np.array(iterations, dtype=np.int64 if max(iterations) <= LARGEST_EXTENT else object)
    pieces: NDArray[np.float64] = (-(-whole // size)).astype(np.float64)
    return pieces


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
    """Whether all warps of a shape are alike up to a shift: x a multiple of the warp, or the warp one of the plane."""
    x, y, z = block.T
    plane = x * y
    planes_fill_warps = (warp_size % plane == 0) & (plane * z % warp_size == 0)
    rows_fill_warps = (warp_size % x == 0) & ((plane % warp_size == 0) | planes_fill_warps)
    alike: Flags = (threads >= block).all(axis=1) & ((x % warp_size == 0) | rows_fill_warps)
    return alike
