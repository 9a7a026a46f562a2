"""How far the numbers have been checked: the one place that says so, each figure with its source."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.models.evaluation import NestEvaluation


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Predictions of a model held against measurements: `loops_within` of `loops_measured` are within `factor`."""

    factor: float
    loops_within: int
    loops_measured: int
    source: str


CPU_CHECK = ModelCheck(factor=1.7, loops_within=26, loops_measured=31, source="docs/performance.md")
"""One core, with a profile calibrated on the machine that was measured."""

GPU_CHECKS: dict[str, ModelCheck] = {}
"""By profile; empty as long as no kernel's prediction has been held against a measurement."""


def trust_sentences(evaluation: NestEvaluation) -> tuple[str, ...]:
    """What is known of the errors of both sides of the comparison."""
    cpu = evaluation.cpu
    assumed = sum(p.kind == "assumed" for p in cpu.provenance)
    profile = f" The profile `{cpu.id}` is not of a measured machine: its values are assumed." if assumed else ""
    sentences = [
        f"CPU: one core with a calibrated profile is {_within(CPU_CHECK)}; all cores: checked on 2 cores only.{profile}"
    ]
    if evaluation.kernels:
        check = GPU_CHECKS.get(evaluation.gpu.id)
        known = f"is {_within(check)}" if check else "has not been held against measurements yet"
        sentences.append(f"GPU: the model {known} on the {evaluation.gpu.name}.")
    return tuple(sentences)


def _within(check: ModelCheck) -> str:
    return (
        f"within a factor of {check.factor:g} on {check.loops_within} of {check.loops_measured} measured loops "
        f"({check.source})"
    )
