"""The second pass of a reduction: one block that combines what the blocks of the first one left.

A CUDA port writes a value per block and combines them in a kernel of its own (ports/cuda/reduction_text.py), whose
threads read one value after another, each as long as device memory takes. So a sum over 33 million numbers by blocks of
256 has 131 072 values left, which took an H100 0.25 ms, five times as long as the sum itself.
Assumes: the values of several variables are combined one after the other. Directives and atomic updates in its place
take less; they are not told apart.
"""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.models.launch_work.kernel_work import KernelWork
from warplens.analysis.simulation.combining import combined_reductions

SECOND_PASS_THREADS = 256


def second_pass_s(work: KernelWork) -> Column:
    """Seconds of the second pass of each launch; 0 where nothing is combined, or one block does. Shape: (launches,)."""
    variables = len(combined_reductions(work.kernel))
    gpu = work.gpu
    values_per_thread = np.ceil(work.blocks / SECOND_PASS_THREADS)
    one_s = gpu.kernel_start_s + values_per_thread * gpu.dram.latency_cycles / gpu.clock_hz
    seconds: Column = np.where(work.blocks > 1, variables * one_s, 0.0)
    return seconds
