"""Short runs of bytes in device memory: opening a row costs as much as a longer run would.

What a wave of blocks touches at one time of an array is a number of runs. A run of 32 bytes keeps a channel of HBM as
long as 64 bytes do (`dram.least_run_bytes`). Gathers of floats from 64 MB get 1.4 TB/s of an H100's 3.0 by their
sectors, and nearly all of it by runs of 64 bytes; so does a copy of every 32nd number.
"""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.gpu.caches.reuse import group_granules
from warplens.analysis.gpu.launch.numbers import Number, larger
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.walk import WalkGroup
from warplens.analysis.ir.ids import NodeId

ITERATIONS = 16.0
"""Of the innermost loop that are about at one time: those of an unrolled body, whose loads are in flight together."""


def run_cost(group: WalkGroup, threads: Mapping[NodeId, Number], trips: Mapping[NodeId, float], gpu: Gpu) -> Number:
    """By how much the bytes of device memory that a group touches cost more than those of long runs; at least 1.

    `threads` are the grid loops' counts of a wave of blocks. Equation: least runs that the wave touches at one time, in
    bytes, over its sectors. Assumes: runs begin where least runs do.
    """
    run_bytes, sector_bytes = gpu.dram.least_run_bytes, gpu.l2.sector_bytes
    if run_bytes <= sector_bytes:
        return 1.0
    counts = dict(threads)
    if group.path:
        counts[group.path[-1]] = min(ITERATIONS, trips[group.path[-1]])
    sectors = larger(1e-9, group_granules(group, counts, sector_bytes))
    return larger(1.0, group_granules(group, counts, run_bytes) * (run_bytes / sector_bytes) / sectors)
