"""GPUPerf fed from the nest: its inputs from a kernel's work, its time as a cost function and as a prediction.

Beyond the paper, each stated where it is computed: the op mix decides how fast instructions issue, no level of the
memory hierarchy and no load/store path is faster than its rate, barriers wait no longer than memory takes, stores are
not waited for, and the SM with the most blocks decides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.facts.program import OP_CLASSES
from warplens.analysis.gpu.launch.launches import Column, Table
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.walk import requested_bytes
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.gpuperf.gpuperf import GpuPerfInputs, dram_latency, gpuperf
from warplens.analysis.models.launch_work.departure_delay import departure_delay_cycles
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.least_traffic import least_dram_bytes
from warplens.analysis.models.launch_work.pipe_cycles import pipe_cycles
from warplens.analysis.models.launch_work.request_latency import (
    dram_bytes_per_warp,
    dram_share,
    request_latency_cycles,
    spill_latency_cycles,
    staging_latency_cycles,
)
from warplens.analysis.models.results.quantity import quotient, weighted

PUBLISHED_SYNC_FACTOR = 64.0
"""Γ of eq. 8 for compute capability 2.0, the only one that the paper gives."""

_IS_FLOATING = np.array([op.startswith("fp") for op in OP_CLASSES])


def gpuperf_time_s(work: KernelWork) -> Column:
    """Seconds of each launch: the model as a cost function of the search."""
    return np.asarray(gpuperf(gpuperf_inputs(work)).t_exec) / work.gpu.clock_hz


def gpuperf_inputs(work: KernelWork) -> GpuPerfInputs:
    """Inputs of the equations from what the launches do.

    #active_SMs and W/SM are those of a grid whose SMs all have as many blocks as the fullest one: a few blocks more
    than SMs take as long as twice as many. #insts leaves out what only divergent sides do; that is O_CFdiv.
    #sync_insts are the barriers around copies to shared memory: those of a reduction's tree wait for nothing from
    memory, which is what eq. 8 charges.
    Units: as in `GpuPerfInputs`. Assumes: `model_assumptions`.
    """
    gpu = work.gpu
    mix = _instruction_mix(work)
    requests = _requests(work)
    fullest = np.ceil(work.blocks / work.active_sms)
    warps_per_sm = fullest * work.warps_per_block
    rounds = fullest / np.maximum(1.0, work.resident_blocks_per_sm)
    departure_delay = departure_delay_cycles(gpu)
    pipes = pipe_cycles(work)
    shared_levels = np.maximum(pipes.l2, pipes.dram) * (work.warps / work.active_sms)
    return GpuPerfInputs(
        insts=mix.insts,
        mem_insts=requests.count,
        sfu_insts=mix.sfu_insts,
        sync_insts=work.barriers_per_warp,
        fp_insts=mix.fp_insts,
        divergent_insts=mix.divergent,
        bank_replay_cycles=_replay_cycles(work),
        warps_per_sm=warps_per_sm,
        resident_warps=np.maximum(1.0, work.resident_warps_per_sm),
        active_sms=work.blocks / np.maximum(1.0, fullest),
        ilp=work.ilp,
        mlp=work.mlp,
        avg_inst_lat=mix.latency,
        warp_size=float(gpu.warp_size_threads),
        simd_width=mix.width,
        sfu_width=gpu.timing("fp32_special").results_per_cycle_per_sm,
        fp_width=mix.fp_width,
        sync_factor=sync_factor(gpu),
        dram_lat=gpu.dram.latency_cycles,
        departure_delay=departure_delay,
        trans_per_request=requests.transactions,
        miss_ratio=requests.miss_ratio,
        hit_lat=requests.hit_latency,
        bandwidth_bytes_per_cycle=gpu.dram.bandwidth_bytes_per_s / gpu.clock_hz,
        bytes_per_request=requests.dram_bytes,
        least_bytes=least_dram_bytes(work),
        busy_mem_cycles=np.maximum(pipes.load_store * warps_per_sm, shared_levels),
        most_sync_cycles=work.barriers_per_warp
        * rounds
        * dram_latency(gpu.dram.latency_cycles, requests.transactions, departure_delay),
    )


def sync_factor(gpu: Gpu) -> float:
    """Γ of eq. 8: the profile's, else the only published one."""
    known = gpu.gpuperf.sync_factor if gpu.gpuperf is not None else None
    return PUBLISHED_SYNC_FACTOR if known is None else known


def model_assumptions(gpu: Gpu) -> tuple[Assumption, ...]:
    """What a prediction of this model takes for granted."""
    assumptions = [
        Assumption(
            "machine", "bandwidth", "Memory and L2 bandwidth are split evenly over the multiprocessors that have work."
        ),
        Assumption("machine", "pipes", "Instructions of different kinds do not issue in the same cycle."),
        Assumption(
            "machine",
            "overlap",
            "Computation and memory overlap fully when more warps wait than memory serves; else all but one warp's.",
        ),
        Assumption(
            "machine",
            "synchronisation",
            "Barriers cost what GPUPerf says, at most one memory latency each for all blocks that run together.",
        ),
    ]
    if gpu.gpuperf is None or gpu.gpuperf.sync_factor is None:
        text = f"GPUPerf's synchronisation factor of {gpu.name} is {PUBLISHED_SYNC_FACTOR:g}: that of a Tesla C2050."
        assumptions.append(Assumption("profile", "sync_factor", text, PUBLISHED_SYNC_FACTOR))
    if gpu.gpuperf is None or gpu.gpuperf.departure_delay_cycles is None:
        delay = departure_delay_cycles(gpu)
        text = f"Transactions of a multiprocessor of {gpu.name} leave {delay:.3g} cycles apart: its rate of lines."
        assumptions.append(Assumption("profile", "departure_delay_cycles", text, delay))
    return tuple(assumptions)


