"""How far the numbers have been checked: the one place that says so, each figure with its source."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.machine.value_uncertainty import ValueUncertainty
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.server.render.amounts import plural
from warplens.server.render.model_names import model_name
from warplens.server.render.model_words import of_kernels

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


_WORTH_SAYING = 1.01
_ORIGINS = {"simulator_config": "a simulator's setting", "memory": "recalled"}

CPU_CHECK = ModelCheck(factor=1.7, within=26, measured=31, what="measured loops")
"""One core, with a profile calibrated on the machine that was measured."""


def trust_sentences(evaluation: NestEvaluation) -> tuple[str, ...]:
    """What is known of the errors of both sides of the comparison."""
    cpu, check = evaluation.cpu, CPU_CHECK
    assumed = sum(p.kind == "assumed" for p in cpu.provenance)
    profile = f" The profile `{cpu.id}` is not of a measured machine: its values are assumed." if assumed else ""
    within = f"within a factor of {check.factor:g} on {check.within} of {check.measured} {check.what} ({check.source})"
    alone = " Ranges of speedups have the error of the GPU time alone." if evaluation.kernels else ""
    said = f"CPU: one core with a calibrated profile is {within}; all cores: checked on 2 cores only.{profile}{alone}"
    caveat = gpu_caveat(evaluation.gpu) if evaluation.kernels else ""
    on_gpu = dict.fromkeys(_gpu_sentence(evaluation, kernel) for kernel in evaluation.kernels)
    return (said, *on_gpu, *((caveat,) if caveat else ()))


def gpu_caveat(gpu: Gpu) -> str:
    """What to know of every prediction for a GPU of another maker than the models were made for; empty of others."""
    if not gpu.compute_capability.startswith("gfx"):
        return ""
    return (
        "AMD: instruction latencies and part of the limits have no source; the models were made for NVIDIA's GPUs, and "
        "held against convolutions and dedispersion on an MI250X only. Fixes write CUDA, not HIP."
    )


def _gpu_sentence(evaluation: NestEvaluation, kernel: KernelEvaluation) -> str:
    """What the ledger says of the model on launches like this one, and on its family of kernels."""
    error, model = kernel.error, model_name(kernel.prediction.model)
    if error is None:
        return f"GPU: {model} has not been held against measurements of such kernels."
    here = "" if evaluation.gpu.id in error.gpus else f", none on the {evaluation.gpu.name}"
    said = (
        f"GPU: {model} predicts {error.low:.2f} to {error.high:.2f} times the measured time of 9 of 10 launches that "
        f"do what this one does; it is typically off by a factor of {error.typical:.2f} in "
        f"{plural(error.measurements, 'measurement')} {of_kernels(error)} ({', '.join(error.gpus)}{here}; {LEDGER})."
    )
    return f"{said}{_widened(error)}"


def _widened(error: ModelError) -> str:
    """Why the range is wider than the measured error; nothing where the profile knows all that counts."""
    if error.profile_factor < _WORTH_SAYING:
        return ""
    values = ", ".join(f"{each.resource} ({each.key}: {_origin(each)})" for each in error.uncertain)
    wider = f"{error.profile_factor:.2f} times wider each way"
    return f" The range is {wider}, for values not measured on this GPU: {values}."


def _origin(value: ValueUncertainty) -> str:
    return f"measured on {value.measured_on}" if value.measured_on else _ORIGINS.get(value.kind, value.kind)
