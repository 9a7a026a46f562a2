"""Haigh & McCreath's model fed from the nest: its equations on the traffic and instructions of the launch.

Beyond the paper: 32-byte sectors instead of whole lines, caches (bytes are counted per level, the slowest level is the
memory cost), shared-memory conflicts and spills (in the computation cost), occupancy with NVIDIA's allocation units,
blocks of any shape, halos read again (in the staged bytes), SMs without a block and a last wave that is not full.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.haigh.haigh import WORD_BYTES, cost_s, effective_rate, estimated_time_s, saturating_bytes
from warplens.analysis.models.launch_work.explained_time import explained_time
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import arithmetic_latency_cycles, fillings_per_block, pipe_cycles
from warplens.analysis.models.launch_work.request_latency import (
    dram_bytes_per_warp,
    l1_bytes_per_warp,
    l2_time_bytes_per_warp,
    request_latency_cycles,
    staging_latency_cycles,
)
from warplens.analysis.models.results.memory_hotspots import memory_hotspots
from warplens.analysis.models.results.prediction import BoundBy, Prediction
from warplens.analysis.models.results.quantity import quotient

MODEL = "haigh"

MODEL_ASSUMPTIONS = (
    Assumption("machine", "overlap", "Memory and computation do not overlap: their times are added."),
    Assumption(
        "machine",
        "saturation",
        "Bandwidth and instruction rate grow in proportion to what is in flight until they are reached.",
    ),
    Assumption(
        "machine",
        "synchronisation",
        "A multiprocessor's only block takes twice as long when it synchronises inside a loop.",
    ),
)


@dataclass(frozen=True, slots=True, eq=False)
class HaighCost:
    """Costs of each launch in seconds; `waiting_s` is the part of `memory_s` that more in flight would save."""

    memory_s: Column
    waiting_s: Column
    computation_s: Column
    synchronisation_s: Column

    @property
    def time_s(self) -> Column:
        """Estimated time."""
        return self.memory_s + self.computation_s + self.synchronisation_s


def haigh_time_s(work: KernelWork) -> Column:
    """Seconds of each launch: the model as a cost function of the search."""
    return haigh_cost(work).time_s


def haigh_cost(work: KernelWork) -> HaighCost:
    """Costs of each launch.

    The grid runs in waves of the resident blocks; the last one is costed with the blocks that it has, which have less
    in flight. In flight to memory are, per warp, the loads that do not wait for each other with all their sectors (the
    paper's 4·F bytes per thread). Instructions are those counted in the program, not five per assignment.
    Units: seconds. Source: Haigh & McCreath, section 2.1 and figure 1. Assumes: `MODEL_ASSUMPTIONS`.
    """
    sms = float(work.gpu.sm_count)
    resident = np.maximum(1.0, work.resident_blocks_per_sm)
    full = np.floor(work.blocks / (resident * sms))
    # A grid beyond 2^53 blocks is not counted exactly.
    tail = np.maximum(0.0, work.blocks - full * resident * sms)
    warp = _warp_cost(work)
    wave, last = _wave(work, warp, resident, sms), _wave(work, warp, np.ceil(tail / sms), np.minimum(sms, tail))
    memory, waiting, computation = (full * whole + rest for whole, rest in zip(wave, last, strict=True))
    at_once = np.minimum(resident, np.ceil(work.blocks / sms))
    total = estimated_time_s(memory, computation, at_once, work.barriers_per_warp > 1)
    return HaighCost(memory, waiting, computation, np.asarray(total) - (memory + computation))


@dataclass(frozen=True, slots=True, eq=False)
class _WarpCost:
    """What one warp needs over its life, and how much of it is in flight at once."""

    l2_bytes: Column
    dram_bytes: Column
    in_flight_bytes: Column
    latency_cycles: Column
    issue_cycles: Column
    arithmetic_latency_cycles: Column


def _warp_cost(work: KernelWork) -> _WarpCost:
    cycles = pipe_cycles(work)
    requests = np.where(work.is_staged, 0.0, work.requests_per_warp)
    staging = work.staging_requests_per_warp
    count = requests.sum(axis=1) + staging
    together = quotient(
        requests.sum(axis=1) * work.mlp + staging * np.maximum(1.0, staging / fillings_per_block(work)), count
    )
    latency = (requests * request_latency_cycles(work)).sum(axis=1) + staging * staging_latency_cycles(work)
    return _WarpCost(
        l2_bytes=l2_time_bytes_per_warp(work),
        dram_bytes=dram_bytes_per_warp(work),
        in_flight_bytes=np.maximum(quotient(l1_bytes_per_warp(work), count), WORD_BYTES) * together,
        latency_cycles=quotient(latency, count),
        issue_cycles=np.maximum(cycles.computation, cycles.load_store),
        arithmetic_latency_cycles=arithmetic_latency_cycles(work),
    )


def _wave(work: KernelWork, warp: _WarpCost, blocks: Column, sms: Column | float) -> tuple[Column, Column, Column]:
    """Memory cost, the part of it that waits for latency, and computation cost of blocks on each of some SMs."""
    gpu = work.gpu
    warps = blocks * work.warps_per_block
    in_flight = warps * warp.in_flight_bytes
    memory = at_full_rate = np.zeros(len(warps))
    levels = (warp.l2_bytes, gpu.l2.bandwidth_bytes_per_s), (warp.dram_bytes, gpu.dram.bandwidth_bytes_per_s)
    for bytes_per_warp, bandwidth in levels:
        if bandwidth <= 0:
            continue
        moved = bytes_per_warp * warps * sms
        saturating = saturating_bytes(bandwidth, sms, warp.latency_cycles, gpu.clock_hz)
        memory = np.maximum(memory, cost_s(moved, effective_rate(bandwidth, in_flight, saturating)))
        at_full_rate = np.maximum(at_full_rate, cost_s(moved, bandwidth))
    saturating_warps = quotient(warp.arithmetic_latency_cycles, warp.issue_cycles)
    rate = effective_rate(gpu.clock_hz, warps * work.ilp, saturating_warps)
    return memory, memory - at_full_rate, np.asarray(cost_s(warp.issue_cycles * warps, rate))


def predict_haigh(case: KernelOnGpu) -> Prediction:
    """Time of one launch and why; launch overhead and transfers not included.

    The breakdown is the model's own sum; of the memory cost, "memory latency" is what more bytes in flight would save.
    Units: seconds. Source: Haigh & McCreath; see `haigh_cost`. Assumes: `MODEL_ASSUMPTIONS`.
    """
    work = case.work
    cost = haigh_cost(work)
    breakdown: dict[BoundBy, float] = {
        "memory bandwidth": float(cost.memory_s[0] - cost.waiting_s[0]),
        "memory latency": float(cost.waiting_s[0]),
        "computation": float(cost.computation_s[0]),
        "synchronisation": float(cost.synchronisation_s[0]),
    }
    time_s = sum(breakdown.values())
    hotspots = memory_hotspots(
        case.kernel, _waiting_s(work, float(cost.memory_s[0])), [*request_latency_cycles(work)[0]], time_s
    )
    return explained_time(case, MODEL, time_s, breakdown, hotspots, MODEL_ASSUMPTIONS)


def _waiting_s(work: KernelWork, memory_s: float) -> list[float]:
    """Each access's part of the memory cost: what it moves, over the bandwidth of each level."""
    l2, dram = (max(1.0, level.bandwidth_bytes_per_s) for level in (work.gpu.l2, work.gpu.dram))
    weights = work.requests_per_warp[0] * (
        work.l2_sectors_per_request[0] / l2 + work.dram_sectors_per_request[0] / dram
    )
    total = float(weights.sum())
    return [memory_s * float(weight) / total if total > 0 else 0.0 for weight in weights]
