"""Resios eq. 4.5: cycles of an arithmetic instruction at a level of parallelism.

The equations of single operations live in the simulation because the trace is made of them; models/ come after it.
"""

from __future__ import annotations

from math import ceil

from warplens.analysis.gpu.machine.gpu import InstructionTiming


def issue_cycles(timing: InstructionTiming, warp_size_threads: int) -> float:
    """Cycles for which one warp's instruction occupies the SM at peak throughput: warp size / throughput."""
    return warp_size_threads / timing.results_per_cycle_per_sm


def warps_to_peak(timing: InstructionTiming, warp_size_threads: int) -> int:
    """Resios' max_i: independent instructions per SM that reach peak throughput.

    Equation: ceil(latency · throughput / warp_size), Little's law; a value that the profile measured is ignored, as
    some of them (16 for fmadd with latency 18) do not follow from their own latency and throughput.

    >>> warps_to_peak(InstructionTiming("int_mad", 22.0, 16.0), 32)
    11
    """
    return max(1, ceil(timing.latency_cycles / issue_cycles(timing, warp_size_threads)))


def instruction_delay_cycles(timing: InstructionTiming, parallelism: float, warp_size_threads: int) -> float:
    """Delay of one instruction when `parallelism` = ILP · TLP of them overlap, in cycles of the SM per instruction.

    Equation: max(latency / p, warp_size / throughput), what this project predicts with. It agrees with the paper's
    first branch up to peak and with its second branch in the limit of many warps, but never rises with p: the paper's
    form (`instruction_delay_paper_cycles`) jumps beyond p = max_i, up by a sixth of a cycle for madd and down by half
    for div, which no pipeline does.
    Source: Resios eq. 4.5. Raises: ZeroDivisionError for p = 0.

    >>> instruction_delay_cycles(InstructionTiming("int_mad", 22.0, 16.0), 5, 32)
    4.4
    """
    return max(timing.latency_cycles / parallelism, issue_cycles(timing, warp_size_threads))


def instruction_delay_paper_cycles(
    timing: InstructionTiming, parallelism: float, warp_size_threads: int, max_parallelism: float
) -> float:
    """Eq. 4.5 to the letter, for comparison with the thesis; predictions use `instruction_delay_cycles`.

    Equation: latency / p for p ≤ max_i, else latency / (p · max_i) + warp_size / throughput.
    Source: Resios eq. 4.5 and table 3.1. Raises: ZeroDivisionError for p = 0.
    """
    if parallelism <= max_parallelism:
        return timing.latency_cycles / parallelism
    return timing.latency_cycles / (parallelism * max_parallelism) + issue_cycles(timing, warp_size_threads)
