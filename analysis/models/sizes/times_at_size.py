"""What a nest takes at another problem size, launched as it is recommended at its own: a cheaper `evaluate_nest`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.launches import launches_of
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.choice.time_range import TimeRange, kernels_range, launch_range, sum_of_ranges
from warplens.analysis.models.launch_work.counted_launches import count_launches
from warplens.analysis.models.launch_work.kernel_on_gpu import KernelOnGpu, counted_on_gpu
from warplens.analysis.models.launches.launch_heuristic import heuristic_launch
from warplens.analysis.models.offload.nest_offload import TimedKernel, offload_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.simulation.grid import grid, whole_count
from warplens.analysis.workload.loops.derived_symbols import extend_sizes

_SMALL_BLOCK_THREADS = 128
"""An SM holds a few dozen blocks: smaller ones, the best of a small grid, leave it without warps in a large one."""


@dataclass(frozen=True, slots=True)
class TimesAtSize:
    """One size: the sum, and between which times its kernels lie (None: nothing was measured of such kernels)."""

    offload: Offload
    kernels: TimeRange | None


def times_at(evaluation: NestEvaluation, sizes: Mapping[str, int]) -> TimesAtSize:
    """Return the times of an evaluated nest at other sizes.

    Launch (block, outputs per thread, staged arrays), model and measured errors are those of the evaluation; where the
    launch fits another size badly, that of Resios' heuristic is taken if it is faster. All else (what a tile of a
    staged array holds, caches, occupancy, transfers, CPU) is as `evaluate_nest` has it at `sizes`. At the evaluation's
    own sizes the times are its own.
    Units: seconds. Assumes: the launch recommended at one size is nearly the best at others (docs/break-even.md says
    how nearly).
    """
    facts, gpu = evaluation.facts, evaluation.gpu
    sizes = {**dict(evaluation.sizes), **sizes}
    if evaluation.offload is not None and tuple(sorted(sizes.items())) == evaluation.sizes:
        return TimesAtSize(evaluation.offload, kernels_range(evaluation))
    values = extend_sizes(sizes, evaluation.kernel_facts.nest)
    timed: list[TimedKernel] = []
    ranges: list[tuple[float, TimeRange | None]] = []
    for each in evaluation.kernels:
        sized, model = SizedKernel.of(each.kernel, values), COST_MODELS[each.prediction.model]
        time_s = min(model.time_s(case) for case in _cases(sized, each.prediction.launch, gpu))
        launches = whole_count(each.kernel.launches, values)
        timed.append(TimedKernel(each.kernel, launches, time_s, evaluation.mapped))
        ranges.append((float(launches), None if each.error is None else launch_range(time_s, each.error, gpu)))
    offload = offload_of(facts, values, timed, cpu_time(facts, values, evaluation.cpu), gpu)
    return TimesAtSize(offload, sum_of_ranges(ranges))


def _cases(sized: SizedKernel, launch: LaunchConfig, gpu: Gpu) -> Iterator[KernelOnGpu]:
    """The launch with the tiles that its staged arrays have at these sizes, and a simple one where that may fit."""
    tried = [launch]
    is_small = launch.threads_per_block < _SMALL_BLOCK_THREADS
    if is_small or grid(sized.kernel, launch, sized.sizes, gpu.warp_size_threads).blocks < gpu.sm_count:
        simple = heuristic_launch(sized, gpu)
        if simple.block != launch.block:
            tried.append(simple)
    counted = count_launches(sized, launches_of(*tried), gpu)
    return (counted_on_gpu(counted.row(row), counted.launch(row)) for row in range(len(tried)))
