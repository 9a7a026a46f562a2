"""What the models count of our own runs beside what ncu counted: instructions, requests, sectors, bytes, registers.

Where a time is off, this says whether the counts are or what they cost.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from accuracy.ledger.cases import case_of
from accuracy.ledger.errors import errors
from accuracy.ledger.known_bottlenecks import CountedLaunch, counted_launches
from accuracy.real_c.tables import table
from warplens.hwprofiles.loader import load_gpu

COUNTERS: Mapping[str, tuple[str, ...]] = {
    "instructions": ("instructions_executed",),
    "load requests": ("global_load_requests",),
    "store requests": ("global_store_requests",),
    "load sectors": ("global_load_transactions",),
    "store sectors": ("global_store_transactions",),
    "L2 bytes": ("l2_read_bytes", "l2_write_bytes"),
    "DRAM bytes": ("dram_read_bytes", "dram_write_bytes"),
    "registers": ("registers",),
}
"""ncu's counters that add up to each count, in global memory."""
_SECTOR_BYTES = 32


@dataclass(frozen=True, slots=True)
class CountErrors:
    """Geometric means of predicted over counted over the launches of one kernel, by the names of `COUNTERS`.

    A count that is nothing on one side of a launch has no ratio there, and is not in the mean.
    """

    kernel: str
    gpu: str
    ratios: Mapping[str, float]


def own_counts() -> tuple[CountErrors, ...]:
    """By kernel, then GPU."""
    found: dict[tuple[str, str], dict[str, list[float]]] = {}
    for launch in counted_launches():
        one = launch.measurement
        for name, ratio in count_ratios(launch):
            found.setdefault((one.kernel, one.gpu), {}).setdefault(name, []).append(ratio)
    return tuple(
        CountErrors(kernel, gpu, {name: errors(ratios, ()).ratio for name, ratios in by_name.items()})
        for (kernel, gpu), by_name in sorted(found.items())
    )


def counts_table() -> str:
    """Markdown, a row for each kernel and GPU."""
    rows: list[list[object]] = [
        [one.kernel, one.gpu, *(f"{one.ratios[name]:.2f}" if name in one.ratios else "-" for name in COUNTERS)]
        for one in own_counts()
    ]
    return table(["kernel", "GPU", *COUNTERS], rows, 2)


def count_ratios(launch: CountedLaunch) -> Iterator[tuple[str, float]]:
    """Predicted over counted, by the names of `COUNTERS`, where neither is nothing."""
    predicted = _predicted(launch)
    for name, counters in COUNTERS.items():
        counted = sum(launch.counters.get(each, 0.0) for each in counters)
        if predicted[name] > 0 and counted > 0:
            yield name, predicted[name] / counted


def _predicted(launch: CountedLaunch) -> dict[str, float]:
    """Counts of the whole launch."""
    gpu = load_gpu(launch.measurement.gpu)
    work = case_of(launch.measurement, gpu).work
    warps = float(work.threads[0]) / gpu.warp_size_threads
    requests = work.requests_per_warp[0]
    in_global = requests * ~work.is_staged[0]
    stores = np.array(work.is_store)
    sectors = in_global * work.sectors_per_request[0]
    staging = float(work.staging_requests_per_warp[0])
    staged_sectors = staging * float(work.staging_sectors_per_request[0])
    l2_sectors = float((in_global * work.l2_sectors_per_request[0]).sum()) + staged_sectors
    dram_sectors = float((in_global * work.dram_sectors_per_request[0]).sum())
    dram_sectors += staged_sectors * float(work.staging_dram_share[0])
    # A staged element is loaded from global memory and stored to shared memory.
    memory = float(requests.sum()) + 2 * staging + float(work.spill_requests_per_warp[0])
    return {
        "instructions": warps * (float(work.arithmetic_per_warp[0].sum()) + memory),
        "load requests": warps * (float(in_global[~stores].sum()) + staging),
        "store requests": warps * float(in_global[stores].sum()),
        "load sectors": warps * (float(sectors[~stores].sum()) + staged_sectors),
        "store sectors": warps * float(sectors[stores].sum()),
        "L2 bytes": warps * _SECTOR_BYTES * l2_sectors,
        "DRAM bytes": warps * _SECTOR_BYTES * dram_sectors,
        "registers": float(work.registers_per_thread[0]),
    }
