"""Which regions are worth staging, for many launches at once, as `shared_memory.shared_opportunities` has it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import Variation
from warplens.analysis.facts.work_per_thread import varying_accesses
from warplens.analysis.gpu.batch_regions import BatchRegion
from warplens.analysis.gpu.batch_requests import touched_bytes, unshifted_granules
from warplens.analysis.gpu.coalescing import lane_addresses
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.launches import Flags
from warplens.analysis.gpu.tiles import Tiles


def worth_staging(kernel: Kernel, region: BatchRegion, tiles: Tiles, sizes: Mapping[str, int], gpu: Gpu) -> Flags:
    """Whether a block reads a region more often than it fills it, and asks for more sectors than that takes.

    Shape: (tiles,). Source and what is assumed: `shared_memory.shared_opportunities`.
    """
    rows = tiles.rows
    values = rows.values(kernel, sizes)
    varying = varying_accesses(kernel)
    warps = -(-tiles.block.prod(axis=1) // gpu.warp_size_threads)
    row_threads = np.add.reduceat(rows.active.sum(axis=1), rows.first_row)
    threads = (row_threads / np.bincount(rows.shape_of_row))[tiles.shape_of_tile] * warps
    reads, traffic = np.zeros(len(warps)), np.zeros(len(warps))
    for facts in region.accesses:
        addresses = lane_addresses(facts.address, values, sizes)
        if addresses is None:
            continue
        executions = float(facts.executions_per_thread.evaluate(sizes))
        executions_of_tile = executions * tiles.copies_along(
            kernel.thread_order, varying.get(facts.access.id, Variation())
        )
        touched = touched_bytes(addresses, rows.active, facts.access.element_bytes)
        sectors = unshifted_granules(touched, tiles, gpu.l2.sector_bytes)
        reads += executions_of_tile * threads
        traffic += executions_of_tile * warps * sectors * gpu.l2.sector_bytes
    filled = region.size_bytes * region.stagings
    worth: Flags = (traffic > filled) & (reads > filled / region.element_bytes)
    return worth
