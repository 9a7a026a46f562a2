"""How high a kernel's counters are where it takes long: what they say without any statistics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable
from warplens.analysis.counters.predictors import Floats
from warplens.analysis.gpu.machine.gpu import Gpu

_LONGEST = 1 / 3
_ONE_TRANSACTION = 1.5
_MOST = {
    "shared_conflicts_per_request": 31.0,
    "shared_load_transactions_per_request": 64.0,
    "shared_store_transactions_per_request": 64.0,
    "global_load_transactions_per_request": 64.0,
    "global_store_transactions_per_request": 64.0,
    "dram_share": 1.2,
    "l2_share": 1.2,
    "l1_share": 1.2,
    "issue_share": 1.2,
}
"""What no GPU reaches: each of 32 threads meets 31 others in a bank, or touches two sectors or words; above a peak by
more than clocks boost, the counter or the profile is wrong."""


@dataclass(frozen=True, slots=True)
class Level:
    """The median over the longest third of the runs, and the range over all; `source` says what it was computed from.

    Units: shares in [0, 1], or one count per another.
    """

    name: str
    value: float
    low: float
    high: float
    source: str


def levels_of(table: CounterTable, gpu: Gpu | None) -> tuple[dict[str, Level], tuple[str, ...]]:
    """Of runs of one kernel on one GPU; shares of a GPU's rates are left out where its profile is not known.

    A count per another is taken as the profiler gave it, else computed from the two. The remarks are of levels that no
    GPU reaches, which are left out.
    """
    time_s = np.array([run.time_s or np.nan for run in table.runs])
    found: dict[str, Level] = {}
    remarks: list[str] = []
    for name, source, values in _candidates(table, time_s, gpu):
        if name in found or not np.isfinite(values).any():
            continue
        level = _level(name, source, values, time_s)
        if level.value > _MOST.get(name, np.inf):
            remarks.append(f"not used, as no GPU reaches it: {level.value:.3g} for {source}")
        else:
            found[name] = level
    busy = [found[name] for name in ("dram_share", "issue_share") if name in found]
    if len(busy) == 2:  # the one without the other would call a kernel idle that is busy with what was not measured
        busy += [found[name] for name in ("l2_share", "l1_share") if name in found]
        most = max(busy, key=lambda level: level.value)
        found["idle_share"] = Level("idle_share", 1 - most.value, 1 - most.high, 1 - most.low, f"1 - {most.source}")
    if "dram_share" in found and "l2_share" in found:
        most = max(found["dram_share"], found["l2_share"], key=lambda level: level.value)
        found["memory_share"] = Level("memory_share", most.value, most.low, most.high, most.source)
    return found, tuple(remarks)


def _level(name: str, source: str, values: Floats, time_s: Floats) -> Level:
    known = np.isfinite(values)
    times = np.where(np.isfinite(time_s), time_s, 0.0)[known]
    longest = values[known][times >= np.quantile(times, 1 - _LONGEST)]
    return Level(name, float(np.median(longest)), float(values[known].min()), float(values[known].max()), source)


def _candidates(table: CounterTable, time_s: Floats, gpu: Gpu | None) -> Iterator[tuple[str, str, Floats]]:
    """(level, what it is computed from, values by run), the best source of a level first."""
    column = table.column
    for name in (
        "achieved_occupancy", "branch_efficiency", "warp_execution_efficiency", "global_load_efficiency",
        "global_store_efficiency", "shared_efficiency", "shared_replays_per_instruction",
        "global_replays_per_instruction", "local_replays_per_instruction", "stall_memory_dependency",
        "stall_memory_throttle", "stall_pipe_busy",
        "global_load_transactions_per_request", "global_store_transactions_per_request",
        "shared_load_transactions_per_request", "shared_store_transactions_per_request", "l1_hit_rate", "l2_hit_rate",
    ):  # fmt: skip
        yield name, name, _improvable(table, name) if name.endswith("_efficiency") else column(name)
    for kind, count, per in (
        ("global_load_transactions_per_request", "global_load_transactions", "global_load_requests"),
        ("global_store_transactions_per_request", "global_store_transactions", "global_store_requests"),
        ("shared_load_transactions_per_request", "shared_load_transactions", "shared_load_requests"),
        ("shared_store_transactions_per_request", "shared_store_transactions", "shared_store_requests"),
        ("divergent_branch_share", "divergent_branches", "branches"),
        ("local_transactions_per_instruction", "local_load_transactions", "instructions_executed"),
    ):
        yield kind, f"{count} / {per}", _quotient(column(count), column(per))
    conflicts, source = _sum_of_known(table, "shared_load_bank_conflicts", "shared_store_bank_conflicts")
    requests, requested = _sum_of_known(table, "shared_load_requests", "shared_store_requests")
    yield "shared_conflicts_per_request", f"{source} / {requested}", _quotient(conflicts, requests)
    instructions = "instructions_executed"
    yield "shared_replays_per_instruction", f"{source} / {instructions}", _quotient(conflicts, column(instructions))
    for what in ("transactions", "requests"):
        loads, stores = column(f"global_load_{what}"), column(f"global_store_{what}")
        yield "global_load_share", f"global loads / all global {what}", _quotient(loads, loads + stores)
        yield "global_store_share", f"global stores / all global {what}", _quotient(stores, loads + stores)
    if gpu is not None:
        cycles = time_s * gpu.clock_hz * gpu.sm_count
        dram = column("dram_read_bytes") + column("dram_write_bytes")
        yield "dram_share", "DRAM bytes / time / bandwidth", _quotient(dram, time_s * gpu.dram.bandwidth_bytes_per_s)
        l2 = column("l2_read_bytes") + column("l2_write_bytes")
        yield "l2_share", "L2 bytes / time / bandwidth", _quotient(l2, time_s * gpu.l2.bandwidth_bytes_per_s)
        width = gpu.issue_warps_per_cycle_per_sm
        for name in ("instructions_issued", "instructions_executed"):
            yield "issue_share", f"{name} / cycles / {width:g}", _quotient(column(name), cycles * width)
    yield "dram_share", "dram_utilization", column("dram_utilization")
    yield "l2_share", "l2_utilization", column("l2_utilization")
    yield "l1_share", "l1_utilization", column("l1_utilization")
    yield "issue_share", "issue_slot_utilization", column("issue_slot_utilization")


def _sum_of_known(table: CounterTable, *names: str) -> tuple[Floats, str]:
    """Of the metrics that were measured, and their names: a kernel may only store what conflicts."""
    known = [name for name in names if np.isfinite(table.column(name)).any()] or list(names[:1])
    total = np.sum([table.column(name) for name in known], axis=0)
    return total, known[0] if len(known) == 1 else f"({' + '.join(known)})"


def _improvable(table: CounterTable, efficiency: str) -> Floats:
    """Where a warp's access is one transaction it can't be fewer: all threads may read one word, 4 bytes of 32.

    An efficiency of 0 stands where nothing was asked for: what was, is a part of what was moved.
    """
    what, column = efficiency.removesuffix("_efficiency"), table.column
    each = column(f"{what}_transactions_per_request")
    each = np.where(np.isnan(each), _quotient(column(f"{what}_transactions"), column(f"{what}_requests")), each)
    values = column(efficiency)
    return np.where((values > 0) & ~(each < _ONE_TRANSACTION), values, np.nan)


def _quotient(count: Floats, per: Floats) -> Floats:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(per > 0, count / per, np.nan)
