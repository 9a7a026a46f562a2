"""A kernel of an evaluation as its recommended launch was costed, for views that want more than the prediction."""

from __future__ import annotations

from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, kernel_on_gpu
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.simulation.warp_states import WarpStates, WarpTimeline


def case_of(evaluation: NestEvaluation, kernel: KernelEvaluation) -> KernelOnGpu:
    """The recommended launch of one of the evaluation's kernels, at its sizes on its GPU."""
    sized = SizedKernel.of(kernel.kernel, evaluation.known_sizes)
    return kernel_on_gpu(sized, kernel.prediction.launch, evaluation.gpu)


def warp_timeline(case: KernelOnGpu) -> WarpTimeline:
    """What the warps of one SM do in the simulation (Resios algorithm 5.1) of a launch; cycles of the SM.

    The simulation is that of the prediction by Resios; where another model's time is shown, it tells the same story
    under its own time.
    """
    warps_per_block = max(1, case.trace.warps_per_block)
    resident = max(1, case.occupancy.blocks_per_sm) * warps_per_block
    blocks = max(1, -(-case.grid.blocks // max(1, case.gpu.sm_count)))
    states = WarpStates(case.trace, min(resident, blocks * warps_per_block))
    result = case.simulate(case.trace, states)
    return states.timeline(result.simulated_cycles, result.simulated_warps)
