"""How long a warp occupies each pipeline of its SM, and how long it takes on its own: columns from a kernel's work.

The columns' counterpart of simulation/memory_time.py and trace.py, which say the same of one launch; a property test
holds them together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.request_latency import (
    dram_bytes_per_warp,
    l2_time_bytes_per_warp,
    request_latency_cycles,
    spill_latency_cycles,
    staging_bytes_per_warp,
    staging_latency_cycles,
)
from warplens.analysis.models.results.quantity import weighted
from warplens.analysis.simulation.arithmetic_units import occupied_units
from warplens.analysis.simulation.memory_time import sector_bytes

_REMEMBERED_GPUS = 8
"""An analysis asks for one, thousands of times."""


@dataclass(frozen=True, slots=True, eq=False)
class PipeCycles:
    """Cycles of the SM over the life of one warp. Shape: (launches,).

    The four pipelines of `simulation.operation.PIPES`; `latency` is what the warp would wait with nobody else on the
    GPU, its independent instructions overlapped.
    """

    issue: Column
    load_store: Column
    l2: Column
    dram: Column
    latency: Column
    special: Column
    """Of the special-function units, beside the others."""

    @property
    def busiest(self) -> Column:
        """Cycles at the pipeline that is occupied longest."""
        longest: Column = np.maximum(self.computation, self.memory)
        return longest

    @property
    def computation(self) -> Column:
        """Cycles at the busier of the units that compute."""
        longest: Column = np.maximum(self.issue, self.special)
        return longest

    @property
    def memory(self) -> Column:
        """Cycles at the busiest of the pipelines that requests pass."""
        longest: Column = np.maximum(self.load_store, np.maximum(self.l2, self.dram))
        return longest

    def __add__(self, other: PipeCycles) -> PipeCycles:
        """Return the cycles of one part of a warp's life after another."""
        return PipeCycles(
            self.issue + other.issue,
            self.load_store + other.load_store,
            self.l2 + other.l2,
            self.dram + other.dram,
            self.latency + other.latency,
            self.special + other.special,
        )


COPIES_IN_FLIGHT = 4.0
"""Requests of a warp that copy to shared memory together (`ArrayCopy.in_flight`)."""


def pipe_cycles(work: KernelWork) -> PipeCycles:
    """Cycles of a warp under each launch, its copies to shared memory included.

    Source: Resios eq. 4.5 to 4.9 as simulation/memory_time.py applies them. Assumes: bandwidth split evenly over the
    SMs that have a block; one ILP for all basic blocks.
    """
    return program_cycles(work) + staging_cycles(work)


def program_cycles(work: KernelWork) -> PipeCycles:
    """Cycles of the program, without what fills shared memory."""
    gpu = work.gpu
    cycles_per_op, special_per_op = _cycles_per_op(gpu)
    of_units = [weighted(work.arithmetic_per_warp, cycles) for cycles in cycles_per_op]
    spills = work.spill_requests_per_warp
    issued = work.requests_per_warp.sum(axis=1) + spills
    copied = staging_bytes_per_warp(work)
    waiting = work.waiting_requests_per_warp * request_latency_cycles(work)
    in_tiles = (waiting * work.is_staged).sum(axis=1)
    return PipeCycles(
        issue=np.maximum.reduce(of_units) + issued / gpu.issue_warps_per_cycle_per_sm,
        load_store=(work.requests_per_warp * load_store_cycles(work)).sum(axis=1) + spills * _least_cycles(gpu),
        l2=_l2_cycles(work, l2_time_bytes_per_warp(work) - copied),
        dram=_cycles(
            work, dram_bytes_per_warp(work) - copied * work.staging_dram_share, gpu.dram.bandwidth_bytes_per_s
        ),
        latency=(waiting.sum(axis=1) - in_tiles) / work.mlp
        + (arithmetic_latency_cycles(work) + in_tiles + work.spill_reloads_per_warp * spill_latency_cycles(work))
        / work.ilp,
        special=weighted(work.arithmetic_per_warp, special_per_op),
    )


