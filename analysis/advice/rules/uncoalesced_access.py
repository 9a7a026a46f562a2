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
from warplens.analysis.advice.naming import accesses_of, loop_name, node_text
from warplens.analysis.advice.rule import Rule
from warplens.analysis.advice.whole_windows import fills_window
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.symbol import kind_of
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
            wide = kernel.kernel.thread_order[0]
            open_stride = "" if has_ground else _open_stride(kernel.kernel, first.access)
            size_bytes = first_cache.sector_bytes
            apart = f"{open_stride} apart" if open_stride else _apart(first)
            cost_text = (
                f"so that each moves {size_bytes} B of memory of its own, unless that is little"
                if open_stride
                else f"so that {evaluation.gpu.warp_size_threads} threads move {first.sectors:.3g} pieces of memory of "
                f"{size_bytes} B, where {first.ideal_sectors:.3g} would do"
            )
            yield Finding(
                "WL201",
                first.access,
                f"Uncoalesced: neighbouring threads use {node_text(nest, first.access)} {apart}, {cost_text}. Let "
                f"neighbouring iterations of {loop_name(nest, wide)} use neighbouring elements.",
                "information" if all(cost.served_by == "l1" for cost in (first, *others)) else "warning",
                tuple(Related(cost.access, f"{node_text(nest, cost.access)} is as far apart") for cost in others),
                cause=(wide,),
                place=node_text(nest, first.access),
                array=array,
            )


def _wasteful(evaluation: NestEvaluation, kernel: KernelEvaluation) -> Iterator[AccessCost]:
    """Costs of the accesses that matter in the whole nest, in the order of the source."""
    sizes = evaluation.known_sizes
    own = accesses_of(evaluation.facts.nest)  # not what a mapping adds
    costs = sorted((one for one in kernel.prediction.costs if one.access in own), key=lambda cost: cost.access)
    times = {a.access.id: count(a.executions_per_thread, sizes) for a in kernel.kernel.accesses}
    least = LEAST_SHARE * sum(_sectors(each, evaluation) for each in evaluation.kernels)
    runs = float(kernel.launches) * kernel.prediction.threads
    for cost in costs:
        is_poor = cost.pattern == "strided" and cost.served_by not in {"shared", "register"}
        is_much = runs * cost.sectors * times[cost.access] >= least
        if is_poor and is_much and cost.sectors >= LEAST_RATIO * cost.ideal_sectors:
            yield cost


def _sectors(kernel: KernelEvaluation, evaluation: NestEvaluation) -> float:
    """Sectors that all threads of a kernel ask for, each as often as its warp."""
    sizes = evaluation.known_sizes
    times = {a.access.id: count(a.executions_per_thread, sizes) for a in kernel.kernel.accesses}
    each = sum(cost.sectors * times[cost.access] for cost in kernel.prediction.costs)
    return float(kernel.launches) * kernel.prediction.threads * each


def _open_stride(kernel: Kernel, access: NodeId) -> str:
    """How far neighbouring threads are apart, as a formula in names of the source; empty where it is a number."""
    strides = (dict(a.stride_bytes).get(kernel.thread_order[0]) for a in kernel.accesses if a.access.id == access)
    stride = next(strides, None)
    if stride is None or stride.is_constant:
        return ""
    is_said = all(kind_of(symbol) in {"source", "phrase"} for symbol in stride.symbols)
    return f"`{stride}` bytes" if is_said else "some bytes"


def _apart(cost: AccessCost) -> str:
    return f"{bytes_text(abs(cost.stride_bytes))} apart" if cost.stride_bytes else "in several rows"


RULE = Rule("WL201", "uncoalesced access", __doc__ or "", check)
