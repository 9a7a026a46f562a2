"""Shares of each access's sectors that L1, L2 and DRAM serve, for many launches at once: `served.served_shares`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.batch_requests import BatchRequests
from warplens.analysis.gpu.batch_reuse import BatchLevel, Number
from warplens.analysis.gpu.batch_waves import BatchWaves, box_counts
from warplens.analysis.gpu.distinct_rows import Integers
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.l1_room import l1_room_bytes
from warplens.analysis.gpu.launches import Column, Table
from warplens.analysis.gpu.tiles import Tiles
from warplens.analysis.gpu.walk import WalkGroup, windows_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.work.kernels.work_per_thread import varying_accesses


@dataclass(frozen=True, slots=True, eq=False)
class BatchServed:
    """Shares of an access's sectors that go to L2 and to DRAM, 0..1. Shape: (launches, accesses)."""

    l2_share: Table
    dram_share: Table


@dataclass(frozen=True, slots=True, eq=False)
class RequestedSectors:
    """Sectors that a block requests over its life, by access and direction. Shape: (tiles, accesses)."""

    of_access: Table

    def of_group(self, group: WalkGroup, column_of: Mapping[NodeId, int], tile: Integers) -> Column:
        """Sectors of a group; of one that is read and written, half of both (as many come in as go out)."""
        columns = [column_of[walk.facts.access.id] for walk in group.walks]
        directions = int(any(w.facts.is_read for w in group.walks)) + int(any(w.facts.is_write for w in group.walks))
        requested: Column = self.of_access[:, columns].sum(axis=1)[tile] / directions
        return requested


def requested_sectors(
    kernel: Kernel, tiles: Tiles, requests: BatchRequests, sizes: Mapping[str, int]
) -> RequestedSectors:
    """Sectors of each access that the warps of a full block request, its threads' outputs included."""
    varying = varying_accesses(kernel)
    sectors = np.zeros_like(requests.sectors)
    for column, facts in enumerate(kernel.accesses):
        if facts.is_private:
            continue
        copies = tiles.copies_along(kernel.thread_order, varying.get(facts.access.id, Variation()))
        directions = int(facts.is_read) + int(facts.is_write)
        executions = float(facts.executions_per_thread.evaluate(sizes))
        sectors[:, column] = requests.sectors[:, column] * (executions * copies * directions) * tiles.warps
    return RequestedSectors(sectors)


def batch_served(
    kernel: Kernel,
    waves: BatchWaves,
    tiles: Tiles,
    tile: Integers,
    requested: RequestedSectors,
    resident: Column,
    shared_bytes_per_block: Column,
    sizes: Mapping[str, int],
    gpu: Gpu,
) -> BatchServed:
    """Shares of each access where it goes to global memory (`waves.wave.reach`); elsewhere they say nothing.

    `tile` says which of `tiles` a launch has; `resident` and `shared_bytes_per_block` have an entry per launch.
    Assumes and source: `served.served_shares`.
    """
    l1_bytes = l1_room_bytes(gpu, resident, shared_bytes_per_block)
    groups, reach, trips = waves.wave.groups, waves.wave.reach, waves.wave.trips
    threads = box_counts(kernel, tiles.iterations, tiles.tile, 1.0)
    block = BatchLevel(l1_bytes, gpu.l1.line_bytes, gpu.l2.sector_bytes, threads, tile, resident, groups, reach, trips)
    launches = max(1.0, float(kernel.launches.evaluate(sizes)))
    filled_blocks = tiles.filled_blocks[tile]
    stays_in_l2 = waves.fits & waves.grid_fits
    column_of = {facts.access.id: column for column, facts in enumerate(kernel.accesses)}
    extent = tiles.warp_extent(gpu.warp_size_threads)
    warp = {loop: extent[:, axis] for axis, loop in enumerate(kernel.thread_order)}
    windows, warps = windows_of(kernel), tiles.warps.astype(np.float64)
    l2_share = np.zeros((len(tile), len(kernel.accesses)), order="F")
    dram_share = np.zeros_like(l2_share)
    for number, group in enumerate(groups):
        asked = requested.of_group(group, column_of, tile)
        in_windows = block.sectors_of_windows(number, windows, warp, warps)
        through_l1 = np.minimum(block.sectors_through(number), in_windows)
        from_l2 = np.where(np.asarray(l1_bytes) > 0, _share(through_l1, asked), 1.0)
        fetched = waves.fetched(number)
        if not _moves_with_launch(group, kernel.thread_order):
            fetched = np.where(stays_in_l2, fetched / launches, fetched)
        from_dram = _share(fetched, asked * filled_blocks)
        for walk in group.walks:
            # L1 is written through: a store always goes to L2.
            facts = walk.facts
            share = np.ones_like(asked) if not facts.is_read else (1.0 + from_l2) / 2 if facts.is_write else from_l2
            column = column_of[facts.access.id]
            l2_share[:, column] = share
            dram_share[:, column] = np.minimum(share, from_dram)
    return BatchServed(l2_share, dram_share)


def _share(sectors: Number, asked: Column) -> Column:
    """Of what is asked for, at most all; all where nothing is."""
    share: Column = np.minimum(1.0, np.divide(sectors, asked, out=np.ones_like(asked), where=asked > 0))
    return share


def _moves_with_launch(group: WalkGroup, axes: Sequence[NodeId]) -> bool:
    """Whether a sequential loop around the kernel moves the group (or may)."""
    around = (stride for loop, stride in group.strides.items() if loop not in axes and loop not in group.path)
    return any(stride != 0 for stride in around)