@lru_cache(_REMEMBERED_GPUS)
def _cycles_per_op(gpu: Gpu) -> tuple[tuple[Column, ...], Column]:
    """Cycles for which an instruction of each class occupies each unit, and the special-function unit."""
    occupied = occupied_units(gpu)
    per_op = [occupied[op] for op in OP_CLASSES]
    units = tuple(np.array(each) for each in zip(*(one.units for one in per_op), strict=True))
    return units, np.array([one.special for one in per_op])


def staging_cycles(work: KernelWork) -> PipeCycles:
    """Cycles of the copies to shared memory; those of one array and filling do not wait for each other."""
    gpu = work.gpu
    requests = work.staging_requests_per_warp
    least = _least_cycles(gpu)
    stored = work.staging_bytes_per_request / gpu.shared.bytes_per_cycle_per_sm
    copied = staging_bytes_per_warp(work)
    fillings = fillings_per_block(work) * work.launches.staged.sum(axis=1)
    # Of each filling as many requests are on their way together as the compiler unrolls the copy's loop.
    waited = np.maximum(fillings, requests / COPIES_IN_FLIGHT)
    return PipeCycles(
        issue=requests / gpu.issue_warps_per_cycle_per_sm,
        load_store=requests * (copy_load_cycles(work) + np.maximum(least, stored)),
        l2=_l2_cycles(work, copied),
        dram=_cycles(work, copied * work.staging_dram_share, gpu.dram.bandwidth_bytes_per_s),
        latency=np.minimum(requests, waited) * staging_latency_cycles(work),
        special=np.zeros_like(requests),
    )


def copy_load_cycles(work: KernelWork) -> Column:
    """Cycles in the load/store path of one request that loads what goes to shared memory, its store left out."""
    lines = work.staging_lines_per_request / work.gpu.l1.lines_per_cycle_per_sm
    cycles: Column = np.maximum(_least_cycles(work.gpu), lines)
    return cycles


def fillings_per_block(work: KernelWork) -> Column:
    """How often a block fills its shared memory: each filling has a barrier before and after it, at least one has."""
    return np.maximum(1.0, work.barriers_per_warp / 2)


def arithmetic_latency_cycles(work: KernelWork) -> Column:
    """Latencies of a warp's arithmetic one after the other, nothing overlapped."""
    return weighted(work.arithmetic_per_warp, np.array([work.gpu.timing(op).latency_cycles for op in OP_CLASSES]))


def load_store_cycles(work: KernelWork) -> Table:
    """Cycles of one request of each access in the load/store path: its sectors, lines, or passes over the banks."""
    gpu = work.gpu
    l1_rate = gpu.l1.bandwidth_bytes_per_s / gpu.clock_hz / gpu.sm_count
    through_l1 = work.sectors_per_request * sector_bytes(gpu) / l1_rate if l1_rate > 0 else 0.0
    lines = work.lines_per_request / gpu.l1.lines_per_cycle_per_sm
    size_bytes = np.array([float(requested_bytes(facts)) for facts in work.kernel.accesses])
    bank_rate = gpu.shared.bytes_per_cycle_per_sm / gpu.shared.banks
    shared = (gpu.warp_size_threads / gpu.shared.banks + work.conflict_degree - 1) * size_bytes / bank_rate
    global_ = np.maximum(through_l1, lines)
    cycles: Table = np.maximum(_least_cycles(gpu), np.where(work.is_staged, shared, global_))
    return cycles


def _least_cycles(gpu: Gpu) -> float:
    """A request in the load/store path, whatever it touches."""
    return gpu.warp_size_threads / gpu.load_store_units_per_sm


def _l2_cycles(work: KernelWork, amount_bytes: Column) -> Column:
    """Cycles at an SM's share of L2, no faster than its port."""
    cycles: Column = np.maximum(
        _cycles(work, amount_bytes, work.gpu.l2.bandwidth_bytes_per_s), amount_bytes / work.gpu.l2_port_bytes_per_cycle
    )
    return cycles


def _cycles(work: KernelWork, amount_bytes: Column, bytes_per_s: float) -> Column:
    """Cycles at an SM's share of a bandwidth; 0 where there is no such level."""
    if bytes_per_s <= 0:
        return np.zeros_like(amount_bytes)
    return amount_bytes * work.active_sms * (work.gpu.clock_hz / bytes_per_s)
