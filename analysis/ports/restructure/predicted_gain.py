"""What a changed nest is predicted to take, with the sizes, the GPU and the model by which the nest was evaluated.

The time is that of kernels, their launches and what stays on the host, with the data on the GPU (Offload.resident_s).
"""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.choose_model import UNMEASURED_MODEL
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.launch_work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.models.launches.launch_search import search
from warplens.analysis.models.offload.transfer_time import launch_overhead_s
from warplens.analysis.models.results.current_launch import DEFAULT_THREADS
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.simulation.grid import whole_count
from warplens.analysis.workload.loops.derived_symbols import Sizes, extend_sizes

LEAST_GAIN = 1.1
"""A restructuring that is predicted to gain less than a tenth is not offered: the models are not that good."""


def predicted_s(evaluation: NestEvaluation, become: Sequence[NestFacts]) -> float | None:
    """Seconds of what a nest has become; None where a size has no value, or no launch is possible."""
    total_s, launches = 0.0, 0.0
    sizes = dict(evaluation.sizes)
    for facts in become:
        if not sizes.keys() >= frozenset(facts.parameters):
            return None
        values = extend_sizes(sizes, facts.nest)
        for kernel in facts.kernels:
            time_s = _kernel_time_s(evaluation, kernel, values)
            if time_s is None:
                return None
            times = float(whole_count(kernel.launches, values))
            launches += times
            total_s += times * time_s
        roots = {kernel.root for kernel in facts.kernels}
        on_host = cpu_time(facts, values, evaluation.cpu).loops_s
        total_s += sum(seconds for around, seconds in on_host if roots.isdisjoint(around))
    return total_s + launch_overhead_s(evaluation.gpu.host, launches)


def gain_of(evaluation: NestEvaluation, after_s: float) -> float:
    """Seconds of the nest as it is over those after a change; as it is, on one core where it has no kernel."""
    offload = evaluation.offload
    now_s = evaluation.cpu_time.one_core_s if offload is None else offload.resident_s
    return now_s / after_s if after_s > 0 else 1.0


def gain_of_axis(evaluation: NestEvaluation, kernel: KernelEvaluation) -> float:
    """What a directive's kernel gains when its threads lie along x instead of along the innermost of the grid loops.

    Both with `DEFAULT_THREADS` a block, in the model of the kernel's prediction.
    """
    axis = kernel.kernel.thread_order.index(kernel.kernel.grid[-1].loop)
    if axis == 0:
        return 1.0
    sized = SizedKernel.of(kernel.kernel, evaluation.known_sizes)
    model = COST_MODELS[kernel.prediction.model]
    threads = min(DEFAULT_THREADS, evaluation.gpu.occupancy.max_threads_per_block)
    block = (1, threads, 1) if axis == 1 else (1, 1, min(threads, 64))
    now_s, after_s = (
        model.time_s(kernel_on_gpu(sized, LaunchConfig(shape), evaluation.gpu)) for shape in (block, (threads, 1, 1))
    )
    return now_s / after_s if after_s > 0 else 1.0


def _kernel_time_s(evaluation: NestEvaluation, kernel: Kernel, values: Sizes) -> float | None:
    """Seconds of one launch, of the best with one output per thread."""
    models = {known.prediction.model for known in evaluation.kernels}
    model = min(models) if models else UNMEASURED_MODEL
    best = search(SizedKernel.of(kernel, values), evaluation.gpu, model, most=1).one_output
    return None if best is None else best.time_s
