"""What the kernels of the source's order take if every pointer is `restrict`, as ports to CUDA have it."""

from __future__ import annotations

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.nest.tried_mapping import SourceTime
from warplens.analysis.models.nest.written_launch import source_time, written_launch
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation


def restricted_times(evaluation: NestEvaluation) -> dict[NodeId, SourceTime]:
    """Times of each kernel as `source_time` has them, of a nest in the source's order.

    Assumes: the best launch stays the best. A kernel whose code stays as it is takes what it took.
    """
    return {
        each.kernel.root: SourceTime(
            restricted_s(evaluation, each),
            restricted_s(evaluation, each, written_launch(each, evaluation.gpu)),
        )
        if any(one.root == each.kernel.root for one in evaluation.facts.restricted)
        else source_time(each, evaluation.gpu)
        for each in evaluation.kernels
    }


def restricted_s(evaluation: NestEvaluation, each: KernelEvaluation, launch: LaunchConfig | None = None) -> float:
    """Seconds of all launches of a kernel with their overheads, at another launch than its own where one is given."""
    kernel = next((one for one in evaluation.facts.restricted if one.root == each.kernel.root), each.kernel)
    sized = SizedKernel.of(kernel, evaluation.known_sizes)
    case = kernel_on_gpu(sized, launch or each.prediction.launch, evaluation.gpu)
    time_s = COST_MODELS[each.prediction.model].time_s(case)
    return each.launches * time_s + launch_overhead_s(evaluation.gpu.host, float(each.launches))


def restrict_gain(evaluation: NestEvaluation) -> float:
    """How many times faster the kernels are if every pointer is `restrict`; 1 where their code stays as it is.

    Of a nest in another mapping than the source's order it is 1: that one's pointers are `restrict`.
    """
    if evaluation.mapped is not None or not evaluation.facts.restricted:
        return 1.0
    before = sum(source_time(each, evaluation.gpu).plain_s for each in evaluation.kernels)
    after = sum(one.plain_s for one in restricted_times(evaluation).values())
    return before / after if after > 0 else 1.0
