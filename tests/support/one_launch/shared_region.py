"""The region of an array that a block stages in shared memory: a box, and how often it is filled (Resios 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import ceil

import numpy as np
from support.one_launch.bank_conflicts import conflict_degree
from support.one_launch.placement import place_threads
from support.one_launch.warp_lanes import first_iterations, warp_lanes
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.grid_extents import ONE_OUTPUT, threads_extent, tile_extent
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes, thread_loop_trips
from warplens.analysis.gpu.placement.warp_lanes import Lanes, iterator_values
from warplens.analysis.gpu.requests.coalescing import evaluate_lanes
from warplens.analysis.gpu.staging.box_movement import (
    box_moves,
    main_access,
    moved_alike,
    moving_loops,
    read_only_arrays,
)
from warplens.analysis.gpu.staging.collected_arrays import collected_arrays
from warplens.analysis.gpu.staging.staged_copy import BoxMove, staged_rows
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.loops.derived_symbols import Sizes


@dataclass(frozen=True, slots=True)
class Region:
    """Box of elements that the block reads between two stagings: width per dimension.

    Parts that blocks move differently (the rows of `a[i][k]` and `a[j][k]`) stand one after the other in it. Where that
    is so in several dimensions the box has more than is read.
    """

    accesses: tuple[AccessFacts, ...]
    widths: tuple[int, ...]
    element_bytes: int
    stagings: float
    row_bytes: int
    """Bytes that follow each other in the array, at addresses that are multiples of `alignment_bytes`."""
    alignment_bytes: int
    pad: int = 0
    """Elements behind each row."""

    @property
    def elements(self) -> int:
        """Elements of the box."""
        total = 1
        for width in self.widths:
            total *= width
        return total

    @property
    def size_bytes(self) -> int:
        """Shared memory that it takes."""
        return self.elements // self.widths[-1] * (self.widths[-1] + self.pad) * self.element_bytes

    @property
    def is_written(self) -> bool:
        """Whether it is copied out."""
        return self.accesses[0].is_write


def region_addresses(
    facts: AccessFacts, regions: Sequence[Region], values: Mapping[str, Lanes], sizes: Mapping[str, int]
) -> Lanes | None:
    """Byte address in the staged tile (row-major) that each lane reads or writes; None when it is in no region."""
    for region in regions:
        if facts in region.accesses:
            shape = next(iter(values.values())).shape
            total: Lanes = np.zeros(shape, dtype=np.int64)
            pitch = region.element_bytes
            widths = (*region.widths[:-1], region.widths[-1] + region.pad)
            for index, width in zip(reversed(facts.address.indices), reversed(widths), strict=True):
                if index is not None:
                    lanes = evaluate_lanes(index, values, sizes, shape)
                    total = total + (lanes - lanes.min()) * pitch
                pitch *= width
            return total + facts.access.member_offset_bytes
    return None


def shared_regions(
    kernel: Kernel, block: Extent, sizes: Mapping[str, int], outputs: Extent = ONE_OUTPUT
) -> list[Region]:
    """Regions of the arrays that the kernel only reads or that blocks collect, without padding.

    Raises KeyError for a parameter without value.

    A block covers `block` times `outputs` iterations of the grid; its x extent is the length of a chunk.
    """
    trips = thread_loop_trips(kernel, sizes)
    known = {**read_only_arrays(kernel), **collected_arrays(SizedKernel(kernel, Sizes(sizes)))}
    regions = (_region(accesses, kernel, block, outputs, trips, sizes) for accesses in known.values())
    return [region for region in regions if region is not None]


def padded_regions(
    kernel: Kernel, block: Extent, sizes: Mapping[str, int], gpu: Gpu, outputs: Extent = ONE_OUTPUT
) -> list[Region]:
    """The same, each with the smallest of the pads that have the fewest passes over its accesses."""
    place = place_threads(kernel, block, sizes, outputs)
    lanes, active = warp_lanes(block, place.threads, gpu.warp_size_threads)
    values = iterator_values(kernel, first_iterations(lanes, place.output_steps), sizes)

    def passes(region: Region) -> int:
        total = 0
        for facts in region.accesses:
            addresses = region_addresses(facts, [region], values, sizes)
            if addresses is not None:
                warps = (row[on] for row, on in zip(addresses, active, strict=True))
                size = requested_bytes(facts)
                total += sum(conflict_degree(warp, size, gpu.shared) if len(warp) else 1 for warp in warps)
        return total

    found: list[Region] = []
    for region in shared_regions(kernel, block, sizes, outputs):
        pads = range(5 if len(region.widths) > 1 else 1)
        found.append(min((replace(region, pad=pad) for pad in pads), key=passes))
    return found


def _region(
    accesses: Sequence[AccessFacts],
    kernel: Kernel,
    block: Extent,
    outputs: Extent,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
) -> Region | None:
    if any(facts.is_gathered or facts.is_approximate for facts in accesses):
        return None
    main = main_access(accesses)
    path = [loop for loop in main.loops if loop in trips]
    moving = moving_loops(accesses)
    if any(loop in kernel.apart for loop in path if loop in moving):
        return None
    chunked = [loop for loop in path if loop in moving and trips[loop] > block[0]]
    stagings = 1.0
    for loop in path[: path.index(chunked[-1]) + 1] if chunked else []:
        if loop in chunked:
            stagings *= ceil(trips[loop] / block[0])
        elif loop not in moving:
            stagings *= trips[loop]
    counts = {loop: min(ceil(trips[loop]), block[0]) for loop in path}
    counts.update(
        zip(kernel.thread_order, map(min, tile_extent(block, outputs), threads_extent(kernel, sizes)), strict=False)
    )
    box = box_moves(accesses, kernel, sizes)
    if box is None:
        return None
    groups = [moved_alike(moves, kernel) for moves in box]
    extents = accesses[0].access.extents
    known = [evaluate_known(extent, sizes) for _, extent in zip(box, extents, strict=False)]
    widths = tuple(_width(moves, counts, extent) for moves, extent in zip(groups, known, strict=False))
    steps = dict(zip(kernel.thread_order, tile_extent(block, outputs), strict=False)) | dict.fromkeys(chunked, block[0])
    rows = staged_rows(
        box,
        [np.array([float(width)]) for width in widths],
        known,
        {loop: np.array([step]) for loop, step in steps.items()},
        main.access.element_bytes,
    )
    row_bytes, alignment_bytes = int(rows.row_bytes[0]), int(rows.alignment_bytes[0])
    return Region(tuple(accesses), widths, main.access.element_bytes, stagings, row_bytes, alignment_bytes)


def _width(groups: Sequence[Sequence[BoxMove]], counts: Mapping[NodeId, int], extent: int | None) -> int:
    """Width of the box in one dimension, in elements: of those that blocks move differently, one after the other."""
    width = 0
    for moves in groups:
        lows: list[int] = []
        highs: list[int] = []
        for box in moves:
            spans = [move * (counts.get(loop, 1) - 1) for loop, move in box.moves.items()]
            lows.append(box.start + sum(min(0, span) for span in spans))
            highs.append(box.start + sum(max(0, span) for span in spans))
        width += max(highs) - min(lows) + 1
    return width if extent is None else min(width, max(1, extent))
