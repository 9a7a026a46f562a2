"""Benefits, ranked launches and the models side by side as JSON values; what has no value there is null."""

from __future__ import annotations

from math import isfinite
from typing import Any

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.choice.time_range import TimeRange, kernels_range
from warplens.analysis.models.results.benefit import Benefit
from warplens.analysis.models.results.comparison import ModelComparison
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.models.results.launch_ranking import LaunchMap, LaunchRanking, RankedLaunch
from warplens.analysis.models.results.prediction import Prediction
from warplens.server.render.model_words import bound_share


def launch_as_json(launch: LaunchConfig) -> dict[str, Any]:
    """A launch: its block, the outputs of a thread, the arrays in shared memory."""
    return {
        "block": list(launch.block),
        "outputs_per_thread": list(launch.outputs_per_thread),
        "shared_arrays": [choice.array for choice in launch.shared],
    }


def bound_as_json(prediction: Prediction) -> dict[str, Any]:
    """What bounds a kernel, its share of the time, and all parts of the time."""
    return {
        "bound_by": prediction.bound_by,
        "bound_by_share": bound_share(prediction),
        "memory_level": prediction.memory_level,
        "breakdown": [{"part": part, "time_s": time_s} for part, time_s in prediction.breakdown_s],
    }


def benefits_as_json(benefits: tuple[Benefit, ...]) -> list[dict[str, Any]]:
    """Every benefit, the largest first."""
    return [
        {
            "kind": benefit.kind,
            "cause": benefit.cause,
            "cycles": benefit.cycles,
            "potential_cycles": benefit.potential_cycles,
            "time_s": benefit.time_s,
            "share": benefit.share,
            "gain": benefit.gain,
            "how": benefit.how,
            "finding": benefit.finding or None,
            "has_fix": benefit.has_fix,
        }
        for benefit in sorted(benefits, key=lambda benefit: -benefit.share)
    ]


def ranking_as_json(ranking: LaunchRanking | None, shown: int) -> dict[str, Any] | None:
    """The first launches of a ranking, why the best is best, and what the user has now."""
    if ranking is None:
        return None
    best_s = ranking.best.time_s if ranking.ranked else 0.0
    current = ranking.current
    return {
        "model": ranking.model,
        "searched": ranking.searched,
        "possible": ranking.possible,
        "reasons": list(ranking.reasons),
        "launches": [_ranked_as_json(each, best_s) for each in ranking.ranked[:shown]],
        "one_output": None if ranking.one_output is None else _ranked_as_json(ranking.one_output, best_s),
        "current": None if current is None else {"origin": ranking.current_origin, **_ranked_as_json(current, best_s)},
    }


def map_as_json(times: LaunchMap) -> dict[str, Any]:
    """Least times by block size and work per thread."""
    return {
        "threads_per_block": list(times.threads_per_block),
        "outputs_per_thread": list(times.outputs_per_thread),
        "times_s": [[time_s if isfinite(time_s) else None for time_s in row] for row in times.times_s],
    }


def comparison_as_json(comparison: ModelComparison | None) -> dict[str, Any] | None:
    """All models on one launch, and what was measured of each."""
    if comparison is None:
        return None
    numbers = comparison.mwp_cwp
    return {
        "spread": comparison.spread,
        "family": comparison.family or None,
        "why_chosen": comparison.why_chosen or None,
        "predictions": [
            {"model": each.model, "time_s": each.time_s, **bound_as_json(each)} for each in comparison.predictions
        ],
        "errors": [error_as_json(error) for error in comparison.errors],
        "mwp_cwp": {
            "mwp": numbers.mwp,
            "cwp": numbers.cwp,
            "case": numbers.case,
            "cycles_per_instruction": numbers.cycles_per_instruction,
        },
    }


def error_as_json(error: ModelError) -> dict[str, Any]:
    """How far a model was off on a family of kernels."""
    return {
        "model": error.model,
        "family": error.family,
        "ratio": error.ratio,
        "low": error.low,
        "high": error.high,
        "mape": error.mape,
        "typical": error.typical,
        "pairs": error.pairs,
        "measurements": error.measurements,
        "gpus": list(error.gpus),
        "profile_factor": error.profile_factor,
    }


def offload_as_json(evaluation: NestEvaluation) -> dict[str, Any] | None:
    """The sum of a nest on the GPU against the CPU, in seconds, bytes and factors; None without a kernel.

    Factors that rest on nothing (grounds.py) are None.
    """
    offload = evaluation.offload
    if offload is None:
        return None
    has_ground = grounds_of(evaluation).carry_numbers

    def speedup(cpu_s: float, gpu_s: float) -> float | None:
        return cpu_s / gpu_s if has_ground and gpu_s > 0 else None

    return {
        "kernels_s": offload.kernels_s,
        "kernels_range_s": range_as_json(kernels_range(evaluation)),
        "launch_overhead_s": offload.launch_overhead_s,
        "host_s": offload.host_s,
        "transfer_in_s": offload.transfer_in_s,
        "transfer_out_s": offload.transfer_out_s,
        "context_init_s": offload.context_init_s,
        "bytes_in": offload.bytes_in,
        "bytes_out": offload.bytes_out,
        "cold_s": offload.cold_s,
        "resident_s": offload.resident_s,
        "speedup_cold_vs_one_core": speedup(offload.one_core_s, offload.cold_s),
        "speedup_resident_vs_one_core": speedup(offload.one_core_s, offload.resident_s),
        "speedup_cold_vs_all_cores": speedup(offload.all_cores_s, offload.cold_s),
        "speedup_resident_vs_all_cores": speedup(offload.all_cores_s, offload.resident_s),
    }


def cpu_as_json(evaluation: NestEvaluation) -> dict[str, Any]:
    """The nest on the CPU."""
    cpu = evaluation.cpu_time
    return {
        "one_core_s": cpu.one_core_s,
        "all_cores_s": cpu.all_cores_s,
        "bound_by": cpu.bound_by,
        "vectorised": cpu.vectorised,
    }


def range_as_json(times: TimeRange | None) -> list[float] | None:
    """The shortest and the longest time."""
    return None if times is None else [times.least_s, times.most_s]


def _ranked_as_json(each: RankedLaunch, best_s: float) -> dict[str, Any]:
    return {
        **launch_as_json(each.launch),
        "time_s": each.time_s,
        "vs_best": each.time_s / best_s if best_s > 0 else None,
        "occupancy": each.occupancy,
        "registers_per_thread": each.registers_per_thread,
        "spills": each.spills,
    }
