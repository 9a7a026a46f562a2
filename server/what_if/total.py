"""The total of a nest on the GPU with its data in one place, against the CPU, and between which values it lies."""

from __future__ import annotations

from dataclasses import dataclass, replace

from warplens.analysis.models.choice.time_range import kernels_range
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.offload import Offload
from warplens.server.what_if.data_places import DataPlace


@dataclass(frozen=True, slots=True)
class Total:
    """Seconds and speedups; ranges are by the measured errors of the kernels' times, None where nothing is known.

    Speedups that have no ground are None (grounds.py).
    """

    gpu_s: float
    gpu_range_s: tuple[float, float] | None
    speedup_vs_one_core: float | None
    speedup_vs_one_core_range: tuple[float, float] | None
    speedup_vs_all_cores: float | None
    speedup_vs_all_cores_range: tuple[float, float] | None


def total_of(evaluation: NestEvaluation, data: DataPlace) -> Total | None:
    """Return the total; None where there is no kernel, or nothing to run."""
    offload = evaluation.offload
    if offload is None or not offload.has_work:
        return None
    gpu_s = _gpu_s(offload, data)
    kernels = kernels_range(evaluation)
    between = None
    if kernels is not None:
        least, most = (_gpu_s(replace(offload, kernels_s=time_s), data) for time_s in (kernels.least_s, kernels.most_s))
        between = (least, most)

    has_ground = grounds_of(evaluation).carry_numbers

    def speedup_range(cpu_s: float) -> tuple[float, float] | None:
        if between is None or between[0] <= 0 or not has_ground:
            return None
        return cpu_s / between[1], cpu_s / between[0]

    return Total(
        gpu_s,
        between,
        offload.one_core_s / gpu_s if has_ground else None,
        speedup_range(offload.one_core_s),
        offload.all_cores_s / gpu_s if has_ground else None,
        speedup_range(offload.all_cores_s),
    )


def _gpu_s(offload: Offload, data: DataPlace) -> float:
    return offload.cold_s if data == "cold" else offload.resident_s
