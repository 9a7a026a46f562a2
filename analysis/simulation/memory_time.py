"""Resios eq. 4.6, 4.8 and 4.9: cycles of a memory request; what a request occupies at each level of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.requests.access_cost import RequestCount
from warplens.analysis.simulation.launch_counts import ArrayCopy


@dataclass(frozen=True, slots=True)
class RequestTime:
    """One request of one warp, in cycles of its SM.

    `latency_cycles` can be hidden by other warps; the penalties (Resios' word for the time a transfer occupies a level)
    can't: they queue behind those of the other warps.
    """

    latency_cycles: float
    load_store_cycles: float
    l2_cycles: float
    dram_cycles: float


def memory_delay_cycles(latency_cycles: float, penalty_cycles: float, parallelism: float) -> float:
    """Delay of one request when `parallelism` = ILP · TLP of them overlap, in cycles of the SM per request.

    Equation: latency / p + penalty, so that p requests take latency + p · penalty. The paper drops the penalty for
    p ≤ max_p; its own worked number (500 + 16·c at p = max_p = 8) keeps it, and so does this function for every p: a
    transfer takes its time however few there are.
    Source: Resios eq. 4.6. Raises: ZeroDivisionError for p = 0.

    >>> 8 * memory_delay_cycles(500.0, 2.0, 8)
    516.0
    """
    return latency_cycles / parallelism + penalty_cycles


def global_penalty_cycles(transaction_bytes: float, transactions: float, bytes_per_cycle: float) -> float:
    """Cycles a request occupies a level of global memory: transaction size · c / BW.

    Source: Resios eq. 4.8 and 4.7; `bytes_per_cycle` is the SM's share. Zero where no bandwidth is known (the level
    does not exist on this GPU).
    """
    return transaction_bytes * transactions / bytes_per_cycle if bytes_per_cycle > 0 else 0.0


def shared_penalty_cycles(
    size_bytes: float, extra_conflicts: float, warp_size_threads: int, banks: int, bank_bytes_per_cycle: float
) -> float:
    """Cycles a request occupies shared memory: warp_size·size / (n_banks·BW_bank) + c·size / BW_bank.

    Source: Resios eq. 4.9; `extra_conflicts` = conflict degree - 1. Raises: ZeroDivisionError without banks.
    """
    return (warp_size_threads * size_bytes / banks + extra_conflicts * size_bytes) / bank_bytes_per_cycle


def request_time(request: RequestCount, size_bytes: int, gpu: Gpu, active_sms: int) -> RequestTime:
    """What one request of an access costs on `gpu` while `active_sms` SMs share L2 and DRAM.

    Bytes pass every level up to the one that serves them: whole sectors in L2 and DRAM, the load/store path of the SM
    for at least warp_size / load-store-units cycles and as long as its lines take. The latency is the average of those
    of the levels that requests wait for (`RequestCount.waits`).
    Source: Resios eq. 4.8 per level and 4.9.
    Assumes: bandwidth split evenly over the SMs that have work (Resios 4.8 splits over all of them, and names that as
    the cause of its factor 2 on memcpy).
    Not modelled: DRAM pages and channels, TLB misses, L2 slices that are further away.
    """
    load_store = gpu.warp_size_threads / gpu.load_store_units_per_sm
    if request.memory == "register":
        return RequestTime(0.0, 0.0, 0.0, 0.0)
    if request.memory == "shared":
        return RequestTime(gpu.shared.latency_cycles, max(load_store, _shared(request, size_bytes, gpu)), 0.0, 0.0)
    sector = sector_bytes(gpu)
    shares = bandwidth_shares(gpu, active_sms)
    l1_share = gpu.l1.bandwidth_bytes_per_s / gpu.clock_hz / gpu.sm_count
    return RequestTime(
        latency_cycles=_latency_cycles(request, gpu),
        load_store_cycles=max(
            load_store,
            global_penalty_cycles(sector, request.sectors, l1_share),
            request.lines / gpu.l1.lines_per_cycle_per_sm,
        ),
        l2_cycles=global_penalty_cycles(sector, l2_passes(request, gpu), shares.l2_bytes_per_cycle),
        dram_cycles=request.dram_run * global_penalty_cycles(sector, request.dram_sectors, shares.dram_bytes_per_cycle),
    )


def l2_passes(request: RequestCount, gpu: Gpu) -> float:
    """Sectors that L2 could have served in the time of a request: a slice looks up one line at a time.

    It moves `lookup_bytes` of a line meanwhile, so that a request whose lanes lie in lines of their own takes longer
    than its sectors: gathers of floats from 4 MiB get 3.7 TB/s of an H100's L2, streams 8.2.
    """
    if not request.sectors:
        return 0.0
    beyond = request.l2_sectors / request.sectors
    return beyond * max(request.sectors, sectors_per_lookup(gpu) * request.lines)


def sectors_per_lookup(gpu: Gpu) -> float:
    """Sectors of a line that a slice of L2 moves while it looks up the next line; at least 1."""
    return max(1.0, gpu.l2.lookup_bytes / sector_bytes(gpu))


def staging_time(gpu: Gpu, active_sms: int, copy: ArrayCopy) -> RequestTime:
    """Average request that copies an element per thread to shared memory, from DRAM by its share, from L2 otherwise.

    One that copies back waits for shared memory alone.
    """
    requests, dram_share = max(1.0, copy.requests), copy.dram_share
    shares = bandwidth_shares(gpu, active_sms)
    load_store = gpu.warp_size_threads / gpu.load_store_units_per_sm
    load = max(load_store, copy.lines / requests / gpu.l1.lines_per_cycle_per_sm)
    sector, sectors = gpu.l2.sector_bytes, copy.sectors / requests
    waits = max(dram_share, copy.dram_waits)
    loaded = waits * gpu.dram.latency_cycles + (1 - waits) * gpu.l2.latency_cycles
    return RequestTime(
        latency_cycles=gpu.shared.latency_cycles if copy.is_written else loaded,
        load_store_cycles=load + max(load_store, copy.stored_bytes / requests / gpu.shared.bytes_per_cycle_per_sm),
        l2_cycles=global_penalty_cycles(sector, sectors, shares.l2_bytes_per_cycle),
        dram_cycles=global_penalty_cycles(sector, sectors * dram_share, shares.dram_bytes_per_cycle),
    )


@dataclass(frozen=True, slots=True)
class BandwidthShares:
    """What one of the SMs that have work gets, per cycle."""

    l2_bytes_per_cycle: float
    dram_bytes_per_cycle: float


def bandwidth_shares(gpu: Gpu, active_sms: int) -> BandwidthShares:
    """Even shares of L2 and DRAM bandwidth, of L2 no more than an SM's port takes."""
    sms = max(1, active_sms)
    l2 = gpu.l2.bandwidth_bytes_per_s / gpu.clock_hz / sms
    return BandwidthShares(min(l2, gpu.l2_port_bytes_per_cycle), gpu.dram.bandwidth_bytes_per_s / gpu.clock_hz / sms)


def sector_bytes(gpu: Gpu) -> int:
    """Unit of `RequestCount.sectors`: L1's where it caches global loads (a whole line on Fermi), else L2's."""
    return gpu.l1.sector_bytes if gpu.l1.size_bytes else gpu.l2.sector_bytes


def _shared(request: RequestCount, size_bytes: int, gpu: Gpu) -> float:
    shared = gpu.shared
    bank_bytes_per_cycle = shared.bytes_per_cycle_per_sm / shared.banks
    extra = request.conflict_degree - 1
    return shared_penalty_cycles(size_bytes, extra, gpu.warp_size_threads, shared.banks, bank_bytes_per_cycle)


def _latency_cycles(request: RequestCount, gpu: Gpu) -> float:
    if not request.sectors:
        return gpu.l1.latency_cycles
    from_l2, from_dram = request.waits or (
        min(1.0, request.l2_sectors / request.sectors),
        min(1.0, request.dram_sectors / request.sectors),
    )
    return (
        (1 - from_l2) * gpu.l1.latency_cycles
        + (from_l2 - from_dram) * gpu.l2.latency_cycles
        + from_dram * gpu.dram.latency_cycles
    )
