"""The launch that a port to CUDA has beyond what a directive can ask for: several outputs per thread, tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.launch_work.launch_cases import KernelCases
from warplens.analysis.models.launches.recommended_launch import recommended
from warplens.analysis.models.nest.kernel_at_launch import kernel_at_launch
from warplens.analysis.models.nest.nest_of_kernels import with_kernels
from warplens.analysis.models.nest.tried_mapping import SourceTime
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.launch_ranking import RankedLaunch


def as_written(
    evaluation: NestEvaluation, errors: Sequence[ModelError], cases: KernelCases | None = None
) -> NestEvaluation:
    """A nest whose kernels have launches that a directive can ask for, with those that CUDA writes where they gain.

    What it was before is its `plain`, and its source's order where it is in that. `cases` has what is counted already.
    """
    cases = cases or KernelCases(evaluation.gpu)
    values = evaluation.known_sizes
    kernels: list[KernelEvaluation] = []
    for each in evaluation.kernels:
        best = _written(each, evaluation.gpu)
        if best is None or each.ranking is None:
            kernels.append(each)
            continue
        sized, found = cases.of(each.kernel, values)
        kernels.append(kernel_at_launch(each.kernel, sized, found, each.ranking, best.launch, evaluation.gpu, errors))
    if tuple(kernels) == evaluation.kernels:
        return evaluation
    sizes = dict(evaluation.sizes)
    written = with_kernels(evaluation.facts, sizes, tuple(kernels), evaluation.gpu, evaluation.cpu, evaluation.mapped)
    order = evaluation.source_order or evaluation
    return replace(written, source_order=order, mappings=evaluation.mappings, plain=evaluation)


def source_time(kernel: KernelEvaluation, gpu: Gpu) -> SourceTime:
    """Times of a kernel of the source's order, the evaluated launch being one that a directive can ask for."""
    best = _written(kernel, gpu)
    overheads_s = launch_overhead_s(gpu.host, float(kernel.launches))
    plain_s = kernel.launches * kernel.prediction.time_s + overheads_s
    return SourceTime(plain_s, plain_s if best is None else kernel.launches * best.time_s + overheads_s)


def written_launch(kernel: KernelEvaluation, gpu: Gpu) -> LaunchConfig | None:
    """That launch by itself."""
    best = _written(kernel, gpu)
    return None if best is None else best.launch


def _written(kernel: KernelEvaluation, gpu: Gpu) -> RankedLaunch | None:
    """The launch that only CUDA writes; None where the one that a directive can ask for is recommended."""
    ranking = kernel.ranking
    best = None if ranking is None else recommended(ranking, gpu)
    return None if ranking is None or best == ranking.one_output else best
