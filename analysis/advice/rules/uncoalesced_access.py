"""WL201: neighbouring threads read or write memory that is not contiguous.

## What
One request of a warp touches many more 32-byte sectors than its bytes need.

## Why
Memory moves whole sectors. A warp that reads 32 floats a row apart moves 32 sectors (1024 bytes) for 128 useful
bytes, so the access runs at an eighth of the bandwidth.

## Example
```c
for (int i = 0; i < n; i++)        /* i becomes the x thread index … */
    for (int k = 0; k < n; k++)
        s[i] += a[i * n + k];      /* … and neighbours in i are n elements apart */
```

## Fix
Make the loop along which the subscript is contiguous the innermost parallel one (interchange), store the array
transposed, use a structure of arrays instead of an array of structures, or stage the region in shared memory.

## Fix safety
Interchange is legal when dependences allow it; changing a layout changes every use of the array.

## Does not report
Accesses whose bytes come from the L1 cache, accesses with less than twice the sectors they need, gathered accesses
(the subscript decides at run time; the hover says so), loops below 1 % of the kernel's time.

## Source
Resios, section 6.2 and 3.3 (coalescing by instantiating the address over a warp); sectors of 32 bytes as in NVIDIA's
CUDA C++ Best Practices Guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding
from warplens.analysis.advice.naming import accesses_of
from warplens.analysis.advice.quantities import bytes_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.models.evaluation import NestEvaluation


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per access that moves at least twice the sectors it needs."""
    accesses = accesses_of(evaluation.facts.nest)
    for kernel in evaluation.kernels:
        prediction = kernel.prediction
        for cost in prediction.costs:
            if cost.pattern not in {"strided", "misaligned"} or cost.served_by not in {"dram", "l2"}:
                continue
            if cost.sectors < 2 * cost.ideal_sectors or cost.access not in accesses:
                continue
            stride = (
                f", neighbouring threads are {bytes_text(abs(cost.stride_bytes))} apart" if cost.stride_bytes else ""
            )
            yield Finding(
                "WL201",
                cost.access,
                f"Uncoalesced: `{accesses[cost.access].written}` moves {cost.sectors:.3g} sectors per warp where "
                f"{cost.ideal_sectors:.3g} would do{stride}.",
                "warning",
            )


RULE = Rule("WL201", "uncoalesced access", __doc__ or "", check)
