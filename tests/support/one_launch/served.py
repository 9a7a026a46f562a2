"""Shares of each access's sectors that L1, L2 and DRAM serve, from the working sets of blocks and waves."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from support.one_launch.dram_runs import run_cost
from support.one_launch.footprint import group_granules
from support.one_launch.occupancy import occupancy
from support.one_launch.placement import Placement, wave_extent, waves
from support.one_launch.reuse import Level, sectors_of_waves, sectors_of_windows, sectors_through, whole_bytes
from support.one_launch.warp_requests import WarpRequest
from warplens.analysis.gpu.caches.l1_room import l1_room_bytes
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import WalkGroup, group_walks
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.kernels.work_per_thread import registers_needed


@dataclass(frozen=True, slots=True)
class Served:
    """Shares of an access's sectors that go to L2 and to DRAM (0..1); `wave_bytes` is what one wave touches.

    `in_window` says that what L1 has is left there by loads of the same warp (`reuse.sectors_of_windows`). `waits_l2`
    and `waits_dram` are the shares of its requests that wait for these: also those that ask for a sector that another
    warp has asked for at the same time. `dram_run` is what bytes of device memory cost more for lying in short runs.
    """

    l2_share: float
    dram_share: float
    wave_bytes: float
    in_window: bool
    waits_l2: float
    waits_dram: float
    dram_run: float


def served_shares(
    known: SizedKernel,
    launch: LaunchConfig,
    place: Placement,
    requests: Mapping[NodeId, WarpRequest],
    warps: int,
    gpu: Gpu,
) -> dict[NodeId, Served]:
    """Shares by access; `requests` has the accesses that go to global memory, `warps` of a block make them.

    A block requests once per output of its threads what varies along the grid, and touches the iterations it covers.
    Assumes: the registers that the outputs need, and what reuse.py assumes; the outputs of a thread run in step too.
    Not modelled: what spilled registers take of L1.
    Raises: KeyError for a parameter without value.
    """
    kernel, trips, groups = known.kernel, known.trips, known.groups
    if len(requests) < len(known.walks):
        groups = group_walks([walk for walk in known.walks if walk.facts.access.id in requests])
    blocks = prod(place.blocks)
    registers = min(registers_needed(kernel, place.outputs), gpu.occupancy.registers_max_per_thread)
    resident = occupancy(gpu, launch.threads_per_block, registers, launch.shared_bytes_per_block, blocks).blocks_per_sm
    resident = max(1, resident)
    run = waves(blocks, resident, gpu.sm_count)
    l1_bytes = float(l1_room_bytes(gpu, resident, launch.shared_bytes_per_block))
    l2 = gpu.l2
    block = Level(l1_bytes, gpu.l1.line_bytes, l2.sector_bytes, place.counts((1, 1, 1)), resident)
    wave = Level(
        l2.size_bytes, l2.line_bytes, l2.sector_bytes, place.counts(wave_extent(place.blocks, run.wave_blocks)), 1
    )
    grid = Level(l2.size_bytes, l2.line_bytes, l2.sector_bytes, place.counts(place.blocks), 1)
    number = max(1.0, blocks / run.wave_blocks)
    wave_bytes = whole_bytes(wave, groups, trips)
    all_fits = max(wave_bytes, whole_bytes(grid, groups, trips)) <= l2.size_bytes
    arrays_bytes = sum({walk.facts.access.array: walk.whole_bytes for walk in known.walks}.values())
    launches = max(1.0, float(kernel.launches.evaluate(known.sizes)))
    filled_blocks = prod(place.filled_blocks)
    copies = {access: place.full_copies(variation) for access, variation in known.variations.items()}
    windows, warp = known.windows, place.warp_counts(gpu.warp_size_threads)
    served: dict[NodeId, Served] = {}
    for group in groups:
        requested = warps * _requested_sectors(group, requests, known.requests, copies)
        in_step = in_windows = requested
        if l1_bytes:
            in_step = sectors_through(block, group, groups, trips, requested)
            in_windows = sectors_of_windows(block, group, windows, warp, warps, trips)
        l2_share = _part(min(in_step, in_windows), requested)
        through_l2 = sectors_of_waves(wave, grid, group, groups, number, trips, requested * filled_blocks * l2_share)
        if not _moves_with_launch(group, place):
            through_l2 /= launches if all_fits else 1.0
        elif launches > 1 and arrays_bytes <= l2.size_bytes:
            # Each launch touches another part of the array, which is there from one to the next.
            through_l2 = min(through_l2, group.walks[0].whole_bytes / l2.sector_bytes / launches)
        dram_share = _part(through_l2, requested * filled_blocks)
        life = {loop: trips[loop] for loop in group.path}
        # The warps of a wave ask for a sector at the same time, and all wait until it is there.
        new_to_warps = warps * group_granules(group, {**warp, **life}, l2.sector_bytes)
        new_to_wave = number * group_granules(group, {**wave.threads, **life}, l2.sector_bytes)
        run_costs = run_cost(group, wave.threads, trips, gpu)
        for walk in group.walks:
            # L1 is written through: a store always goes to L2.
            facts = walk.facts
            share = 1.0 if not facts.is_read else (1.0 + l2_share) / 2 if facts.is_write else l2_share
            times = known.requests[facts.access.id] * copies.get(facts.access.id, 1)
            waiting = _part(new_to_warps, warps * requests[facts.access.id].sectors * times)
            from_dram = min(share, dram_share)
            served[facts.access.id] = Served(
                share,
                from_dram,
                wave_bytes,
                in_windows < in_step,
                waits_l2=max(share, waiting),
                waits_dram=max(from_dram, waiting * _part(through_l2, new_to_wave)),
                dram_run=run_costs,
            )
    return served


def _part(some: float, whole: float) -> float:
    """Of a whole, at most all; all of nothing."""
    return min(1.0, some / whole) if whole else 1.0


def _requested_sectors(
    group: WalkGroup,
    requests: Mapping[NodeId, WarpRequest],
    executions: Mapping[NodeId, float],
    copies: Mapping[NodeId, float],
) -> float:
    """Sectors per warp over its life; of a group that is read and written, half of both (as many come in as go out)."""
    total = 0.0
    for walk in group.walks:
        facts = walk.facts
        directions = int(facts.is_read) + int(facts.is_write)
        times = executions[facts.access.id] * copies.get(facts.access.id, 1)
        total += requests[facts.access.id].sectors * times * directions
    reads = any(walk.facts.is_read for walk in group.walks)
    writes = any(walk.facts.is_write for walk in group.walks)
    return total / (int(reads) + int(writes))


def _moves_with_launch(group: WalkGroup, place: Placement) -> bool:
    """Whether a sequential loop around the kernel moves the group (or may)."""
    return any(
        stride != 0 and loop not in place.loops and loop not in group.path for loop, stride in group.strides.items()
    )
