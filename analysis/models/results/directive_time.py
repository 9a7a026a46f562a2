"""The best time of a nest that directives can ask for, beside that of the recommended mapping and launches."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation

LEAST_FACTOR = 1.1
"""Directives that take less than so many times the recommended time are about as good."""


@dataclass(frozen=True, slots=True)
class DirectiveTime:
    """`time_s` is that of all kernels and of launching them; `has_teams`: rows have a team each."""

    time_s: float
    has_teams: bool


def directive_time(evaluation: NestEvaluation) -> DirectiveTime | None:
    """The best of the source's own order and of a team per row; None where what is recommended is about as fast."""
    offload, order, teams = evaluation.offload, evaluation.in_source_order, evaluation.in_row_teams
    if offload is None or order.offload is None:
        return None
    own_s = sum(each.launches * flat_s(each) for each in order.kernels) + order.offload.launch_overhead_s
    best = DirectiveTime(own_s, has_teams=False)
    if teams is not None and teams.offload is not None:
        with_teams_s = teams.offload.kernels_s + teams.offload.launch_overhead_s
        best = min(best, DirectiveTime(with_teams_s, has_teams=True), key=lambda one: one.time_s)
    return best if best.time_s > LEAST_FACTOR * (offload.kernels_s + offload.launch_overhead_s) else None


def flat_s(kernel: KernelEvaluation) -> float:
    """Seconds of one launch of a kernel as a directive has it at best: a thread per iteration, nothing staged."""
    ranking = kernel.ranking
    plain = None if ranking is None else ranking.line or ranking.unstaged
    return kernel.prediction.time_s if plain is None else plain.time_s
