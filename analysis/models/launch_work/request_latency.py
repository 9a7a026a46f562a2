"""What the requests of a kernel wait for and move: latencies and bytes from the shares of L1, L2 and DRAM."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.simulation.memory_time import sector_bytes, sectors_per_lookup
from warplens.analysis.simulation.spill_time import SLOT_BYTES


def request_latency_cycles(work: KernelWork) -> Table:
    """Average latency of one request of each access: of the levels that serve its sectors, or of shared memory.

    Shape: (launches, accesses). Units: cycles. An access without sectors has L1's.
    Not modelled: bank conflicts and the time that sectors take to transfer (`memory_time.request_time`).
    """
    gpu = work.gpu
    from_l2, from_dram = work.waits_l2, work.waits_dram
    latency = (
        (1 - from_l2) * gpu.l1.latency_cycles
        + (from_l2 - from_dram) * gpu.l2.latency_cycles
        + from_dram * gpu.dram.latency_cycles
    )
    return np.where(work.is_staged, gpu.shared.latency_cycles, latency)


def dram_share(work: KernelWork) -> Table:
    """Share of the sectors of each access that DRAM serves; 0 for an access without sectors."""
    sectors = np.maximum(work.sectors_per_request, 1e-30)
    return np.minimum(_l2_share(work), work.dram_sectors_per_request / sectors)


def _l2_share(work: KernelWork) -> Table:
    """Share that L1 does not serve: L2's and DRAM's."""
    return np.minimum(1.0, work.l2_sectors_per_request / np.maximum(work.sectors_per_request, 1e-30))


def staging_latency_cycles(work: KernelWork) -> Column:
    """Average latency of a copy to shared memory, or from there. Units: cycles."""
    gpu = work.gpu
    share, stores = np.maximum(work.staging_dram_share, work.staging_dram_waits), work.staging_store_share
    loaded = share * gpu.dram.latency_cycles + (1 - share) * gpu.l2.latency_cycles
    return (1 - stores) * loaded + stores * gpu.shared.latency_cycles


def spill_latency_cycles(work: KernelWork) -> Column:
    """Average latency of the reload of a register that did not fit. Units: cycles."""
    gpu = work.gpu
    stores = work.spill_requests_per_warp - work.spill_reloads_per_warp
    reloads = np.maximum(work.spill_reloads_per_warp, 1e-30)
    from_l2 = np.clip((work.spill_l2_requests_per_warp - stores) / reloads, 0.0, 1.0)
    behind_l1 = gpu.l2.latency_cycles + work.spill_dram_share * (gpu.dram.latency_cycles - gpu.l2.latency_cycles)
    latency: Column = from_l2 * behind_l1 + (1 - from_l2) * gpu.l1.latency_cycles
    return latency


def spill_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes of spilled registers that a warp moves between its SM and L2 over its life."""
    return work.spill_l2_requests_per_warp * (work.gpu.warp_size_threads * SLOT_BYTES)


def staging_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes of the sectors of L2 that a warp copies to shared memory over its life."""
    return work.staging_requests_per_warp * work.staging_sectors_per_request * work.gpu.l2.sector_bytes


def l1_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes of the sectors that a warp's requests touch, found in L1 or not; copies to shared memory included."""
    return _bytes(work, work.sectors_per_request) + staging_bytes_per_warp(work)


def record_bytes_per_warp(work: KernelWork) -> Column:
    """The same, where accesses that differ by a constant (the numbers of a record) touch their sectors together."""
    records: dict[tuple[object, ...], list[int]] = {}
    for column, facts in enumerate(work.kernel.accesses):
        records.setdefault((facts.access.array, facts.is_write, facts.stride_bytes), []).append(column)
    each = work.requests_per_warp * work.sectors_per_request * sector_bytes(work.gpu)
    return sum((each[:, columns].max(axis=1) for columns in records.values()), start=staging_bytes_per_warp(work))


def l2_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes between an SM and L2 or beyond, loads and stores; copies to shared memory and spills included."""
    return _bytes(work, work.l2_sectors_per_request) + staging_bytes_per_warp(work) + spill_bytes_per_warp(work)


def l2_passes(work: KernelWork) -> Table:
    """Sectors that L2 could have served in the time of one request of each access (`memory_time.l2_passes`)."""
    passes: Table = _l2_share(work) * np.maximum(
        work.sectors_per_request, sectors_per_lookup(work.gpu) * work.lines_per_request
    )
    return passes


def l2_time_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes that L2 could have moved in the time that it takes for a warp's: `l2_bytes_per_warp` with its lookups."""
    return _bytes(work, l2_passes(work)) + staging_bytes_per_warp(work) + spill_bytes_per_warp(work)


def dram_bytes_per_warp(work: KernelWork) -> Column:
    """Bytes from and to device memory, copies to shared memory and spills that L2 has no room for included.

    Short runs count as what they cost (dram_runs.py).
    """
    staged = staging_bytes_per_warp(work) * work.staging_dram_share
    return (
        _bytes(work, work.dram_sectors_per_request * work.dram_run)
        + staged
        + spill_bytes_per_warp(work) * work.spill_dram_share
    )


def _bytes(work: KernelWork, sectors_per_request: Table) -> Column:
    moved: Column = (work.requests_per_warp * sectors_per_request).sum(axis=1) * sector_bytes(work.gpu)
    return moved
