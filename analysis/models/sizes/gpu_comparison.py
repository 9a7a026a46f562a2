"""One nest on several GPUs, at the same sizes and against the same CPU."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import sqrt

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.nest.evaluate_nest import evaluate_nest
from warplens.analysis.models.nest.what_if import said_sizes, with_sizes_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.sizes.break_even import Data


def compare_gpus(
    evaluation: NestEvaluation, gpus: Iterable[Gpu], errors: Sequence[ModelError]
) -> tuple[NestEvaluation, ...]:
    """The nest on each GPU, in their order; none where it has no kernel or nothing to run.

    Each GPU is searched for its own best launch, in the mapping that a comment pins. What is known
    for the evaluation's GPU is taken as it is.
    """
    if evaluation.offload is None or not evaluation.offload.has_work:
        return ()
    sizes = dict(evaluation.sizes)
    said = said_sizes(evaluation)
    mapping = "" if evaluation.pin is None else evaluation.pin.name

    def on(gpu: Gpu) -> NestEvaluation:
        found = evaluate_nest(evaluation.facts, sizes, gpu, evaluation.cpu, errors, mapping)
        return with_sizes_of(evaluation, found, said)

    return tuple(evaluation if gpu == evaluation.gpu else on(gpu) for gpu in dict.fromkeys(gpus))


def time_on(evaluation: NestEvaluation, data: Data) -> float:
    """Seconds of the whole nest; cold with both transfers. Raises ValueError for a nest without a kernel."""
    if evaluation.offload is None:
        raise ValueError("the nest has no kernel")
    return evaluation.offload.cold_s if data == "cold" else evaluation.offload.resident_s


def fastest_first(evaluations: Iterable[NestEvaluation], data: Data) -> list[NestEvaluation]:
    """Sorted by their time; of equal ones the smaller GPU first."""
    return sorted(evaluations, key=lambda each: (time_on(each, data), gpu_size(each.gpu)))


def gpu_size(gpu: Gpu) -> float:
    """How much GPU it is: geometric mean of the arithmetic and the memory rate that its maker promises.

    Equation: sqrt(fp32 fused multiply-adds per second · theoretical bytes per second). A price it is not: nobody
    publishes one that lasts.
    """
    per_s = gpu.timing("fp32_fma").results_per_cycle_per_sm * gpu.sm_count * gpu.clock_hz
    return sqrt(per_s * gpu.dram.theoretical_bandwidth_bytes_per_s)
