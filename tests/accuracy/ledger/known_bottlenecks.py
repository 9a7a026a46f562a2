"""Our own runs on an H100 and an H200: kernels.cu of tests/accuracy/counters/known_bottlenecks, those that are nests.

Times are ncu's, which empties the caches before each launch, as the models have it. How a kernel is a nest:

- triad, fma_chains, chain_of_loads, local_array, divergent: an iteration of the outermost loop is a thread. The 160 KB
  of shared memory with which chain_of_loads keeps other blocks away are left out: it has one block per SM anyway.
- matmul_naive; matmul_uncoalesced: the same with threadIdx.x on rows.
- matmul_tiled: a block computes 32 x 32 outputs, several in each thread, from tiles of 32 x 32 of both factors.
- transpose_naive: likewise 32 x 32 outputs; threadIdx.x on columns, so that stores are scattered.
- transpose_conflicts, transpose_padded: threadIdx.x on rows and a tile of the input, without and with padding.

In `divergent` an inner loop has n trips in one iteration of 32 and 0 to 31 in the others: their mean is the nest's trip
count, as a run's counts would give it. conflicts_only is no nest: its array is a block's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from math import isnan

from accuracy.counters.runs import OWN, own
from accuracy.ledger.measurement import Extent, Measurement, Sizes
from warplens.analysis.counters.counter_table import Run

DATASET = "known_bottlenecks"
TILE = 32
_NESTS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "triad": ("triad", ()),
    "transpose_naive": ("transpose", ()),
    "transpose_conflicts": ("transpose_tiled", ("a",)),
    "transpose_padded": ("transpose_tiled_padded", ("a",)),
    "matmul_naive": ("mm_naive", ()),
    "matmul_uncoalesced": ("mm_naive_swapped_threads", ()),
    "matmul_tiled": ("mm_tiled", ("m", "b")),
    "divergent": ("divergent", ()),
    "fma_chains": ("fma_chains", ()),
    "chain_of_loads": ("chain_of_loads", ()),
    "local_array": ("local_array", ()),
}
"""The nest's name in kernels.py and what is staged, by the kernel's name."""
_SEVERAL_OUTPUTS = frozenset({"transpose_naive", "transpose_conflicts", "transpose_padded", "matmul_tiled"})


@dataclass(frozen=True, slots=True)
class CountedLaunch:
    """A launch and what ncu counted of it, by the names of hwprofiles/counter_metrics.toml."""

    measurement: Measurement
    counters: Mapping[str, float]


def known_bottlenecks() -> tuple[Measurement, ...]:
    """All launches of kernels that are nests, by GPU, in the order of the files."""
    return tuple(one.measurement for one in counted_launches())


@cache
def counted_launches() -> tuple[CountedLaunch, ...]:
    """The same, with their counters."""
    table = own()
    return tuple(
        CountedLaunch(_measurement(run), _counters(run, dict(zip(table.metrics, map(float, values), strict=True))))
        for run, values in zip(table.runs, table.values, strict=True)
        if run.kernel in _NESTS
    )


def _counters(run: Run, values: Mapping[str, float]) -> dict[str, float]:
    counted = {name: value for name, value in values.items() if not isnan(value)}
    return counted if run.registers is None else counted | {"registers": run.registers}


def _measurement(run: Run) -> Measurement:
    assert run.block is not None
    assert run.grid is not None
    assert run.time_s is not None
    (name, staged), n = _NESTS[run.kernel], int(dict(run.problem)["n"])
    outputs: Extent = (1, TILE // run.block[1], 1) if run.kernel in _SEVERAL_OUTPUTS else (1, 1, 1)
    sizes = _sizes(name, n, run.grid[0] * run.block[0])
    return Measurement(DATASET, OWN[run.gpu], name, n, run.block, outputs, staged, run.time_s, sizes)


def _sizes(name: str, n: int, threads: int) -> Sizes:
    match name:
        case "divergent":
            others = TILE * (TILE - 1) // 2
            return ("iterations of k", (n + others) // TILE), ("threads", threads)
        case "fma_chains" | "chain_of_loads" | "local_array":
            return (("threads", threads),)
        case _:
            return ()
