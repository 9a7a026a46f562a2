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
Nests whose transfers are under half of the time with copies, nests under 100 µs on one core, nests that the GPU speeds
up by 3x and more against all cores although the data starts on the host.

## Source
Resios, equations 4.1 to 4.3.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.results.evaluation import NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.text.quantities import bytes_text, percent_text

LEAST_SHARE = 0.5
LEAST_CPU_TIME_S = 100e-6
WORTH_IT = 3.0
"""Against all cores: from this speedup on, the copies are no reason to stay on the host."""


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """At most one finding, at the root."""
    offload = evaluation.offload
    if offload is None or offload.one_core_s < LEAST_CPU_TIME_S or not offload.has_work:
        return
    if not grounds_of(evaluation).carry_numbers:
        return
    share = (offload.transfer_in_s + offload.transfer_out_s) / offload.cold_s
    if share < LEAST_SHARE or offload.all_cores_s >= WORTH_IT * offload.cold_s:
        return
    yield Finding(
        "WL301",
        evaluation.facts.nest.root.id,
        f"Copying takes {percent_text(share)} of the time on the GPU if the data starts on the host "
        f"({bytes_text(offload.bytes_in)} in, {bytes_text(offload.bytes_out)} out). Keep the data on the GPU across "
        "several loops.",
        "information",
        cause=(evaluation.facts.nest.root.id,),
    )


RULE = Rule("WL301", "transfer bound", __doc__ or "", check)
