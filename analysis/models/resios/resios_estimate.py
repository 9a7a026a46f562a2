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
    repeats = _repeats(work)
    longest_run = repeats.waves
    # A grid that fits in the simulated waves is seen from the busiest SM; a longer one is simulated in part.
    blocks = np.where(blocks_per_sm <= longest_run * resident, np.ceil(blocks_per_sm), blocks_per_sm)
    full = np.floor(blocks / resident)
    rest = blocks - full * resident
    wave, tail = (_wave(program, staging, work, repeats, number) for number in (resident, rest))
    simulated = np.minimum(np.maximum(full, 1.0), longest_run)
    fill = wave.fill * np.maximum(1.0, full / simulated)
    cycles = (full * wave.longer + tail.longer + fill) * (work.blocks > 0)
    alone = program.latency + program.memory + staging.latency + staging.memory
    return np.maximum(cycles, least_cycles(work.gpu, work.blocks, resident, alone)) / work.gpu.clock_hz


@dataclass(frozen=True, slots=True)
class _Repeats:
    """Of a trace: in how many `slices` it repeats a loop's body, its `requests`, and the `waves` simulated at most."""

    slices: int
    requests: int
    waves: int


@dataclass(frozen=True, slots=True, eq=False)
class _Wave:
    """Cycles of blocks that run together on an SM: of the `longer` part, and of what it does not hide.

    That is at the start or end a request's transfer, or its latency before or after them; and in each slice what
    requests and computation, which follow each other there, leave beside the longer of them.
    """

    longer: Column
    fill: Column


def _wave(program: PipeCycles, staging: PipeCycles, work: KernelWork, repeats: _Repeats, blocks: Column) -> _Wave:
    """A wave of blocks. A barrier keeps the copies to shared memory and the program of a block apart.

    Where blocks stage again and again, the copies of one overlap with the program of the others beside it; where they
    stage once, all are in step.
    """
    copies, body, both = (_part(part, work, repeats, blocks) for part in (staging, program, program + staging))
    overlap = np.where(work.barriers_per_warp > 1, 1 - 1 / np.maximum(1.0, blocks), 0.0)
    return _Wave(
        overlap * both.longer + (1 - overlap) * (copies.longer + body.longer),
        overlap * both.fill + (1 - overlap) * (copies.fill + body.fill),
    )


def _part(part: PipeCycles, work: KernelWork, repeats: _Repeats, blocks: Column) -> _Wave:
    warps = work.warps_per_block * blocks
    # A warp issues at its own scheduler only.
    schedulers = max(1, work.gpu.warp_schedulers_per_sm)
    issue = part.computation * schedulers * np.ceil(warps / schedulers)
    busy = part.memory * warps
    alone = np.where(blocks > 0, part.latency + part.memory, 0.0)
    longer = np.maximum(np.maximum(busy, issue), alone)
    requests = np.maximum(busy, part.waiting * (blocks > 0))
    computation = np.maximum(issue, (part.latency - part.waiting) * (blocks > 0))
    in_step = np.maximum(0.0, requests + computation - longer)
    return _Wave(longer, np.minimum(busy, alone) / repeats.requests + in_step / repeats.slices)


def _repeats(work: KernelWork) -> _Repeats:
    """Read from the trace of one warp whose requests are not counted: those of the launches differ in staging only."""
    nothing = Registers(1, 1, 0, 0, 0)
    launch = LaunchConfig((work.gpu.warp_size_threads, 1, 1))
    shape = grid(work.kernel, launch, work.sized.sizes, work.gpu.warp_size_threads)
    counts = LaunchCounts(shape, {}, (), nothing)
    operations = build_trace(work.sized, launch, counts, work.gpu).operations
    parts = Counter(operation.access for operation in operations if operation.access is not None)
    waves = max(1, min(SIMULATED_WAVES, SIMULATED_STEPS // max(1, len(operations))))
    return _Repeats(max(parts.values(), default=1), max(1, parts.total()), waves)
