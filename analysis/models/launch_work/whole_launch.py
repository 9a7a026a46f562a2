"""From what a model says of the threads of a launch to the launch: what no launch is faster than, and its start.

Starting a grid and ending it takes a time that nothing of the kernel hides, which every measured kernel time has in it:
an H100 measures no kernel below 3 us and an H200 none below 2.4 us, whatever it does (`device.kernel_start_us`).
"""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.launch_work.atomic_queues import queue_s
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.models.launch_work.partial_stores import partial_stores_s
from warplens.analysis.models.launch_work.second_pass import second_pass_s


def whole_launches_s(work: KernelWork, time_s: Column, *, ends: bool = True) -> Column:
    """Seconds of each launch: no less than its atomic updates take and its stores of parts of sectors, and the start.

    A reduction `ends` with its second pass, unless the blocks' values are left as they are. A launch without threads
    takes none. Shape: (launches,).
    """
    least_s = np.maximum(queue_s(work.sized, work.gpu), partial_stores_s(work))
    more_s = work.gpu.kernel_start_s + (second_pass_s(work) if ends else 0.0)
    whole: Column = np.where(work.threads > 0, np.maximum(time_s, least_s) + more_s, 0.0)
    return whole
