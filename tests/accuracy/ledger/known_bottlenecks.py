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

import csv
import gzip
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from accuracy.ledger.measurement import Extent, Measurement, Sizes

FOLDER = Path(__file__).parents[1] / "counters" / "known_bottlenecks"
GPUS = ("h100", "h200")
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
    return tuple(found for gpu in GPUS for found in _read(gpu))


def _read(gpu: str) -> list[CountedLaunch]:
    with gzip.open(FOLDER / f"{gpu}.csv.gz", "rt", encoding="utf-8", newline="") as lines:
        rows = [
            row for row in csv.DictReader(line for line in lines if not line.startswith("#")) if row["kernel"] in _NESTS
        ]
    return [
        CountedLaunch(
            _measurement(gpu, row),
            {name: float(value) for name, value in row.items() if name not in {"kernel", "gpu"} and value},
        )
        for row in rows
        if row["kernel"] in _NESTS
    ]


def _measurement(gpu: str, row: Mapping[str, str]) -> Measurement:
    kernel, n = row["kernel"], int(row["n"])
    name, staged = _NESTS[kernel]
    block: Extent = (int(row["block_x"]), int(row["block_y"]), 1)
    outputs: Extent = (1, TILE // block[1], 1) if kernel in _SEVERAL_OUTPUTS else (1, 1, 1)
    threads = int(row["grid_x"]) * block[0]
    return Measurement(
        DATASET, gpu, name, n, block, outputs, staged, float(row["time_ns"]) * 1e-9, _sizes(name, n, threads)
    )


def _sizes(name: str, n: int, threads: int) -> Sizes:
    match name:
        case "divergent":
            others = TILE * (TILE - 1) // 2
            return ("k_trips", (n + others) // TILE), ("threads", threads)
        case "fma_chains" | "chain_of_loads" | "local_array":
            return (("threads", threads),)
        case _:
            return ()
