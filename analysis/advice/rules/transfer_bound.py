"""WL301: copying the data costs more than computing on it.

## What
With the data on the host, the copies to and from the GPU take most of the time of this nest.

## Why
The link between host and GPU is tens of times slower than the GPU's memory. A nest that touches each element once
rarely pays for its own transfers; the same nest on data that already is on the GPU does.

## Example
```c
for (int i = 0; i < n; i++)
    c[i] = a[i] + b[i];   /* 12 bytes moved per addition */
```

## Fix
Keep the arrays on the GPU across several nests (`#pragma omp target data`), and port the neighbouring nests too, so
that the speedup without copies counts.

## Fix safety
Safe as long as the host does not touch the arrays in between.

## Does not report
Nests whose transfers are under half of the time with copies, nests under 100 µs on one core, nests that are 3 times
faster on the GPU than on the CPU and more although the data starts on the host. The CPU is taken at its best: all its
cores, or one where that is as fast.

## Source
Resios, equations 4.1 to 4.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import best_cpu_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.advice.worth import worth_of
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.text.quantities import bytes_text, percent_text
from warplens.analysis.text.rounded import compared_text, speed_text

LEAST_SHARE = 0.5
LEAST_CPU_TIME_S = 100e-6
WORTH_IT = 3.0
"""Against the best of the CPU: from this speedup on, the copies are no reason to stay on the host."""


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """At most one finding, at the root."""
    offload, worth = evaluation.offload, worth_of(evaluation)
    if offload is None or worth.resident is None or worth.copied is None or offload.one_core_s < LEAST_CPU_TIME_S:
        return
    share = (offload.transfer_in_s + offload.transfer_out_s) / offload.cold_s
    if share < LEAST_SHARE or worth.copied.value >= WORTH_IT:
        return
    compared = ""
    if not worth.grounds.guesses:
        than = best_cpu_text(worth.against, evaluation.cpu.core_count)
        compared = f": {compared_text(worth.copied.value, than)}, {speed_text(worth.resident.value)} without the copies"
    yield Finding(
        "WL301",
        evaluation.facts.nest.root.id,
        f"Copying takes {percent_text(share)} of the time on the GPU if the data starts on the host "
        f"({bytes_text(offload.bytes_in)} in, {bytes_text(offload.bytes_out)} out){compared}. Keep the data on the GPU "
        "across several loops.",
        "hint",  # the sentence of the nest says it already, in fewer words
        cause=(evaluation.facts.nest.root.id,),
    )


RULE = Rule("WL301", "transfer bound", __doc__ or "", check, is_of_recommended=True)
