"""WL302: few warps are resident, latency shows.

## What
At the recommended launch an SM holds fewer than half of the warps it could, and the kernel waits for latency.

## Why
A GPU hides the latency of one warp's memory requests behind the work of others. Too few warps, and the SM idles.

## Example
A loop of 2000 iterations on a GPU with 108 SMs: 63 warps in all, most SMs get one or none.

## Fix
If the grid limits it: parallelise another loop of the nest as well (collapse), or take a larger problem. If registers
limit it: split the body. If shared memory limits it: a smaller tile.

## Fix safety
Depends on the fix.

## Does not report
Kernels that are bound by bandwidth or computation: more warps would not help them; kernels under 20 µs.

## Source
NVIDIA's occupancy rules (cuda_occupancy.h); Resios 5.2.1.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Cause, Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.gpu.launch.occupancy import Limit
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.quantities import bytes_text

MOST_OCCUPANCY = 0.5
LEAST_TIME_S = 20e-6


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per kernel that is latency bound at low occupancy."""
    if not grounds_of(evaluation).carry_numbers:
        return
    for kernel in evaluation.kernels:
        prediction = kernel.prediction
        occupancy = prediction.occupancy
        if prediction.bound_by != "memory latency" or prediction.time_s * kernel.launches < LEAST_TIME_S:
            continue
        if occupancy.fraction >= MOST_OCCUPANCY:
            continue
        why, cure = {
            "grid": (
                f"the loop gives only {prediction.threads} threads",
                "Run the loops around or inside it in parallel as well, or take a larger problem",
            ),
            "registers": (
                f"each thread needs {prediction.registers_per_thread} registers",
                "Split the body into two loops",
            ),
            "shared memory": (
                f"each block keeps {bytes_text(prediction.launch.shared_bytes_per_block)} in shared memory",
                "Keep less there",
            ),
            "threads": ("the block's size leaves no room for another one", "Take another block"),
            "blocks": ("no more blocks run at a time", "Take larger blocks"),
        }[occupancy.limited_by]
        yield Finding(
            "WL302",
            kernel.kernel.root,
            f"Too few threads (low occupancy) to keep the GPU busy while they wait for memory: "
            f"{occupancy.warps_per_sm} of the {evaluation.gpu.occupancy.max_warps_per_sm} groups of "
            f"{evaluation.gpu.warp_size_threads} that a multiprocessor has room for, since {why}. {cure}.",
            "information",
            cause=_cause(kernel, occupancy.limited_by),
        )


def _cause(kernel: KernelEvaluation, limit: Limit) -> Cause:
    """Kernels of as many threads, or with the same block, have one cause; what one of them keeps is its own."""
    match limit:
        case "grid":
            return limit, kernel.prediction.threads
        case "threads" | "blocks":
            return limit, kernel.prediction.launch.block
        case _:
            return limit, kernel.kernel.root


RULE = Rule("WL302", "low occupancy", __doc__ or "", check)
