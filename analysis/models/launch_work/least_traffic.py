"""The device memory traffic that a kernel can't do without, whatever its launch."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.request_latency import staging_bytes_per_warp
from warplens.analysis.simulation.grid import count
from warplens.analysis.simulation.memory_time import sector_bytes


def least_dram_bytes(work: KernelWork) -> Column:
    """Bytes of the whole grid that have to pass between device memory and chip: each array's elements once.

    An array of unknown extent counts with what the launch moves; no array counts with more than that. Elements that
    are read and written pass twice.
    Assumes: nothing of an array is in the caches when the launch starts, unless the work says so.
    """
    moved = work.requests_per_warp * work.dram_sectors_per_request * sector_bytes(work.gpu)
    grid_bytes = np.where(work.is_staged, 0.0, moved) * work.warps[:, None]
    columns: dict[str, list[int]] = {}
    for column, facts in enumerate(work.kernel.accesses):
        if not facts.is_private:
            columns.setdefault(facts.access.array, []).append(column)
    staged = staging_bytes_per_warp(work) * work.staging_dram_share * work.warps
    total = np.zeros(len(work.blocks))
    in_staged = np.zeros(len(work.blocks))
    for of_array in columns.values():
        accesses = [work.kernel.accesses[column] for column in of_array]
        directions = any(a.is_read for a in accesses) + any(a.is_write for a in accesses)
        extents = [count(a.array_bytes, work.sized.sizes) for a in accesses if a.array_bytes is not None]
        extent = max(extents) if extents else np.inf
        total += np.minimum(grid_bytes[:, of_array].sum(axis=1), extent * directions)
        in_staged += np.where(work.is_staged[:, of_array].any(axis=1), extent, 0.0)
    return total + np.minimum(staged, in_staged)
