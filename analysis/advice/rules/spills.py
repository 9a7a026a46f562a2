"""WL401: the body needs more registers than a thread has.

## What
The values alive at the same time in one thread exceed the registers a thread may have; some are kept in local memory.

## Why
Each spill is a store and later a load that the source does not show.

## Example
A body with 300 double-precision temporaries that are all used at its end.

## Fix
Split the body into two loops (fission), recompute instead of keeping, use smaller types.

## Fix safety
Fission is legal when no dependence runs backwards between the parts.

## Does not report
Pressure below the limit: then nothing is spilled, though occupancy may fall (WL302).

## Source
Resios, algorithm 6.4 (Belady's MIN).
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per kernel that spills."""
    for kernel in evaluation.kernels:
        prediction = kernel.prediction
        if prediction.spills_per_thread:
            counted = grounds_of(evaluation).carry_numbers
            accesses = f", {prediction.spills_per_thread} accesses per thread" if counted else ""
            limit = evaluation.gpu.occupancy.registers_max_per_thread
            yield Finding(
                "WL401",
                kernel.kernel.root,
                f"Register spills: a thread needs {kernel.kernel.register_pressure} registers and has {limit}; what "
                f"has no room goes to memory and back{accesses}. Split the body into two loops, or use smaller types.",
                "warning",
                cause=(kernel.kernel.root,),
            )


RULE = Rule("WL401", "register spills", __doc__ or "", check)
