"""What a port is predicted to gain with the launches that it writes: against the best of the CPU, or what runs now."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.advice.worth import Worth, worth_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.ports.port_effect import PortEffect


def port_effect(evaluation: NestEvaluation, times_s: Mapping[NodeId, float]) -> PortEffect | None:
    """The effect of a port; `times_s` are of one launch of each of its kernels, by root, those that differ.

    None where no number has a ground, and where nobody knows how long what runs on the GPU now takes.
    """
    worth = worth_of(evaluation)
    offload = evaluation.offload
    if worth.resident is None or offload is None:
        return None
    guess = worth.grounds.guesses[0].name if worth.grounds.guesses else ""
    resident_s = offload.resident_with(_kernels_s(evaluation, times_s))
    if worth.now == "GPU":
        now = _times_now_s(evaluation)
        return None if now is None else PortEffect(_ratio(offload.resident_with(now), resident_s), None, guess)
    copied_s = offload.cold_with(_kernels_s(evaluation, times_s))
    cpu_s = _cpu_s(evaluation, worth)
    return PortEffect(_ratio(cpu_s, resident_s), _ratio(cpu_s, copied_s), guess)


def _cpu_s(evaluation: NestEvaluation, worth: Worth) -> float:
    """All cores where the nest's own directive has them, else the best of the CPU."""
    cpu = evaluation.cpu_time
    return cpu.all_cores_s if worth.now == "all cores" else min(cpu.all_cores_s, cpu.one_core_s)


def _kernels_s(evaluation: NestEvaluation, times_s: Mapping[NodeId, float]) -> float:
    """Of all launches, with those times in place of the recommended launches'."""
    return sum(
        float(each.launches) * times_s.get(each.kernel.root, each.prediction.time_s) for each in evaluation.kernels
    )


def _times_now_s(evaluation: NestEvaluation) -> float | None:
    """All launches as the directives that are there ask for them."""
    total_s = 0.0
    for each in evaluation.kernels:
        if each.ranking is None or each.ranking.current is None:
            return None
        total_s += float(each.launches) * each.ranking.current.time_s
    return total_s


def _ratio(before_s: float, after_s: float) -> float:
    return before_s / after_s if after_s > 0 else 1.0
