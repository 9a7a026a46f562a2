"""A warp's requests to global memory as MWP-CWP sees them: transactions, coalesced or not, and departure delays."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.gpu.launch.launches import Column, Flags, Table
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import copy_load_cycles, load_store_cycles
from warplens.analysis.models.launch_work.request_latency import (
    l2_passes,
    spill_bytes_per_warp,
    staging_bytes_per_warp,
)
from warplens.analysis.models.results.quantity import quotient
from warplens.analysis.simulation.memory_time import sector_bytes


@dataclass(frozen=True, slots=True, eq=False)
class Requests:
    """Requests of a warp to global memory over its life. Shape: tables as in `KernelWork`, columns (launches,).

    A departure delay is the time until the SM's next request can leave.
    """

    count: Table
    """Of each access; 0 where it is staged."""
    transactions: Table
    """Of one request."""
    is_coalesced: Flags
    departure_cycles: Table
    waits: Table
    """Times that the warp waits for the access; loads that are in flight together share one."""
    copy_departure_cycles: Column
    """Of a copy to shared memory."""
    spill_departure_cycles: Column
    """Of a store or reload of a register."""


def requests_of(work: KernelWork) -> Requests:
    """Global requests of a warp by the rules of the GPU's compute capability.

    A departure delay is the profile's, which is that of requests to DRAM: what L1 serves does not leave the SM. Without
    one, it is what a request occupies the busier of two pipelines that overlap, the SM's load/store path and its share
    of L2: the busier one decides how soon the next request leaves, for all requests of the launch.
    Source: Hong & Kim, section 3.4.5. Assumes: bandwidth split evenly over the SMs that have a block.
    """
    gpu = work.gpu
    count = np.where(work.is_staged, 0.0, work.requests_per_warp)
    waiting = np.where(work.is_staged, 0.0, work.waiting_requests_per_warp)
    transactions, is_coalesced = _transactions(work)
    copies, spills = work.staging_requests_per_warp, work.spill_requests_per_warp
    path, path_alone = load_store_cycles(work), gpu.warp_size_threads / gpu.load_store_units_per_sm
    l2 = _l2_cycles(work, l2_passes(work) * sector_bytes(gpu))
    copy_l2 = _l2_cycles(work, quotient(staging_bytes_per_warp(work), copies)[:, None])[:, 0]
    spill_l2 = _l2_cycles(work, quotient(spill_bytes_per_warp(work), spills)[:, None])[:, 0]
    copy_path = copy_load_cycles(work)
    on_path = (count * path).sum(axis=1) + copies * copy_path + spills * path_alone
    is_l2 = (count * l2).sum(axis=1) + copies * copy_l2 + spills * spill_l2 > on_path
    departure = np.where(is_l2[:, None], l2, path)
    copy_departure = np.where(is_l2, copy_l2, copy_path)
    beyond_l1 = quotient(work.l2_sectors_per_request, work.sectors_per_request)
    fit = gpu.mwp_cwp
    if fit is not None and fit.departure_delay_coalesced_cycles is not None:
        departure = np.where(is_coalesced, fit.departure_delay_coalesced_cycles * beyond_l1, departure)
        copy_departure = np.full(len(count), fit.departure_delay_coalesced_cycles)
    if fit is not None and fit.departure_delay_uncoalesced_cycles is not None:
        each = fit.departure_delay_uncoalesced_cycles * transactions
        departure = np.where(is_coalesced, departure, each * beyond_l1)
    return Requests(
        count=count,
        transactions=transactions,
        is_coalesced=is_coalesced,
        departure_cycles=departure,
        waits=waiting / work.mlp[:, None],
        copy_departure_cycles=copy_departure,
        spill_departure_cycles=np.where(is_l2, spill_l2, path_alone),
    )


def even_sms(work: KernelWork) -> Column:
    """#Active_SMs, were all of them as full as the fullest one; at least 1.

    A grid of one block more than there are SMs takes two blocks' time, at the bandwidth that its blocks share.
    """
    return np.maximum(1.0, quotient(work.blocks, np.ceil(work.blocks / work.active_sms), 1.0))


def with_fitted_latency(work: KernelWork) -> KernelWork:
    """The work on a GPU whose DRAM latency is the model's own Mem_LD, where the profile has one."""
    gpu = work.gpu
    if gpu.mwp_cwp is None or gpu.mwp_cwp.memory_latency_cycles is None:
        return work
    dram = replace(gpu.dram, latency_cycles=gpu.mwp_cwp.memory_latency_cycles)
    return replace(work, gpu=replace(gpu, dram=dram))


def _transactions(work: KernelWork) -> tuple[Table, Flags]:
    """Transactions of one request, and whether these are no more than neighbouring words need.

    What a request is cut into is the GPU's `coalescing`.
    """
    gpu = work.gpu
    warp_bytes = np.array([float(requested_bytes(facts)) for facts in work.kernel.accesses]) * gpu.warp_size_threads
    if gpu.coalescing == "words in order":
        in_order = np.isclose(work.sectors_per_request * sector_bytes(gpu), warp_bytes)
        return np.where(in_order, 1.0, float(gpu.warp_size_threads)), in_order
    if gpu.coalescing == "lines":
        transactions, bytes_each = work.lines_per_request, gpu.l1.line_bytes
    else:
        transactions, bytes_each = work.sectors_per_request, sector_bytes(gpu)
    return transactions, transactions <= np.maximum(1.0, warp_bytes / bytes_each)


def _l2_cycles(work: KernelWork, size_bytes: Table) -> Table:
    """Cycles that bytes occupy an SM's share of L2; 0 where there is no L2."""
    rate = work.gpu.l2.bandwidth_bytes_per_s / work.gpu.clock_hz / even_sms(work)[:, None]
    return quotient(size_bytes, rate)
