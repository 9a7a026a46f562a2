"""The grid of a launch: how many threads have work, how many blocks and warps run them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.waves import loops_in_thread_order
from warplens.analysis.ir.formula import Formula

LARGEST_COUNT = 10**60
"""Counts stop here (three 64-bit trip counts multiplied are below): every time stays a finite number."""


@dataclass(frozen=True, slots=True)
class Grid:
    """`threads` have an iteration to run; the threads of `blocks` beyond them only test for the end."""

    threads: int
    blocks: int
    warps_per_block: int

    @property
    def warps(self) -> int:
        """Warps of the whole grid."""
        return self.blocks * self.warps_per_block


def count(formula: Formula, sizes: Mapping[str, int]) -> float:
    """A formula as a count: 0 where it is negative, without value, or divides by zero; at most `LARGEST_COUNT`."""
    try:
        value = formula.evaluate(sizes)
    except (KeyError, ZeroDivisionError):
        return 0.0
    return float(min(max(value, Fraction(0)), Fraction(LARGEST_COUNT)))


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
    """One thread per iteration of the grid loops; no thread where a loop has no iteration."""
    threads = 1
    blocks = 1
    for extent, along in zip(grid_extents(kernel, sizes), launch.block, strict=False):
        threads *= extent
        blocks *= -(-extent // max(1, along))
    warps_per_block = max(1, -(-launch.threads_per_block // warp_size_threads))
    return Grid(min(threads, LARGEST_COUNT), min(blocks, LARGEST_COUNT), warps_per_block)
