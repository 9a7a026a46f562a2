"""What many launches keep in shared memory: its size, how often blocks fill it, barriers and bank conflicts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import ThreadLoop, blocks
from warplens.analysis.gpu.batch_bank_conflicts import batch_conflict_degrees
from warplens.analysis.gpu.batch_opportunities import batch_opportunity
from warplens.analysis.gpu.batch_regions import BatchRegion, batch_regions
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Column, Flags, Launches, Table
from warplens.analysis.gpu.tiles import Tiles
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class StagedArrays:
    """What launches stage. Shape: (launches,); `is_staged` and `conflict_degree` (launches, accesses).

    `regions` are those of all launches together, each with those that stage it; `is_worth` says whether all that a
    launch stages is worth it. `size_bytes` are of shared memory, `staged_bytes` what a block writes there over its
    life, `requests`, `lines` and `sectors` what it takes to load that, `barriers` how often its warps wait for each
    other.
    """

    regions: Sequence[tuple[BatchRegion, Flags]]
    is_worth: Flags
    is_staged: Flags
    size_bytes: Column
    staged_bytes: Column
    requests: Column
    lines: Column
    sectors: Column
    barriers: Column
    conflict_degree: Table


def staged_arrays(
    kernel: Kernel,
    launches: Launches,
    tiles: Tiles,
    tile: Integers,
    trips: Mapping[NodeId, float],
    sizes: Mapping[str, int],
    gpu: Gpu,
) -> StagedArrays:
    """What the staged arrays take, how often they are filled, and how their accesses conflict.

    `tile` says which of `tiles` a launch has. An array that has no region counts as not staged, and its launch as not
    worth it. Barriers are those of `work_of_launch.barriers_per_warp`.
    """
    number = len(launches)
    used = [array for array, column in zip(launches.arrays, launches.staged.T, strict=True) if column.any()]
    regions = batch_regions(kernel, used, tiles, trips, sizes, gpu)
    staged: list[tuple[BatchRegion, Flags]] = []
    is_worth = np.ones(number, dtype=np.bool_)
    is_staged = np.zeros((number, len(kernel.accesses)), dtype=np.bool_, order="F")
    conflict_degree = np.ones((number, len(kernel.accesses)), order="F")
    size_bytes, staged_bytes, once = np.zeros(number), np.zeros(number), np.zeros(number)
    requests, lines, sectors = np.zeros(number), np.zeros(number), np.zeros(number)
    chunks: dict[int, Column] = {}
    column_of = {facts.access.id: column for column, facts in enumerate(kernel.accesses)}
    for array, chosen in zip(launches.arrays, launches.staged.T, strict=True):
        region = regions.get(array)
        if region is None:
            is_worth &= ~chosen
            continue
        is_worth &= ~chosen | batch_opportunity(kernel, region, tiles, sizes, gpu).is_worth[tile]
        staged.append((region, chosen))
        copy, stagings = region.copy, region.stagings
        size_bytes += _where(chosen, region.size_bytes, tile)
        staged_bytes += _where(chosen, region.size_bytes * stagings, tile)
        requests += _where(chosen, copy.requests * stagings, tile)
        lines += _where(chosen, copy.lines * stagings, tile)
        sectors += _where(chosen, copy.sectors * stagings, tile)
        fillings = stagings[tile]
        loop = _loop_of(kernel, region)
        in_chunks = chosen & (fillings > 1) & (loop is not None)
        once = np.where(chosen & ~in_chunks, 1.0, once)
        if loop is not None:
            chunks[loop] = np.maximum(chunks.get(loop, 0.0), np.where(in_chunks, fillings, 0.0))
        degrees = batch_conflict_degrees(region, kernel, tiles, sizes, gpu.shared)
        for facts, degree in zip(region.accesses, degrees, strict=True):
            column = column_of[facts.access.id]
            conflict_degree[:, column] = np.where(chosen, degree[tile], 1.0)
            is_staged[:, column] = chosen
    barriers = once + 2 * sum(chunks.values(), start=np.zeros(number))
    return StagedArrays(
        staged, is_worth, is_staged, size_bytes, staged_bytes, requests, lines, sectors, barriers, conflict_degree
    )


def _where(chosen: Flags, of_tiles: Column, tile: Integers) -> Column:
    """Of launches that stage a region what it takes in their tiles, 0 of the others."""
    return np.where(chosen, of_tiles[tile], 0.0)


def _loop_of(kernel: Kernel, region: BatchRegion) -> int | None:
    """Number of the first outermost loop that reads a region."""
    accesses = {facts.access.id for facts in region.accesses}
    loops = [part for part in kernel.program if isinstance(part, ThreadLoop)]
    for number, loop in enumerate(loops):
        if any(i.access in accesses for block, _ in blocks((loop,)) for i in block.instructions):
            return number
    return None
