"""A kernel as it is evaluated at one of the launches that were searched."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.launch import LaunchConfig, SharedChoice
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.staging.staging_opportunities import shared_opportunities
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.choice.compare_models import compare_models
from warplens.analysis.models.choice.cost_models import COST_MODELS, CostModel
from warplens.analysis.models.gpuperf.gpuperf_benefits import benefits
from warplens.analysis.models.launch_work.launch_cases import LaunchCases
from warplens.analysis.models.launches.launch_search import TOLERANCE
from warplens.analysis.models.results.evaluation import KernelEvaluation
from warplens.analysis.models.results.launch_ranking import LaunchRanking
from warplens.analysis.models.results.prediction import Prediction
from warplens.analysis.simulation.grid import whole_count


def kernel_at_launch(
    kernel: Kernel,
    sized: SizedKernel,
    cases: LaunchCases,
    ranking: LaunchRanking,
    launch: LaunchConfig,
    gpu: Gpu,
    errors: Sequence[ModelError],
) -> KernelEvaluation:
    """Predict a launch of a kernel with all models; what was searched is in `ranking`, `cases` has its launches."""
    case = cases.of(launch)
    comparison = compare_models(case, errors)
    found = shared_opportunities(sized, launch.block, gpu, launch.outputs_per_thread)
    return KernelEvaluation(
        kernel=kernel,
        launches=whole_count(kernel.launches, sized.sizes),
        prediction=comparison.predictions[0],
        shared_greedy=found,
        shared_left_out=_left_out(comparison.predictions[0], found, COST_MODELS[ranking.model], cases),
        ranking=ranking,
        comparison=comparison,
        benefits=benefits(case),
    )


def _left_out(
    chosen: Prediction, opportunities: Sequence[SharedChoice], model: CostModel, cases: LaunchCases
) -> tuple[tuple[str, str], ...]:
    """Why each opportunity that the launch doesn't stage is left out; the array beside the reason."""
    launch = chosen.launch
    arrays = {choice.array for choice in launch.shared}
    reasons: list[tuple[str, str]] = []
    for choice in opportunities:
        if choice.array in arrays:
            continue
        staged = cases.of(replace(launch, shared=(*launch.shared, choice)))
        if not staged.occupancy.blocks_per_sm:
            others = ", ".join(f"`{c_name(taken.array)}`" for taken in launch.shared)
            reason = f"does not fit beside {others}" if others else "its block does not fit on a multiprocessor"
        elif (time_s := model.time_s(staged)) > chosen.time_s * (1 + TOLERANCE):
            reason = f"predicted to be {100 * (time_s / chosen.time_s - 1):.0f} % slower"
        elif not choice.is_read_again and time_s < chosen.time_s * (1 - TOLERANCE):
            reason = f"only a port to CUDA can, predicted to take {100 * (1 - time_s / chosen.time_s):.0f} % less time"
        else:
            reason = f"predicted to gain less than {100 * TOLERANCE:.0f} %"
        reasons.append((choice.array, reason))
    return tuple(reasons)
