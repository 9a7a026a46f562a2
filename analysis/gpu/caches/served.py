"""Shares of each access's sectors that L1, L2 and DRAM serve, from the working sets of blocks and waves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.caches.dram_runs import run_cost
from warplens.analysis.gpu.caches.l1_room import l1_room_bytes
from warplens.analysis.gpu.caches.reuse import CachedLevel, group_granules
from warplens.analysis.gpu.caches.waves import WaveTraffic, box_counts
from warplens.analysis.gpu.launch.distinct_rows import Integers
from warplens.analysis.gpu.launch.launches import Column, Flags, Table, take_rows
from warplens.analysis.gpu.launch.numbers import Number, as_number, smaller
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.tiles import Tiles
from warplens.analysis.gpu.placement.walk import Walk, WalkGroup
from warplens.analysis.gpu.requests.requests import WarpRequests
from warplens.analysis.ir.ids import NodeId


@dataclass(frozen=True, slots=True, eq=False)
class ServedShares:
    """Shares of an access's sectors that go to L2 and to DRAM, 0..1. Shape: (launches, accesses).

    `waits_l2` and `waits_dram` are the shares of its requests that wait for these: warps that run in step ask for one
    sector together, and all of them wait until it is there, whichever of them brings it.
    `in_window` (launches, accesses) says that what L1 has is left there by loads of the same warp
    (`CachedLevel.sectors_of_windows`), `wave_bytes` (launches,) is what one wave touches.
    """

    l2_share: Table
    dram_share: Table
    waits_l2: Table
    waits_dram: Table
    dram_run: Table
    in_window: Flags
    wave_bytes: Column

    def take(self, rows: Integers) -> ServedShares:
        """Return the shares of some launches, in that order."""
        return ServedShares(
            take_rows(self.l2_share, rows),
            take_rows(self.dram_share, rows),
            take_rows(self.waits_l2, rows),
            take_rows(self.waits_dram, rows),
            take_rows(self.dram_run, rows),
            take_rows(self.in_window, rows),
            self.wave_bytes[rows],
        )


@dataclass(frozen=True, slots=True, eq=False)
class RequestedSectors:
    """Sectors that a block requests over its life. Shape: `per_warp` (tiles, accesses), `warps` (tiles,) of a block."""

    per_warp: Table
    warps: Integers

    def of_group(self, group: WalkGroup, sized: SizedKernel, tile: Integers) -> Column:
        """Sectors of a group; of one that is read and written, half of both (as many come in as go out)."""
        per_warp: Column = np.zeros(len(self.warps))
        for walk in group.walks:
            per_warp = per_warp + self.per_warp[:, sized.column_of[walk.facts.access.id]]
        directions = int(any(w.facts.is_read for w in group.walks)) + int(any(w.facts.is_write for w in group.walks))
        requested: Column = (self.warps * (per_warp / directions))[tile]
        return requested

    def of_walk(self, walk: Walk, sized: SizedKernel, tile: Integers) -> Column:
        """Sectors of one access; of one that is read and written, half of both."""
        directions = int(walk.facts.is_read) + int(walk.facts.is_write)
        requested: Column = (self.warps * self.per_warp[:, sized.column_of[walk.facts.access.id]] / directions)[tile]
        return requested


def requested_sectors(sized: SizedKernel, tiles: Tiles, requests: WarpRequests) -> RequestedSectors:
    """Sectors of each access that the warps of a full block request, its threads' outputs included."""
    sectors = np.zeros_like(requests.sectors)
    for column, facts in enumerate(sized.kernel.accesses):
        if facts.is_private:
            continue
        variation = sized.variations.get(facts.access.id, Variation())
        times = sized.requests[facts.access.id] * tiles.copies_along(sized.kernel.thread_order, variation)
        directions = int(facts.is_read) + int(facts.is_write)
        sectors[:, column] = requests.sectors[:, column] * times * directions
    return RequestedSectors(sectors, tiles.warps)


