"""Sectors and lines that every access's request touches (Resios ch. 6), for launches as columns."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from math import inf

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column, Table, take_rows
from warplens.analysis.gpu.machine.gpu import Cache, Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles, WarpRows
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes
from warplens.analysis.gpu.placement.warp_lanes import Lanes
from warplens.analysis.gpu.requests.alignments import alignment_spectrum, average_over_alignments
from warplens.analysis.gpu.requests.coalescing import (
    Move,
    distinct_granules,
    evaluate_lanes,
    level_moves,
    scattered_addresses,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True, eq=False)
class WarpRequests:
    """Shape (tiles, accesses): distinct ones touched, averaged over warps and alignments; 0 for private accesses.

    `partial` are the sectors of L2 of which a store writes a part, counted where the GPU says what these cost. Those of
    stores that differ by a constant, to one record, are counted together and spread over them, and those of an update
    over its load and its store.
    """

    sectors: Table
    lines: Table
    partial: Table

    def take(self, rows: Integers) -> WarpRequests:
        """Return those of some tiles, in that order."""
        return WarpRequests(take_rows(self.sectors, rows), take_rows(self.lines, rows), take_rows(self.partial, rows))


@dataclass(frozen=True, slots=True)
class RequestPattern:
    """What a request's sectors depend on: accesses with equal patterns cost the same.

    `moving` is the element's index as far as the lanes move it, None where data decides.
    """

    moving: Polynomial | None
    size_bytes: int
    element_bytes: int
    offset_bytes: int
    strides: tuple[tuple[NodeId, int | None], ...]
    moves: tuple[Move, ...] = ()
    """What shifts it along loops with more than one stride; `strides` has a 0 for these."""


def warp_requests(sized: SizedKernel, tiles: Tiles, gpu: Gpu) -> WarpRequests:
    """Requests of each access under each launch, from global memory; staging in shared memory is not looked at.

    Units: bytes from the array's base, which is aligned to a line (cudaMalloc aligns to 256 bytes).
    Source: Resios ch. 6 (distinct lines); CUDA C++ Programming Guide, Global Memory (32-byte sectors).
    Assumes: a line is a multiple of a sector; an inactive lane touches nothing; warps without an active lane are left
    out.
    """
    kernel, cache = sized.kernel, requested_from(gpu)
    values = tiles.rows.values(sized)
    sectors = np.zeros((len(tiles.block), len(kernel.accesses)), order="F")
    lines, partial = np.zeros_like(sectors), np.zeros_like(sectors)
    combined = {reduction.variable for reduction in kernel.reductions}
    records: dict[tuple[object, ...], list[tuple[int, RequestPattern]]] = {}
    found: dict[RequestPattern, tuple[Column, Column]] = {}
    array_bytes = {walk.facts.access.id: walk.whole_bytes for walk in sized.walks}
    for column, facts in enumerate(kernel.accesses):
        if facts.is_private:
            continue
        moves = level_moves(facts, kernel.thread_order[0])
        pattern = replace(pattern_of(facts, values, sized.sizes, cache.line_bytes), moves=moves)
        if pattern not in found:
            found[pattern] = _request(pattern, sized, tiles, values, cache)
        sectors[:, column], lines[:, column] = found[pattern]
        if pattern.moving is None:
            whole = array_bytes[facts.access.id]
            sectors[:, column] = np.round(distinct_granules(sectors[:, column], whole, cache.sector_bytes), 9)
            lines[:, column] = np.round(distinct_granules(lines[:, column], whole, cache.line_bytes), 9)
        if facts.is_write and gpu.l2.partial_stores_per_s is not None and facts.access.array not in combined:
            record = (facts.access.array, pattern.moving, pattern.size_bytes, pattern.element_bytes, pattern.strides)
            records.setdefault(record, []).append((column, pattern))
    for stores in records.values():
        of_each = [addresses_of(pattern, sized, tiles.rows, values, cache) for _, pattern in stores]
        number = partial_sectors(of_each, stores[0][1].size_bytes, tiles, gpu.l2.sector_bytes) / len(stores)
        for column, _ in stores:
            partial[:, column] = number / (int(kernel.accesses[column].is_read) + 1)
    return WarpRequests(sectors, lines, partial)


def requested_from(gpu: Gpu) -> Cache:
    """The cache whose sectors and lines a request asks for: L1's, or L2's sectors where loads are not cached in L1."""
    return gpu.l1 if gpu.l1.size_bytes else replace(gpu.l2, line_bytes=gpu.l1.line_bytes)


def pattern_of(
    facts: AccessFacts, iterators: Collection[str], sizes: Mapping[str, int], granule_bytes: int
) -> RequestPattern:
    """Pattern of an access by which its granules are counted; accesses to rows of one stencil have few of them."""
    uneven = {loop for loop, _ in facts.levels}
    strides = tuple(
        (loop, 0 if loop in uneven else evaluate_known(stride, sizes)) for loop, stride in facts.stride_bytes
    )
    linear = None if facts.is_gathered else facts.address.linear_index
    if linear is None:
        return RequestPattern(None, requested_bytes(facts), 0, 0, strides)
    start = {name: sizes.get(name, 0) for name in linear.symbols if name not in iterators}
    known = linear.partial(start)
    moving = known - known.constant_term
    offset = known.constant_term * facts.access.element_bytes + facts.access.member_offset_bytes
    element_bytes = facts.access.element_bytes
    return RequestPattern(moving, requested_bytes(facts), element_bytes, offset % granule_bytes, strides)


def _request(
    pattern: RequestPattern, sized: SizedKernel, tiles: Tiles, values: Mapping[str, Lanes], cache: Cache
) -> tuple[Column, Column]:
    rows = tiles.rows
    unit, spectrum = cache.line_bytes, None
    if pattern.moving is not None:
        strides, axes, trips = dict(pattern.strides), sized.kernel.thread_order, sized.trips
        fixed = [Move(step, trips.get(loop, inf)) for loop, step in strides.items() if loop not in axes]
        fixed += pattern.moves
        unit, spectrum = alignment_spectrum(fixed, strides, axes, tiles, cache.line_bytes, pattern.size_bytes)
    touched = touched_bytes(addresses_of(pattern, sized, rows, values, cache), rows.active, pattern.size_bytes)
    if spectrum is None:
        granules = (cache.sector_bytes, cache.line_bytes)
        sectors, lines = (unshifted_granules(touched, tiles, granule) for granule in granules)
        return sectors, lines
    shifts = np.arange(0, cache.line_bytes, unit)
    sectors, lines = (
        average_over_alignments(_granules_by_shift(touched, rows, granule)[:, shifts % granule], tiles, spectrum)
        for granule in (cache.sector_bytes, cache.line_bytes)
    )
    return np.round(sectors, 9), np.round(lines, 9)


def addresses_of(
    pattern: RequestPattern, sized: SizedKernel, rows: WarpRows, values: Mapping[str, Lanes], cache: Cache
) -> Lanes:
    """First byte that each lane asks for, up to whole lines that all of them have in common."""
    if pattern.moving is None:
        strides = dict(pattern.strides)
        along = [strides.get(loop) for loop in sized.kernel.thread_order]
        return scattered_addresses(rows.iterations, along, cache.line_bytes)
    lanes = evaluate_lanes(pattern.moving, values, sized.sizes, rows.active.shape)
    return lanes * pattern.element_bytes + pattern.offset_bytes


def touched_bytes(addresses: Lanes, active: NDArray[np.bool_], size_bytes: int) -> Lanes:
    """First and last byte that each lane touches, in increasing order; an inactive lane touches what another does."""
    if not active.all():
        first = addresses[np.arange(len(addresses)), active.argmax(axis=1)]
        addresses = np.where(active, addresses, first[:, None])
    if size_bytes > 1:
        addresses = np.concatenate((addresses, addresses + (size_bytes - 1)), axis=1)
    return np.sort(addresses, axis=1)


def partial_sectors(stores: Sequence[Lanes], size_bytes: int, tiles: Tiles, sector_bytes: int) -> Column:
    """Sectors that some stores of a warp of each tile together write some bytes of and not all, on average.

    Assumes: an element lies in one sector; nothing moves the addresses within a sector.
    """
    rows = tiles.rows
    addresses, active = np.concatenate(stores, axis=1), np.concatenate([rows.active] * len(stores), axis=1)
    first = addresses[np.arange(len(addresses)), active.argmax(axis=1)]
    stored = np.sort(np.where(active, addresses, first[:, None]), axis=1)
    sector = stored // sector_bytes
    is_new, begins = np.ones(stored.shape, dtype=np.bool_), np.ones(stored.shape, dtype=np.bool_)
    is_new[:, 1:] = stored[:, 1:] != stored[:, :-1]
    begins[:, 1:] = sector[:, 1:] != sector[:, :-1]
    number = np.cumsum(begins) - 1
    written = np.bincount(number, weights=is_new.ravel() * size_bytes)
    row = np.nonzero(begins)[0]
    of_row = np.bincount(row, weights=written < sector_bytes, minlength=len(stored))
    total = np.add.reduceat(np.where(rows.is_used, of_row, 0.0), rows.first_row)
    return np.round(total / np.maximum(1, rows.used), 9)[tiles.shape_of_tile]


def unshifted_granules(touched: Lanes, tiles: Tiles, granule_bytes: int) -> Column:
    """Granules that a warp of each tile touches on average where nothing moves its addresses within a granule."""
    rows = tiles.rows
    granule = touched // granule_bytes
    distinct = 1 + (granule[:, 1:] != granule[:, :-1]).sum(axis=1)
    total = np.add.reduceat(np.where(rows.is_used, distinct, 0), rows.first_row)
    return np.round(total / np.maximum(1, rows.used), 9)[tiles.shape_of_tile]


def _granules_by_shift(touched: Lanes, rows: WarpRows, granule_bytes: int) -> NDArray[np.float64]:
    """Granules that a warp of each shape touches on average, for every shift of its addresses in a granule.

    Two neighbours in increasing order are in different granules when a boundary lies between them: always if they are a
    granule apart, else for the shifts that put the second past one and not the first. Those are an interval (modulo a
    granule), and intervals are counted by where they begin and end.
    Shape: (shapes, granule_bytes); 0 where no warp has an active lane.
    """
    shapes = len(rows.first_row)
    used = rows.is_used
    gap = touched[:, 1:] - touched[:, :-1]
    # A gap below 0 is one that 64 bits do not hold.
    far = (gap >= granule_bytes) | (gap < 0)
    always = np.add.reduceat(np.where(used, 1 + far.sum(axis=1), 0), rows.first_row)
    row, lane = np.nonzero(np.greater(gap, 0) & ~far & used.reshape(-1, 1))
    end = 2 * granule_bytes - touched[row, lane] % granule_bytes
    places = 2 * granule_bytes + 1
    base = rows.shape_of_row[row] * places
    length = shapes * places
    change = np.bincount(base + end - gap[row, lane], minlength=length) - np.bincount(base + end, minlength=length)
    crossed = np.cumsum(change.reshape(shapes, places), axis=1)
    crossing = crossed[:, :granule_bytes] + crossed[:, granule_bytes : 2 * granule_bytes]
    number = np.maximum(1, rows.used)
    distinct: NDArray[np.float64] = (always[:, None] + crossing) / number[:, None]
    return distinct
