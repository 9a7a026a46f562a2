"""What the bytes of device memory cost more for lying in short runs."""

from __future__ import annotations

from collections.abc import Mapping

from support.one_launch.footprint import group_granules
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.walk import Counts, WalkGroup
from warplens.analysis.ir.ids import NodeId

TOGETHER = 16
"""Iterations of a thread's innermost loop whose loads are in flight together."""


def run_cost(group: WalkGroup, wave_threads: Counts, trips: Mapping[NodeId, float], gpu: Gpu) -> float:
    """Bytes of the least runs that a wave touches at one time, over those of its sectors; at least 1."""
    least, sector = gpu.dram.least_run_bytes, gpu.l2.sector_bytes
    if least <= sector:
        return 1.0
    innermost = {loop: min(TOGETHER, trips[loop]) for loop in group.path[-1:]}
    at_one_time = {**wave_threads, **innermost}
    sectors_bytes = sector * group_granules(group, at_one_time, sector)
    return max(1.0, least * group_granules(group, at_one_time, least) / sectors_bytes) if sectors_bytes else 1.0
