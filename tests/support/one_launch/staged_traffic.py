"""Where the bytes come from that blocks copy to shared memory: from DRAM once per wave, and again from L2."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from support.one_launch.footprint import group_granules
from support.one_launch.occupancy import occupancy
from support.one_launch.placement import place_threads, wave_extent, waves
from support.one_launch.reuse import Level, sectors_of_waves
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staged_copy import copy_of_choice
from warplens.analysis.workload.kernels.work_per_thread import registers_needed


@dataclass(frozen=True, slots=True)
class StagedTraffic:
    """Of what blocks stage of an array: the share that L2 does not have, and the share that waits for DRAM; 0..1."""

    dram_share: float
    waits_dram: float


def staged_traffic(
    kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu, walks: SizedKernel | None = None
) -> dict[str, StagedTraffic]:
    """Where the bytes of each staged array come from.

    Equation: the sectors that the layer conditions of reuse.py let through L2 for the threads of one wave, over those
    that its blocks copy (staged_copy.py); what several blocks of a wave stage is fetched once. All of them wait for it:
    the same sectors over those that each wave touches.
    Assumes: the blocks of a wave are in step, so that a chunk is in L2 while all of them copy it; the registers
    that the outputs need. Source: as `served.served_shares`.
    Raises: KeyError for a parameter without value.
    """
    place = place_threads(kernel, launch.block, sizes, launch.outputs_per_thread)
    walks = walks or SizedKernel(kernel, sizes)
    trips, groups = walks.trips, walks.groups
    blocks = prod(place.blocks)
    registers = min(registers_needed(kernel, place.outputs), gpu.occupancy.registers_max_per_thread)
    resident = occupancy(gpu, launch.threads_per_block, registers, launch.shared_bytes_per_block, blocks).blocks_per_sm
    run = waves(blocks, max(1, resident), gpu.sm_count)
    l2 = gpu.l2
    wave = Level(
        l2.size_bytes, l2.line_bytes, l2.sector_bytes, place.counts(wave_extent(place.blocks, run.wave_blocks)), 1
    )
    grid = Level(l2.size_bytes, l2.line_bytes, l2.sector_bytes, place.counts(place.blocks), 1)
    number = max(1.0, blocks / run.wave_blocks)
    found: dict[str, StagedTraffic] = {}
    for choice in launch.shared:
        sectors = float(copy_of_choice(choice, launch.threads_per_block, gpu).sectors[0])
        copied = sectors * choice.stagings_per_block * prod(place.filled_blocks)
        fetched, waits = 0.0, [0.0]
        for group in groups:
            if group.walks[0].facts.access.array == choice.array:
                through_l2 = sectors_of_waves(wave, grid, group, groups, number, trips, copied)
                fetched += through_l2
                counts = {**wave.threads, **{loop: trips[loop] for loop in group.path}}
                touched = number * group_granules(group, counts, l2.sector_bytes)
                waits.append(min(1.0, through_l2 / touched) if touched else 0.0)
        found[choice.array] = StagedTraffic(min(1.0, fetched / copied) if copied else 1.0, max(waits))
    return found
