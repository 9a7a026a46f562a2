"""How far the numbers have been checked: the one place that says so, each figure with its source."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.models.evaluation import KernelEvaluation, NestEvaluation
from warplens.server.render.launch_words import factor_text
from warplens.server.render.model_words import error_of, model_name, on_kernels, within_text

LEDGER = "docs/accuracy.md"
"""Where the predictions held against measurements are listed."""


@dataclass(frozen=True, slots=True)
class ModelCheck:
    """Predictions held against measurements: `within` of the `measured` cases (`what` they are) are within `factor`."""

    factor: float
    within: int
    measured: int
    what: str
    source: str = "docs/performance.md"


CPU_CHECK = ModelCheck(factor=1.7, within=26, measured=31, what="measured loops")
"""One core, with a profile calibrated on the machine that was measured."""

GPU_CHECKS = {"k20": ModelCheck(factor=1.8, within=12, measured=12, what="measured launches of four dense kernels")}
"""By profile; the others have not been held against a measurement."""


def trust_sentences(evaluation: NestEvaluation) -> tuple[str, ...]:
    """What is known of the errors of both sides of the comparison."""
    cpu = evaluation.cpu
    assumed = sum(p.kind == "assumed" for p in cpu.provenance)
    profile = f" The profile `{cpu.id}` is not of a measured machine: its values are assumed." if assumed else ""
    sentences = [
        f"CPU: one core with a calibrated profile is {_within(CPU_CHECK)}; all cores: checked on 2 cores only.{profile}"
    ]
    sentences += dict.fromkeys(_gpu_sentence(evaluation, kernel) for kernel in evaluation.kernels)
    return tuple(sentences)


def _gpu_sentence(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """What the ledger says of kernels like this one, else what is known of the model on the GPU."""
    error, model = error_of(kernel), model_name(kernel.prediction.model)
    if error is not None:
        ratio = f"{factor_text(error.ratio)} the measured time on average"
        here = "" if evaluation.gpu.id in error.gpus else f"; none of them on the {evaluation.gpu.name}"
        return f"GPU: {on_kernels(error)} {model} is {within_text(error)}, {ratio}{here} ({LEDGER})."
    check = GPU_CHECKS.get(evaluation.gpu.id)
    known = f"is {_within(check)}" if check else "has not been held against measurements yet"
    return f"GPU: the model {known} on the {evaluation.gpu.name}."


def _within(check: ModelCheck) -> str:
    return f"within a factor of {check.factor:g} on {check.within} of {check.measured} {check.what} ({check.source})"
