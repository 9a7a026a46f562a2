"""The grid of a launch: how many threads have work, how many blocks and warps run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.active_warps import active_warps
from warplens.analysis.gpu.placement.grid_extents import loops_in_thread_order, outputs_run, working_threads
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.kernels.work_per_thread import times_run

LARGEST_OF_A_WARP = 2.07
"""Standard deviations between the mean and the largest of 32 normal numbers, which the expectation of it is."""
LARGEST_COUNT = 10**60
"""Counts stop here (three 64-bit trip counts multiplied are below): every time stays a finite number."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`threads` have an iteration to run; the threads of `blocks` beyond them only test for the end.

    `outputs_run` are the iterations along x, y, z that a warp runs on average, `outputs_per_thread` those of a thread
    that has one (a float each, as the grid's last blocks run less).
    """

    threads: int
    blocks: int
    warps_per_block: int
    active_warps_per_block: float
    """Those with a thread in the grid, the mean over the blocks."""
    loops: tuple[NodeId, ...] = ()
    outputs_run: tuple[float, ...] = ()
    outputs_per_thread: tuple[float, ...] = ()

    @property
    def warps(self) -> float:
        """Warps of the whole grid that have work."""
        return self.blocks * self.active_warps_per_block

    @property
    def simulated_warps_per_block(self) -> int:
        """Warps of a block that has as many with work as the mean one."""
        return max(1, round(self.active_warps_per_block))

    @property
    def has_several_outputs(self) -> bool:
        """Whether a thread runs more than one iteration."""
        return any(run != 1 for run in self.outputs_run)

    def copies_per_warp(self, variation: Variation) -> float:
        """How often a warp runs an instruction that varies so along the grid loops, where one output runs it once."""
        return times_run(variation, self.loops, self.outputs_run, 1.0)

    def copies_per_thread(self, variation: Variation) -> float:
        """The same of a thread that has an iteration to run."""
        return times_run(variation, self.loops, self.outputs_per_thread, 1.0)


def count(formula: Formula, sizes: Mapping[str, int]) -> float:
    """A formula as a count: 0 where it is negative, without value, or divides by zero; at most `LARGEST_COUNT`."""
    try:
        value = formula.evaluate(sizes)
    except (KeyError, ZeroDivisionError):
        return 0.0
    # Its parts, as fractions are slow to compare.
    numerator, denominator = value.as_integer_ratio()
    return min(max(numerator, 0), LARGEST_COUNT * denominator) / denominator


def trips_of_warp(mean: float, is_uneven: bool) -> float:
    """Iterations that a warp runs of a loop whose threads run `mean` of them: as many as the one that runs most.

    Assumes, where data decides: counts are spread as those of independent events (Poisson), whose largest of 32 lies
    2.07 standard deviations above the mean.

    >>> trips_of_warp(16.0, False), trips_of_warp(16.0, True)
    (16.0, 24.28)
    """
    return mean + LARGEST_OF_A_WARP * mean**0.5 if is_uneven else mean


def whole_count(formula: Formula, sizes: Mapping[str, int]) -> int:
    """`count`, exact and rounded up to a whole number (an average trip count of a triangular loop is none)."""
    try:
        return min(max(ceil(formula.evaluate(sizes)), 0), LARGEST_COUNT)
    except (KeyError, ZeroDivisionError):
        return 0


def grid_extents(kernel: Kernel, sizes: Mapping[str, int]) -> tuple[int, ...]:
    """Iterations along x, y, z."""
    return tuple(whole_count(loop.trip_count, sizes) for loop in loops_in_thread_order(kernel))


def grid(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], warp_size_threads: int) -> Grid:
    """Threads of a launch, each with `launch.outputs_per_thread` iterations; none where a loop has no iteration."""
    threads = blocks = 1
    run: list[float] = []
    each: list[float] = []
    extents = grid_extents(kernel, sizes)
    for axis, (extent, size, wanted) in enumerate(zip(extents, launch.block, launch.outputs_per_thread, strict=False)):
        along, outputs = max(1, size), max(1, wanted)
        working = working_threads(extent, along, outputs, axis)
        threads *= working
        blocks *= -(-extent // (along * outputs))
        run.append(outputs_run(extent, along, outputs, axis))
        each.append(extent / working if working else 1.0)
    warps_per_block = max(1, -(-launch.threads_per_block // warp_size_threads))
    covered = (*extents, 1, 1, 1)[:3]
    launched = np.array([launch.block]), np.array([launch.outputs_per_thread])
    active = float(active_warps(covered, *launched, warp_size_threads)[0])
    return Grid(
        min(threads, LARGEST_COUNT),
        min(blocks, LARGEST_COUNT),
        warps_per_block,
        active,
        kernel.thread_order[: len(run)],
        tuple(run),
        tuple(each),
    )
