"""A model's time of one launch as a `Prediction`: what the models share is said here once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.launch_work.atomic_queues import longest_queue, queue_s
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
from warplens.analysis.models.launch_work.partial_stores import partial_stores_s
from warplens.analysis.models.launch_work.second_pass import second_pass_s
from warplens.analysis.models.launch_work.traffic import traffic_of
from warplens.analysis.models.results.prediction import BoundBy, Hotspot, MemoryLevel, Prediction


def explained_time(
    case: KernelOnGpu,
    model: str,
    time_s: float,
    breakdown_s: Mapping[BoundBy, float],
    hotspots: tuple[Hotspot, ...],
    assumptions: tuple[Assumption, ...],
    memory_level: MemoryLevel | None = None,
) -> Prediction:
    """Time of a launch with its reasons; bound by the largest part, or by launching where that takes longer.

    No launch is faster than its atomic updates one after another (atomic_queues.py), nor than its stores of parts of
    sectors (partial_stores.py).

    Units: seconds; the parts of `breakdown_s` sum to `time_s`.
    """
    traffic = case.shared(traffic_of)
    queued_s = queue_s(case.counted.sized, case.gpu)
    if queued_s > time_s:
        queue = longest_queue(case.counted.sized)
        breakdown_s = {**breakdown_s, "atomic updates": queued_s - time_s}
        hotspots = tuple(replace(each, idle_share=each.idle_share * time_s / queued_s) for each in hotspots)
        assumptions = assumptions if queue is None else (*assumptions, queue.assumption)
        time_s = queued_s
    stored_s = float(partial_stores_s(case.work)[0])
    if stored_s > time_s:
        breakdown_s = {**breakdown_s, "memory bandwidth": breakdown_s.get("memory bandwidth", 0.0) + stored_s - time_s}
        hotspots = tuple(replace(each, idle_share=each.idle_share * time_s / stored_s) for each in hotspots)
        time_s = stored_s
    if case.grid.threads:
        start_s = case.gpu.kernel_start_s + float(second_pass_s(case.work)[0])
        breakdown_s = {**breakdown_s, "launch overhead": start_s}
        hotspots = tuple(replace(each, idle_share=each.idle_share * time_s / (time_s + start_s)) for each in hotspots)
        time_s += start_s
    is_short = time_s < case.gpu.host.launch_overhead_s
    return Prediction(
        model=model,
        launch=case.launch,
        time_s=time_s,
        breakdown_s=tuple(breakdown_s.items()),
        bound_by="launch overhead" if is_short else max(breakdown_s, key=lambda name: breakdown_s[name]),
        occupancy=case.occupancy,
        costs=case.costs,
        hotspots=hotspots,
        registers_per_thread=case.registers.per_thread,
        spills_per_thread=case.registers.spill_stores + case.registers.spill_loads,
        threads=case.grid.threads,
        flops=traffic.flops,
        useful_bytes=traffic.useful_bytes,
        bytes_moved=traffic.bytes_moved,
        assumptions=assumptions,
        memory_level=memory_level,
    )
