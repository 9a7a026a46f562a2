"""A model's time of one launch as a `Prediction`: what the models share is said here once."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu
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

    Units: seconds; the parts of `breakdown_s` sum to `time_s`.
    """
    traffic = case.shared(traffic_of)
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
