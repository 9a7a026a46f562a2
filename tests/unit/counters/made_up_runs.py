"""Runs whose truth is known: what a fit must find in them."""

from __future__ import annotations

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.analysis.counters.fitting.fit_time_model import fit_time_model
from warplens.analysis.counters.metric import Metric
from warplens.analysis.counters.predictors import predictors_of
from warplens.analysis.counters.repeated_runs import without_repeats
from warplens.analysis.counters.time_model import TimeModel

SIZES = np.arange(64, 4097, 64)


def metric(name: str, kind: str = "count", *, restates_time: bool = False) -> Metric:
    return Metric(name, name.replace("_", " "), "1", kind, "", restates_time)  # type: ignore[arg-type]


VOCABULARY = {
    one.name: one
    for one in (
        metric("instructions_executed"),
        metric("shared_load_bank_conflicts"),
        metric("shared_load_requests"),
        metric("global_load_transactions"),
        metric("global_load_requests"),
        metric("dram_read_bytes"),
        metric("achieved_occupancy", "share"),
        metric("l2_hit_rate", "share"),
        metric("executed_ipc", "rate", restates_time=True),
    )
}


def table(time_s: np.ndarray, columns: dict[str, np.ndarray], sizes: np.ndarray | None = None) -> CounterTable:
    """Runs of one kernel; without sizes all are of one size."""
    problem = [(("n", float(n)),) for n in sizes] if sizes is not None else [(("n", 1024.0),)] * len(time_s)
    runs = tuple(Run("k", "made up", one, float(t), (256, 1, 1)) for one, t in zip(problem, time_s, strict=True))
    return CounterTable(runs, tuple(columns), np.column_stack(list(columns.values())))


def time_model(table: CounterTable) -> TimeModel:
    """What fit_kernel makes of all counters, without what it finds out about them, which takes longer."""
    predictors = predictors_of(without_repeats(table), VOCABULARY)
    return fit_time_model(predictors, tuple(predictors.names[j] for j in predictors.columns("counter")))


def conflict_bound(rng: np.random.Generator, runs: int = 120) -> CounterTable:
    """A kernel whose time is made of bank conflicts; everything else varies, and costs nothing."""
    conflicts = rng.uniform(1e6, 2e7, runs)
    columns = {
        "shared_load_bank_conflicts": conflicts,
        "shared_load_requests": rng.uniform(4e6, 5e6, runs),
        "instructions_executed": rng.uniform(1e8, 2e8, runs),
        "global_load_transactions": rng.uniform(1e6, 2e6, runs),
        "achieved_occupancy": rng.uniform(0.5, 0.9, runs),
        "l2_hit_rate": rng.uniform(0.2, 0.9, runs),
    }
    return table(1e-4 + 1e-9 * conflicts * rng.normal(1, 0.01, runs), columns)


def size_driven(rng: np.random.Generator, sizes: np.ndarray = SIZES) -> CounterTable:
    """Matrix multiplication as it would be: n cubed of work, a cache that gives in at 1500, 1 % of noise."""
    n = sizes.astype(float)
    columns = {
        "instructions_executed": n**3 * 1.5,
        "global_load_transactions": n**3 / 16,
        "dram_read_bytes": dram_bytes(n),
        "l2_hit_rate": hit_rate(n),
        "achieved_occupancy": np.clip(n / 1000, 0.1, 0.9),
    }
    return table(size_driven_s(n) * rng.normal(1, 0.01, len(n)), columns, sizes)


def hit_rate(n: np.ndarray) -> np.ndarray:
    return np.clip(0.95 - 0.4 * np.log2(np.maximum(n / 1500, 1)), 0.2, 0.95)


def dram_bytes(n: np.ndarray) -> np.ndarray:
    return n**3 / 16 * 32 * (1 - hit_rate(n))


def size_driven_s(n: np.ndarray) -> np.ndarray:
    """Without the noise."""
    return 5e-6 + np.maximum(n**3 * 1.5 / 2e12, dram_bytes(n) / 1e11)


def pure_noise(rng: np.random.Generator, runs: int = 100) -> CounterTable:
    """Times that have nothing to do with any counter."""
    columns = {
        name: rng.lognormal(10, 1, runs)
        for name in ("instructions_executed", "shared_load_bank_conflicts", "dram_read_bytes", "global_load_requests")
    }
    columns["achieved_occupancy"] = rng.uniform(0.5, 0.9, runs)
    return table(rng.lognormal(-7, 0.3, runs), columns)
