"""Resios' simulation at its steady state in closed form: what the search over launches ranks by before it simulates."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.nest_facts import Registers
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.launch_work.block_launch import least_cycles
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import PipeCycles, program_cycles, staging_cycles
from warplens.analysis.simulation.grid import grid
from warplens.analysis.simulation.launch_counts import LaunchCounts
from warplens.analysis.simulation.machine import SIMULATED_STEPS, SIMULATED_WAVES
from warplens.analysis.simulation.trace import build_trace


def estimated_time_s(work: KernelWork) -> Column:
    """Time of each launch; launches that an SM can't run count as one block at a time.

    Equation: an SM works through its blocks in waves of those that are resident. A wave takes the longer of what the
    busiest pipeline needs for its warps (eq. 4.5 and 4.6 beyond peak) and of one warp's latency (below it), once per
    slice of the trace's loops, and at the end the shorter of the two once more, while the pipeline fills and drains.
    No faster than the SM starts its blocks.
    Units: seconds. Source: Resios eq. 4.5 and 4.6 with TLP = resident warps; slices as in simulation/trace.py.
    Assumes: every wave has the same length; like the simulation, a grid of many waves is as slow as its first few.
    Not modelled: the order in which requests and computations follow each other.
    """
    program, staging = program_cycles(work), staging_cycles(work)
    blocks_per_sm = work.blocks / work.gpu.sm_count
    resident = np.maximum(1.0, work.resident_blocks_per_sm)
    slices, longest_run = _repeats(work)
    # A grid that fits in the simulated waves is seen from the busiest SM; a longer one is simulated in part.
    blocks = np.where(blocks_per_sm <= longest_run * resident, np.ceil(blocks_per_sm), blocks_per_sm)
    full = np.floor(blocks / resident)
    rest = blocks - full * resident
    wave, tail = _wave(program, staging, work, resident), _wave(program, staging, work, rest)
    simulated = np.minimum(np.maximum(full, 1.0), longest_run)
    fill = wave.shorter / slices * np.maximum(1.0, full / simulated)
    cycles = (full * wave.longer + tail.longer + fill) * (work.blocks > 0)
    alone = program.latency + program.memory + staging.latency + staging.memory
    return np.maximum(cycles, least_cycles(work.gpu, work.blocks, resident, alone)) / work.gpu.clock_hz


@dataclass(frozen=True, slots=True, eq=False)
class _Wave:
    """Cycles of blocks that run together on an SM.

    `shorter` is what the longer part hides except at the start or end: transfers, or the latency before or after them.
    """

    longer: Column
    shorter: Column


def _wave(program: PipeCycles, staging: PipeCycles, work: KernelWork, blocks: Column) -> _Wave:
    """A wave of blocks. A barrier keeps the copies to shared memory and the program of a block apart.

    Where blocks stage again and again, the copies of one overlap with the program of the others beside it; where they
    stage once, all are in step.
    """
    copies, body, both = (_part(part, work, blocks) for part in (staging, program, program + staging))
    overlap = np.where(work.barriers_per_warp > 1, 1 - 1 / np.maximum(1.0, blocks), 0.0)
    return _Wave(
        overlap * both.longer + (1 - overlap) * (copies.longer + body.longer),
        overlap * both.shorter + (1 - overlap) * (copies.shorter + body.shorter),
    )


def _part(part: PipeCycles, work: KernelWork, blocks: Column) -> _Wave:
    warps = work.warps_per_block * blocks
    # A warp issues at its own scheduler only.
    schedulers = max(1, work.gpu.warp_schedulers_per_sm)
    issue = part.computation * schedulers * np.ceil(warps / schedulers)
    busy = part.memory * warps
    alone = np.where(blocks > 0, part.latency + part.memory, 0.0)
    return _Wave(np.maximum(np.maximum(busy, issue), alone), np.minimum(busy, alone))


def _repeats(work: KernelWork) -> tuple[int, int]:
    """In how many parts the trace repeats a loop's body, and how many waves are simulated at most.

    Read from the trace of one warp whose requests are not counted: those of the launches differ in their staging only.
    """
    nothing = Registers(1, 1, 0, 0, 0)
    launch = LaunchConfig((work.gpu.warp_size_threads, 1, 1))
    shape = grid(work.kernel, launch, work.sized.sizes, work.gpu.warp_size_threads)
    counts = LaunchCounts(shape, {}, (), nothing)
    operations = build_trace(work.sized, launch, counts, work.gpu).operations
    parts = Counter(operation.access for operation in operations if operation.access is not None)
    waves = max(1, min(SIMULATED_WAVES, SIMULATED_STEPS // max(1, len(operations))))
    return max(parts.values(), default=1), waves