@dataclass(frozen=True, slots=True, eq=False)
class _Mix:
    """Instructions of a warp and their means. Shape: (launches,)."""

    insts: Column
    divergent: Column
    sfu_insts: Column
    fp_insts: Column
    latency: Column
    width: Column
    fp_width: Column


def _instruction_mix(work: KernelWork) -> _Mix:
    """Count instructions; latencies are those of arithmetic and shared memory, a request's time is T_mem's.

    Extension: SIMD_width of eq. 5 is that of fp32 in the paper. Here it is what the op mix attains when its
    instructions issue one kind after the other, each at its own throughput (requests at the SM's issue rate), so that
    W_parallel is never below that bound. What the special-function unit runs counts as fp32: O_SFU adds what it takes
    longer.
    """
    gpu = work.gpu
    warp = float(gpu.warp_size_threads)
    timings = [gpu.timing(op) for op in OP_CLASSES]
    issue = np.array([warp / timing.results_per_cycle_per_sm for timing in timings])
    special = [OP_CLASSES.index(op) for op in gpu.special_unit_ops]
    issue[special] = warp / gpu.timing("fp32_fma").results_per_cycle_per_sm
    latency = np.array([timing.latency_cycles for timing in timings])
    arithmetic = work.arithmetic_per_warp
    shared = np.where(work.is_staged, work.requests_per_warp, 0.0).sum(axis=1) + work.staging_requests_per_warp
    issued_otherwise = shared + _requests(work).count + work.barriers_per_warp
    waited = arithmetic.sum(axis=1) + shared
    total = arithmetic.sum(axis=1) + issued_otherwise
    slots = total / gpu.issue_warps_per_cycle_per_sm
    busy = np.maximum(weighted(arithmetic, issue) + issued_otherwise / gpu.issue_warps_per_cycle_per_sm, slots)
    floating = np.where(_IS_FLOATING, arithmetic, 0.0)
    fp32 = gpu.timing("fp32_fma")
    divergent = np.clip(work.divergent_per_warp, 0.0, total)
    kept = quotient(total - divergent, total, 1.0)
    return _Mix(
        insts=total - divergent,
        divergent=divergent,
        sfu_insts=arithmetic[:, special].sum(axis=1) * kept,
        fp_insts=floating.sum(axis=1) * kept,
        latency=quotient(
            weighted(arithmetic, latency) + shared * gpu.shared.latency_cycles, waited, fp32.latency_cycles
        ),
        width=warp * quotient(total, busy, fp32.results_per_cycle_per_sm / warp),
        fp_width=warp * quotient(floating.sum(axis=1), weighted(floating, issue), fp32.results_per_cycle_per_sm / warp),
    )


@dataclass(frozen=True, slots=True, eq=False)
class _Requests:
    """Requests of a warp to global and local memory, and their means. Shape: (launches,)."""

    count: Column
    transactions: Column
    miss_ratio: Column
    hit_latency: Column
    dram_bytes: Column


def _requests(work: KernelWork) -> _Requests:
    """Count requests and average them, copies to shared memory and spills included.

    With two levels of caches, miss_ratio of eq. 12 is the share of the sectors that DRAM serves, and hit_lat the sum of
    L1's and L2's latency by the shares that they serve: DRAM's latency has theirs in it. A store has none of them,
    nothing waits for it, though it is counted among the requests.
    """
    gpu = work.gpu
    requests = np.where(work.is_staged, 0.0, work.requests_per_warp)
    waiting = np.where(work.is_staged, 0.0, work.waiting_requests_per_warp)
    staging, spills = work.staging_requests_per_warp, work.spill_requests_per_warp
    count = requests.sum(axis=1) + staging + spills
    misses = (waiting * dram_share(work)).sum(axis=1) + staging * work.staging_dram_share
    waited = (
        (waiting * request_latency_cycles(work)).sum(axis=1)
        + staging * staging_latency_cycles(work)
        + work.spill_reloads_per_warp * spill_latency_cycles(work)
    )
    lines = (requests * np.maximum(1.0, work.lines_per_request)).sum(axis=1) + spills
    lines += staging * np.maximum(1.0, work.staging_lines_per_request)
    return _Requests(
        count=count,
        transactions=np.maximum(1.0, quotient(lines, count, 1.0)),
        miss_ratio=quotient(misses, count),
        hit_latency=np.maximum(0.0, quotient(waited - misses * gpu.dram.latency_cycles, count)),
        dram_bytes=quotient(dram_bytes_per_warp(work), count),
    )


def _replay_cycles(work: KernelWork) -> Column:
    """O_bank: each further pass of a conflicting shared-memory request (the extra conflicts of Resios eq. 4.9)."""
    shared = work.gpu.shared
    bank_bytes_per_cycle = shared.bytes_per_cycle_per_sm / shared.banks
    pass_cycles = np.array([requested_bytes(facts) / bank_bytes_per_cycle for facts in work.kernel.accesses])
    passes: Table = np.where(work.is_staged, np.maximum(0.0, work.conflict_degree - 1), 0.0)
    replays: Column = (work.requests_per_warp * passes * pass_cycles).sum(axis=1)
    return replays
