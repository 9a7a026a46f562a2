"""GPUPerf's time of one launch as a prediction: what it consists of and which accesses it waits for."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.models.gpuperf.gpuperf import GpuPerfInputs, GpuPerfResult, gpuperf
from warplens.analysis.models.gpuperf.gpuperf_of_work import gpuperf_inputs, model_assumptions
from warplens.analysis.models.launch_work.explained_time import explained_time
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.pipe_cycles import load_store_cycles
from warplens.analysis.models.launch_work.request_latency import request_latency_cycles
from warplens.analysis.models.results.memory_hotspots import memory_hotspots
from warplens.analysis.models.results.prediction import BoundBy, Prediction
from warplens.analysis.models.results.quantity import only
from warplens.analysis.simulation.memory_time import sector_bytes

MODEL = "gpuperf"


def predict_gpuperf(case: KernelOnGpu) -> Prediction:
    """Time of one launch and why; launch overhead and transfers not included.

    What overlaps counts for the longer of computation and of memory without computation. Of memory's part, "memory
    bandwidth" is what its busiest level or the load/store path must work; the rest is latency.
    Units: seconds. Source: Sim et al. 2012, eq. 1. Assumes: `model_assumptions`.
    """
    work = case.work
    inputs, result = case.shared(gpuperf_of_launch)
    clock_hz = case.gpu.clock_hz
    time_s = only(result.t_exec) / clock_hz
    breakdown = _breakdown(result, only(inputs.busy_mem_cycles), time_s, clock_hz)
    memory_s = breakdown["memory bandwidth"] + breakdown["memory latency"]
    waiting, delay = _waits(work, only(result.itmlp))
    total = float(waiting.sum())
    hotspots = memory_hotspots(
        case.kernel, (waiting * (memory_s / total if total > 0 else 0.0)).tolist(), delay.tolist(), time_s
    )
    return explained_time(case, MODEL, time_s, breakdown, hotspots, model_assumptions(case.gpu))


def gpuperf_of_launch(case: KernelOnGpu) -> tuple[GpuPerfInputs, GpuPerfResult]:
    """The equations of one launch, and what they were fed."""
    inputs = gpuperf_inputs(case.work)
    return inputs, gpuperf(inputs)


def _breakdown(result: GpuPerfResult, busy_cycles: float, time_s: float, clock_hz: float) -> dict[BoundBy, float]:
    """Parts of `time_s` that add up to it; the last one takes the rounding."""
    memory, computation = only(result.t_mem), only(result.t_comp)
    overlap = only(result.t_overlap)
    is_memory = only(result.t_mem_alone) >= computation
    busy = min(memory, busy_cycles) if is_memory else 0.0
    computed = max(0.0, computation - overlap) if is_memory else computation
    sync = computed * min(1.0, only(result.o_sync) / computation) if computation > 0 else 0.0
    breakdown: dict[BoundBy, float] = {
        "memory bandwidth": busy / clock_hz,
        "computation": (computed - sync) / clock_hz,
        "synchronisation": sync / clock_hz,
    }
    breakdown["memory latency"] = max(0.0, time_s - sum(breakdown.values()))
    return breakdown


def _waits(work: KernelWork, parallelism: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Per access, in cycles: what a warp's requests take of the SM's memory time, and the delay of one of them.

    The latency of requests is shared by those in flight (ITMLP), the transfer of their sectors is not. Latency of
    shared memory is part of computation.
    """
    gpu = work.gpu
    per_sm = gpu.clock_hz * work.active_sms[0]
    sector = sector_bytes(gpu)
    transfer = load_store_cycles(work)[0]
    for level, sectors in ((gpu.l2, work.l2_sectors_per_request[0]), (gpu.dram, work.dram_sectors_per_request[0])):
        if level.bandwidth_bytes_per_s > 0:
            transfer = np.maximum(transfer, sectors * sector * per_sm / level.bandwidth_bytes_per_s)
    latency = request_latency_cycles(work)[0]
    waiting = np.where(work.is_staged, 0.0, work.waiting_requests_per_warp)[0]
    in_flight = max(1.0, parallelism)
    return waiting * latency / in_flight + work.requests_per_warp[0] * transfer, latency + transfer
