"""WL202: this access is where the kernel waits.

## What
In the simulation of the recommended launch, the SM is idle for a large share of the time while requests of this
access are in flight and no warp has anything to compute.

## Why
It is the first access to improve: anything done elsewhere can't shorten that wait.

## Example
```c
for (int i = 0; i < n; i++)
    y[i] = a * x[i] + y[i];   /* x[i] and y[i]: all the time is memory */
```

## Fix
Move fewer bytes (smaller types, fewer arrays, fusing loops that read the same array), make the access coalesced
(WL201), stage what is read again (WL204), give the SM more warps to switch to (WL302).

## Fix safety
There is no automatic fix.

## Does not report
Accesses below 40 % of the kernel's time, kernels under 20 µs.

## Source
Resios, algorithm 5.1: idle time is added to every memory operation in flight while no compute unit is busy.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.quantities import percent_text

LEAST_SHARE = 0.4
LEAST_TIME_S = 20e-6


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """The hottest access of each kernel, when it is hot enough."""
    if not grounds_of(evaluation).carry_numbers:
        return
    for kernel in evaluation.kernels:
        prediction = kernel.prediction
        if prediction.time_s * kernel.launches < LEAST_TIME_S:
            continue
        named = [h for h in prediction.hotspots if h.access is not None]
        hottest = max(named, key=lambda h: h.idle_share, default=None)
        if hottest is None or hottest.idle_share < LEAST_SHARE or hottest.access is None:
            continue
        arrays = {facts.access.id: facts.access.array for facts in kernel.kernel.accesses}
        place = node_text(evaluation.facts.nest, hottest.access)
        array = arrays.get(hottest.access, "")
        yield Finding(
            "WL202",
            hottest.access,
            f"Memory hotspot: for {percent_text(hottest.idle_share)} of the kernel's time the GPU can only wait for "
            f"{place}. Smaller types, or using again what was read, would help.",
            "information",
            cause=(array or place,),
            place=place,
            array=array,
        )


RULE = Rule("WL202", "memory hotspot", __doc__ or "", check)
