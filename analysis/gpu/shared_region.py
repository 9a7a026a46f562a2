"""The region of an array that a block stages in shared memory: a box, and how often it is filled (Resios 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil

import numpy as np
from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.coalescing import evaluate_lanes
from warplens.analysis.gpu.extent import Extent
from warplens.analysis.gpu.mapping import Lanes
from warplens.analysis.gpu.staged_copy import BoxMove, staged_rows
from warplens.analysis.gpu.walk import evaluate_known, thread_loop_trips
from warplens.analysis.gpu.waves import ONE_OUTPUT, loops_in_thread_order, threads_extent, tile_extent
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial


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

    @property
    def elements(self) -> int:
        """Elements of the box."""
        total = 1
        for width in self.widths:
            total *= width
        return total


def region_addresses(
    facts: AccessFacts, regions: Sequence[Region], values: Mapping[str, Lanes], sizes: Mapping[str, int]
) -> Lanes | None:
    """Byte address in the staged tile (row-major, no padding) that each lane reads; None when it is in no region."""
    for region in regions:
        if facts in region.accesses:
            shape = next(iter(values.values())).shape
            total: Lanes = np.zeros(shape, dtype=np.int64)
            pitch = region.element_bytes
            for index, width in zip(reversed(facts.address.indices), reversed(region.widths), strict=True):
                if index is not None:
                    lanes = evaluate_lanes(index, values, sizes, shape)
                    total = total + (lanes - lanes.min()) * pitch
                pitch *= width
            return total + facts.access.member_offset_bytes
    return None


def shared_regions(
    kernel: Kernel, block: Extent, sizes: Mapping[str, int], outputs: Extent = ONE_OUTPUT
) -> list[Region]:
    """Regions of the arrays that the kernel only reads; raises KeyError for a parameter without value.

    A block covers `block` times `outputs` iterations of the grid; its x extent is the length of a chunk.
    """
    trips = thread_loop_trips(kernel, sizes)
    reads = read_only_arrays(kernel).values()
    regions = (_region(accesses, kernel, block, outputs, trips, sizes) for accesses in reads)
    return [region for region in regions if region is not None]


def _region(
    accesses: Sequence[AccessFacts],
    kernel: Kernel,
    block: Extent,
    outputs: Extent,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
) -> Region | None:
    if any(facts.is_gathered for facts in accesses):
        return None
    main = main_access(accesses)
    path = [loop for loop in main.loops if loop in trips]
    moving = moving_loops(accesses)
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


def read_only_arrays(kernel: Kernel) -> dict[str, tuple[AccessFacts, ...]]:
    """Reads of each array that the kernel does not write and that is no memory of the thread itself."""
    written = {facts.access.array for facts in kernel.accesses if facts.is_write}
    reads: dict[str, tuple[AccessFacts, ...]] = {}
    for facts in kernel.accesses:
        array = facts.access.array
        if facts.is_read and not facts.is_private and array not in written:
            reads[array] = (*reads.get(array, ()), facts)
    return reads


def box_moves(
    accesses: Sequence[AccessFacts], kernel: Kernel, sizes: Mapping[str, int]
) -> tuple[tuple[BoxMove, ...], ...] | None:
    """For each dimension of an array the moves of all accesses to it; None when one is not known, or there is none.

    What has no dimension is a value beside the arrays (a member of one struct): nobody stages that.
    """
    loops = [_loops_by_iterator(facts, kernel) for facts in accesses]
    main = main_access(accesses)
    box: list[tuple[BoxMove, ...]] = []
    for dimension in range(len(main.address.indices)):
        moves = [
            _box_move(facts, dimension, of_access, sizes) for facts, of_access in zip(accesses, loops, strict=True)
        ]
        known = tuple(move for move in moves if move is not None)
        if len(known) < len(moves):
            return None
        box.append(known)
    return tuple(box) or None


def main_access(accesses: Sequence[AccessFacts]) -> AccessFacts:
    """The access in the most loops: those are the loops that the region is cut along."""
    return max(accesses, key=lambda facts: len(facts.loops))


def moving_loops(accesses: Sequence[AccessFacts]) -> frozenset[NodeId]:
    """Loops that move one of the accesses, or may."""
    strides = (item for facts in accesses for item in facts.stride_bytes)
    return frozenset(loop for loop, stride in strides if stride is None or stride.terms)


def moved_alike(moves: Sequence[BoxMove], kernel: Kernel) -> tuple[tuple[BoxMove, ...], ...]:
    """Moves of one dimension by how blocks move them: `a[i]` and `a[j]` are far apart in most blocks of i and j."""
    groups: dict[tuple[int, ...], tuple[BoxMove, ...]] = {}
    for move in moves:
        of_blocks = tuple(move.moves.get(loop, 0) for loop in kernel.thread_order)
        groups[of_blocks] = (*groups.get(of_blocks, ()), move)
    return tuple(groups.values())


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


def _box_move(
    facts: AccessFacts, dimension: int, loops: Mapping[str, tuple[NodeId, int]], sizes: Mapping[str, int]
) -> BoxMove | None:
    if dimension >= len(facts.address.indices) or facts.unknown:
        return None
    moves = _moves(facts, dimension, loops, sizes)
    index = facts.address.indices[dimension]
    if moves is None or index is None:
        return None
    return BoxMove(index.without(index.symbols - sizes.keys()).evaluate(sizes), moves)


def _moves(
    facts: AccessFacts, dimension: int, loops: Mapping[str, tuple[NodeId, int]], sizes: Mapping[str, int]
) -> dict[NodeId, int] | None:
    """By how many elements of one dimension each loop moves the access; None where that is not constant."""
    index = facts.address.indices[dimension]
    moves: dict[NodeId, int] = {}
    for symbol in index.symbols - sizes.keys() if index is not None else ():
        if symbol in loops and index is not None:
            loop, step = loops[symbol]
            slope = evaluate_known(index.coefficient(symbol), sizes)
            if slope is None:
                return None
            moves[loop] = moves.get(loop, 0) + slope * step
    return moves


def _loops_by_iterator(facts: AccessFacts, kernel: Kernel) -> dict[str, tuple[NodeId, int]]:
    """Loop and step of each iterator in an access: of a thread's loop, the one whose stride its coefficient divides.

    Of several the one with the smallest step: a row's stride in numbers is a multiple of an element's too.
    """
    found = {loop.iterator: (loop.loop, loop.step) for loop in loops_in_thread_order(kernel)}
    linear = facts.address.linear_index
    taken = {loop for loop, _ in found.values()}
    for symbol in sorted(linear.symbols - found.keys()) if linear is not None else ():
        slope = linear.coefficient(symbol) * facts.access.element_bytes if linear is not None else Polynomial(())
        steps = [(loop, _ratio(stride, slope)) for loop, stride in facts.stride_bytes if loop not in taken]
        possible = [(loop, step) for loop, step in steps if step]
        if possible:
            found[symbol] = min(possible, key=lambda loop_and_step: abs(loop_and_step[1]))
            taken.add(found[symbol][0])
    return found


def _ratio(stride: Polynomial | None, slope: Polynomial) -> int:
    """Return the integer that makes `slope` the stride, 0 when there is none."""
    if stride is None or not stride.terms or not slope.terms:
        return 0
    step = stride.terms[0][1] // slope.terms[0][1] if stride.terms[0][1] % slope.terms[0][1] == 0 else 0
    return step if slope * step == stride else 0
