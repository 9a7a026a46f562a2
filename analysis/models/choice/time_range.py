"""Between which times the kernels of a nest lie, by what was measured of kernels like them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.gpu.machine.model_error import ModelError
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.prediction import Prediction


@dataclass(frozen=True, slots=True)
class TimeRange:
    """Seconds that nine of ten measured times are predicted to lie between."""

    least_s: float
    most_s: float


def range_of(time_s: float, error: ModelError) -> TimeRange:
    """Range of a predicted time, by the error of its model as that of its launch (`ranged`).

    >>> range_of(1.0, ModelError("resios", "reduction", 0.5, 0.5, 1.25, 0.5, 1.5, 9, 89, ("k20",)))
    TimeRange(least_s=0.8, most_s=2.0)
    """
    return TimeRange(time_s / error.high, time_s / error.low)


def is_short(prediction: Prediction) -> bool:
    """Whether a kernel takes less than launching it, and less than any that was measured."""
    return prediction.bound_by == "launch overhead"


def kernels_range(evaluation: NestEvaluation) -> TimeRange | None:
    """Range of `Offload.kernels_s`; None where nothing was measured of kernels like one of them.

    Assumes: the errors of several kernels go the same way.
    """
    return sum_of_ranges([(float(each.launches), kernel_range(each, evaluation.gpu)) for each in evaluation.kernels])


def sum_of_ranges(ranges: Sequence[tuple[float, TimeRange | None]]) -> TimeRange | None:
    """Range of all launches together, of how often each kernel is launched and its range; None where one has none."""
    known = [(launches, found) for launches, found in ranges if found]
    if not known or len(known) < len(ranges):
        return None
    return TimeRange(
        sum(launches * found.least_s for launches, found in known),
        sum(launches * found.most_s for launches, found in known),
    )


def kernel_range(kernel: KernelEvaluation, gpu: Gpu) -> TimeRange | None:
    """Range of one launch's time; None where nothing was measured of such kernels."""
    return None if kernel.error is None else launch_range(kernel.prediction.time_s, kernel.error, gpu)


def launch_range(time_s: float, error: ModelError, gpu: Gpu) -> TimeRange:
    """`kernel_range` of a time that is no prediction's.

    No launch takes less than starting a grid and ending it does on this GPU, as far as that is known. A kernel that
    takes less than its launch is somewhere between that and the longer of its launch and the error.
    """
    found = range_of(time_s, error)
    start_s, launch_s = min(time_s, gpu.kernel_start_s), gpu.host.launch_overhead_s
    if time_s < launch_s:
        return TimeRange(start_s, max(launch_s, found.most_s))
    return TimeRange(max(start_s, found.least_s), found.most_s)
