"""What a nest takes at another problem size, launched as it is recommended at its own: a cheaper `evaluate_nest`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.cpu.sequential import cpu_time
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.batch_opportunities import staged_choices
from warplens.analysis.gpu.gpu import Gpu
from warplens.analysis.gpu.kernel_walks import KernelWalks
from warplens.analysis.gpu.launch import LaunchConfig
from warplens.analysis.gpu.launches import Launches
from warplens.analysis.models.choice.cost_models import COST_MODELS
from warplens.analysis.models.choice.time_range import TimeRange, kernels_range, launch_range, sum_of_ranges
from warplens.analysis.models.launches.launch_heuristic import heuristic_launch
from warplens.analysis.models.offload.nest_offload import TimedKernel, offload_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.models.work.kernel_on_gpu import kernel_on_gpu
from warplens.analysis.simulation.grid import grid, whole_count
from warplens.analysis.work.kernels.kernel_at import kernel_at
from warplens.analysis.work.loops.derived_symbols import extend_sizes

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
    values = extend_sizes(sizes, facts.nest)
    timed: list[TimedKernel] = []
    ranges: list[tuple[float, TimeRange | None]] = []
    for each in evaluation.kernels:
        sized = kernel_at(each.kernel, values)
        walks = KernelWalks(sized, values)
        time_s = min(
            COST_MODELS[each.prediction.model].time_s(kernel_on_gpu(sized, launch, values, gpu, walks))
            for launch in _launches(sized, each.prediction.launch, values, gpu)
        )
        launches = whole_count(each.kernel.launches, values)
        timed.append(TimedKernel(each.kernel, launches, time_s))
        ranges.append((float(launches), None if each.error is None else launch_range(time_s, each.error, gpu)))
    offload = offload_of(facts, values, timed, cpu_time(facts, values, evaluation.cpu), gpu)
    return TimesAtSize(offload, sum_of_ranges(ranges))


def _launches(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> Iterator[LaunchConfig]:
    yield _staged_at(kernel, launch, sizes, gpu)
    is_small = launch.threads_per_block < _SMALL_BLOCK_THREADS
    if is_small or grid(kernel, launch, sizes, gpu.warp_size_threads).blocks < gpu.sm_count:
        simple = heuristic_launch(kernel, sizes, gpu)
        if simple.block != launch.block:
            yield simple


def _staged_at(kernel: Kernel, launch: LaunchConfig, sizes: Mapping[str, int], gpu: Gpu) -> LaunchConfig:
    """The launch with the tiles that its staged arrays have at these sizes."""
    if not launch.shared:
        return launch
    arrays = tuple(sorted(choice.array for choice in launch.shared))
    alone = Launches(
        np.array([launch.block], dtype=np.int64),
        np.array([launch.outputs_per_thread], dtype=np.int64),
        arrays,
        np.ones((1, len(arrays)), dtype=np.bool_),
    )
    (choices,) = staged_choices(kernel, alone, sizes, gpu)
    return replace(launch, shared=choices)
