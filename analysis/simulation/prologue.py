"""What every thread does before the program of its iteration."""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.facts.program import OpClass
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.instruction_time import issue_cycles
from warplens.analysis.simulation.operation import Operation, Trace

PROLOGUE: tuple[OpClass, ...] = ("int_mad", "compare")
"""Per grid loop: `i = blockIdx.x * blockDim.x + threadIdx.x` and `if (i < n)`."""


def with_prologue(trace: Trace, dimensions: int, gpu: Gpu, tests: int | None = None) -> Trace:
    """Let each thread find its iteration and test whether it has one; a trace without work stays so.

    `tests` are the comparisons with the grid's end, one per output along each dimension (None: one per dimension).
    Units: cycles. Assumes: the dimensions do not wait for each other.
    Not modelled: reads of the thread's coordinates and of the kernel's arguments, launching blocks.
    """
    if not trace.operations:
        return trace
    timings = [gpu.timing(op) for op in PROLOGUE]
    busy = dimensions * sum(issue_cycles(timing, gpu.warp_size_threads) for timing in timings)
    if tests is not None:
        busy += (tests - dimensions) * issue_cycles(timings[-1], gpu.warp_size_threads)
    latency = prologue_latency_cycles(gpu)
    first = Operation("compute", float(len(PROLOGUE)), latency, (busy, 0.0, 0.0, 0.0))
    return replace(trace, operations=(first, *trace.operations))


def prologue_latency_cycles(gpu: Gpu) -> float:
    """What a warp waits for its iteration and its test, those of all dimensions side by side."""
    return sum(gpu.timing(op).latency_cycles for op in PROLOGUE)
