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
Accesses with less than twice the sectors they need, accesses with less than 5 % of the kernel's sectors, gathered
accesses (the subscript decides at run time; the hover says so), accesses of neighbouring threads to neighbouring
elements: a row that starts off a sector, or is shorter than a warp in the recommended block, takes a sector more, and
that is counted in the choice of the block. Accesses that together use every byte between neighbouring threads, no more
than a sector apart: the three bytes of a pixel, all members of a small structure. Where the L1 cache serves the access
it is information instead of a warning: the sectors cost L1's bandwidth, not that of the memory.

## Source
Resios, section 6.2 and 3.3 (coalescing by instantiating the address over a warp); sectors of 32 bytes as in NVIDIA's
CUDA C++ Best Practices Guide.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.advice.finding import Finding, Related
from warplens.analysis.advice.naming import node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.advice.whole_windows import fills_window
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.models.results.evaluation import KernelEvaluation, NestEvaluation
from warplens.analysis.models.results.grounds import grounds_of
from warplens.analysis.simulation.grid import count
from warplens.analysis.text.quantities import bytes_text

LEAST_RATIO = 2.0
LEAST_SHARE = 0.05


def check(evaluation: NestEvaluation) -> Iterator[Finding]:
    """One finding per array and stride, at its first access that moves at least twice the sectors it needs."""
    nest = evaluation.facts.nest
    has_ground = grounds_of(evaluation).carry_numbers
    first_cache = evaluation.gpu.l1 if evaluation.gpu.l1.size_bytes else evaluation.gpu.l2
    for kernel in evaluation.kernels:
        arrays = {a.access.id: a.access.array for a in kernel.kernel.accesses}
        alike: dict[tuple[str, int | None], list[AccessCost]] = {}
        for cost in _wasteful(evaluation, kernel):
            alike.setdefault((arrays[cost.access], cost.stride_bytes), []).append(cost)
        for (array, stride), (first, *others) in alike.items():
            if stride and fills_window(kernel.kernel, array, stride, first_cache.sector_bytes, evaluation.known_sizes):
                continue
            more = f", as {_count(len(others))} to `{c_name(array)}`" if others else ""
            open_stride = "" if has_ground else _open_stride(kernel.kernel, first.access)
            text = f"a warp's {node_text(nest, first.access)} ({evaluation.gpu.warp_size_threads} threads) touches"
            sectors = f"of memory ({first_cache.sector_bytes} B each)"
            few = f"where {first.ideal_sectors:.3g} would do{more}; {_why(first)}"
            uncounted = f"a sector {sectors} per thread, unless that is short{more}: neighbours are {open_stride} apart"
            yield Finding(
                "WL201",
                first.access,
                f"Uncoalesced: {text} {uncounted if open_stride else f'{first.sectors:.3g} sectors {sectors} {few}'}.",
                "information" if all(cost.served_by == "l1" for cost in (first, *others)) else "warning",
                tuple(Related(cost.access, f"{node_text(nest, cost.access)} is as far apart") for cost in others),
            )


def _wasteful(evaluation: NestEvaluation, kernel: KernelEvaluation) -> Iterator[AccessCost]:
    """Costs of the accesses that matter, in the order of the source."""
    sizes = evaluation.known_sizes
    costs = sorted(kernel.prediction.costs, key=lambda cost: cost.access)
    times = {a.access.id: count(a.executions_per_thread, sizes) for a in kernel.kernel.accesses}
    least = LEAST_SHARE * sum(cost.sectors * times[cost.access] for cost in costs)
    for cost in costs:
        is_poor = cost.pattern == "strided" and cost.served_by not in {"shared", "register"}
        if is_poor and cost.sectors >= max(LEAST_RATIO * cost.ideal_sectors, least / max(times[cost.access], 1e-9)):
            yield cost


def _open_stride(kernel: Kernel, access: NodeId) -> str:
    """How far neighbouring threads are apart, as a formula; empty where it is a number."""
    strides = (dict(a.stride_bytes).get(kernel.thread_order[0]) for a in kernel.accesses if a.access.id == access)
    stride = next(strides, None)
    return "" if stride is None or stride.is_constant else f"`{stride}` bytes"


def _count(others: int) -> str:
    return "does another access" if others == 1 else f"do {others} other accesses"


def _why(cost: AccessCost) -> str:
    if cost.stride_bytes:
        return f"neighbouring threads are {bytes_text(abs(cost.stride_bytes))} apart"
    return "its threads lie in several rows"


RULE = Rule("WL201", "uncoalesced access", __doc__ or "", check)
