"""Which of the launches that were searched is recommended: the first, or the best that a directive can ask for."""

from __future__ import annotations

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.models.results.launch_ranking import LaunchRanking, RankedLaunch

WRITTEN_GAIN = 1.25
"""What the first of all launches has to gain over the best that a directive can ask for, to be recommended: only CUDA
writes several outputs per thread and tiles, a longer kernel at that, and less is no more than the models' error."""


def recommended(ranking: LaunchRanking, gpu: Gpu) -> RankedLaunch | None:
    """The launch to recommend; None where none is possible.

    A kernel that takes less than its launch has one that is simple.
    """
    first, single = next(iter(ranking.ranked), None), ranking.one_output
    if first is None or single is None:
        return first
    is_long = single.time_s > gpu.host.launch_overhead_s
    return first if is_long and first.time_s * WRITTEN_GAIN <= single.time_s else single
