"""Resios eq. 4.6, 4.8 and 4.9: cycles of a memory request; what a request occupies at each level of the hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.access_cost import AccessCost
from warplens.analysis.gpu.gpu import Gpu


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


def request_time(cost: AccessCost, size_bytes: int, gpu: Gpu, active_sms: int) -> RequestTime:
    """What one request of an access costs on `gpu` while `active_sms` SMs share L2 and DRAM.

    The latency is that of the level that serves it. Its bytes pass every level up to that one: whole sectors in L2 and
    DRAM, the load/store path of the SM for at least warp_size / load-store-units cycles.
    Source: Resios eq. 4.8 per level and 4.9.
    Assumes: bandwidth split evenly over the SMs that have work (Resios 4.8 splits over all of them, and names that as
    the cause of its factor 2 on memcpy).
    Not modelled: DRAM pages and channels, TLB misses, L2 slices that are further away.
    """
    load_store = gpu.warp_size_threads / gpu.load_store_units_per_sm
    if cost.served_by == "register":
        return RequestTime(0.0, 0.0, 0.0, 0.0)
    if cost.served_by == "shared":
        shared = gpu.shared
        penalty = shared_penalty_cycles(
            size_bytes,
            cost.conflict_degree - 1,
            gpu.warp_size_threads,
            shared.banks,
            shared.bytes_per_cycle_per_sm / shared.banks,
        )
        return RequestTime(shared.latency_cycles, max(load_store, penalty), 0.0, 0.0)
    latency = {"l1": gpu.l1.latency_cycles, "l2": gpu.l2.latency_cycles, "dram": gpu.dram.latency_cycles}
    l1_share = gpu.l1.bandwidth_bytes_per_s / gpu.clock_hz / gpu.sm_count
    l2_share = gpu.l2.bandwidth_bytes_per_s / gpu.clock_hz / max(1, active_sms)
    dram_share = gpu.dram.bandwidth_bytes_per_s / gpu.clock_hz / max(1, active_sms)
    transactions, transaction_bytes = transactions_of(cost, gpu)
    below_l1 = transactions if cost.served_by in {"l2", "dram"} else 0.0
    from_dram = transactions if cost.served_by == "dram" else 0.0
    through_l1 = global_penalty_cycles(transaction_bytes, transactions, l1_share)
    return RequestTime(
        latency_cycles=latency[cost.served_by],
        load_store_cycles=max(load_store, through_l1, cost.lines),
        l2_cycles=global_penalty_cycles(transaction_bytes, below_l1, l2_share),
        dram_cycles=global_penalty_cycles(transaction_bytes, from_dram, dram_share),
    )


def transactions_of(cost: AccessCost, gpu: Gpu) -> tuple[float, int]:
    """Transactions of a request and their bytes: whole lines where L1 caches loads by line, else sectors of L2."""
    if gpu.l1.size_bytes and gpu.l1.sector_bytes == gpu.l1.line_bytes:
        return cost.lines, gpu.l1.line_bytes
    return cost.sectors, gpu.l2.sector_bytes