def served_shares(
    sized: SizedKernel,
    waves: WaveTraffic,
    tiles: Tiles,
    tile: Integers,
    requested: RequestedSectors,
    resident: Column,
    shared_bytes_per_block: Column,
    gpu: Gpu,
) -> ServedShares:
    """Shares of each access where it goes to global memory (`waves.wave.reach`); elsewhere they say nothing.

    `tile` says which of `tiles` a launch has; `resident` and `shared_bytes_per_block` have an entry per launch.
    A block requests once per output of its threads what varies along the grid, and touches the iterations it covers.
    Assumes: the registers that the outputs need, and what reuse.py assumes; the outputs of a thread run in step.
    Not modelled: what spilled registers take of L1.
    Raises: KeyError for a parameter without value.
    """
    kernel = sized.kernel
    axes = kernel.thread_order
    l1_bytes = l1_room_bytes(gpu, resident, shared_bytes_per_block)
    groups, reach, trips = waves.wave.groups, waves.wave.reach, waves.wave.trips
    threads = box_counts(axes, tiles.iterations, tiles.tile, 1.0)
    block = CachedLevel(l1_bytes, gpu.l1.line_bytes, gpu.l2.sector_bytes, threads, tile, resident, groups, reach, trips)
    launches = max(1.0, float(kernel.launches.evaluate(sized.sizes)))
    filled_blocks = tiles.filled_blocks[tile]
    stays_in_l2 = waves.fits & waves.grid_fits
    all_bytes = sum({group.walks[0].facts.access.array: group.walks[0].whole_bytes for group in groups}.values())
    extent = tiles.warp_extent(gpu.warp_size_threads)
    warp = {loop: as_number(extent[:, axis]) for axis, loop in enumerate(axes)}
    warps, has_l1 = as_number(tiles.warps.astype(np.float64)), np.asarray(l1_bytes) > 0
    l2_share = np.zeros((len(tile), len(kernel.accesses)), order="F")
    dram_share, in_window = np.zeros_like(l2_share), np.zeros_like(l2_share, dtype=np.bool_)
    waits_l2, waits_dram = np.zeros_like(l2_share), np.zeros_like(l2_share)
    dram_run = np.ones_like(l2_share)
    for number, group in enumerate(groups):
        asked = requested.of_group(group, sized, tile)
        in_step = block.sectors_through(number, asked)
        in_windows = block.sectors_of_windows(number, sized.windows, warp, warps)
        from_l2 = np.where(has_l1, _share(smaller(in_step, in_windows), asked), 1.0)
        fetched = waves.fetched(number, asked * filled_blocks * from_l2)
        if not _moves_with_launch(group, axes):
            fetched = np.where(stays_in_l2, fetched / launches, fetched)
        elif launches > 1 and all_bytes <= gpu.l2.size_bytes:
            # Launches touch other parts of it, and all of them together no more than there is.
            fetched = smaller(fetched, group.walks[0].whole_bytes / gpu.l2.sector_bytes / launches)
        from_dram = _share(fetched, asked * filled_blocks)
        # A warp waits for each sector that is new to it, where the others that touch it do so at the same time.
        life = {**warp, **{loop: trips[loop] for loop in group.path}}
        touched = group_granules(group, life, gpu.l2.sector_bytes) * warps
        touched = touched.take(tile) if isinstance(touched, np.ndarray) else touched
        brought = _share(fetched, waves.number * waves.wave.sectors(number, group.path))
        run = run_cost(group, waves.wave.threads, trips, gpu)
        run = run.take(waves.wave.which) if isinstance(run, np.ndarray) else run
        for walk in group.walks:
            dram_run[:, sized.column_of[walk.facts.access.id]] = run
            # L1 is written through: a store always goes to L2.
            facts = walk.facts
            share = np.ones_like(asked) if not facts.is_read else (1.0 + from_l2) / 2 if facts.is_write else from_l2
            column = sized.column_of[facts.access.id]
            l2_share[:, column] = share
            dram_share[:, column] = np.minimum(share, from_dram)
            new = _share(touched, requested.of_walk(walk, sized, tile))
            waits_l2[:, column] = np.maximum(share, new)
            waits_dram[:, column] = np.maximum(dram_share[:, column], new * brought)
            in_window[:, column] = has_l1 & np.less(in_windows, in_step)
    wave_bytes: Column = np.broadcast_to(np.asarray(waves.wave.whole_bytes(), dtype=np.float64), tile.shape)
    return ServedShares(l2_share, dram_share, waits_l2, waits_dram, dram_run, in_window, wave_bytes)


def _share(sectors: Number, asked: Column) -> Column:
    """Of what is asked for, at most all; all where nothing is."""
    share: Column = np.minimum(1.0, np.divide(sectors, asked, out=np.ones_like(asked), where=asked > 0))
    return share


def _moves_with_launch(group: WalkGroup, axes: Sequence[NodeId]) -> bool:
    """Whether a sequential loop around the kernel moves the group (or may)."""
    around = (stride for loop, stride in group.strides.items() if loop not in axes and loop not in group.path)
    return any(stride != 0 for stride in around)
