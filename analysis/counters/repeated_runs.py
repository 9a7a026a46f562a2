"""Runs that were made several times: rows of one truth, which neither a test nor a forest may take for several."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.counters.counter_table import CounterTable, Run

ALIKE = 0.05
"""Of the median: by how much counters of a run that is made again may differ."""


def without_repeats(table: CounterTable) -> CounterTable:
    """Runs of one size and launch with alike counters as one, the median of each counter and of the time.

    Runs of one size that differ in their counters stay: their data did. A remark says how many were put together.
    """
    places: dict[tuple[object, ...], list[int]] = {}
    for i, run in enumerate(table.runs):
        if run.time_s is not None and run.time_s > 0:
            places.setdefault((run.kernel, run.gpu, run.problem, run.block, run.grid), []).append(i)
    merged: dict[int, tuple[Run, NDArray[np.float64]]] = {}
    gone: set[int] = set()
    for rows in places.values():
        alike = _alike(table, rows)
        if len(alike) > 1:
            time_s = float(np.median([table.runs[i].time_s or np.nan for i in alike]))
            merged[alike[0]] = (replace(table.runs[alike[0]], time_s=time_s), np.median(table.values[alike], axis=0))
            gone.update(alike[1:])
    if not gone:
        return table
    kept = [i for i in range(len(table.runs)) if i not in gone]
    values = np.stack([merged[i][1] if i in merged else table.values[i] for i in kept])
    runs = tuple(merged[i][0] if i in merged else table.runs[i] for i in kept)
    remark = f"repeats of one run, taken as one by their medians: {len(gone) + len(merged)} in {len(merged)}"
    return CounterTable(runs, table.metrics, values, (*table.remarks, remark))


def _alike(table: CounterTable, rows: Sequence[int]) -> list[int]:
    """Those with every counter near the median of them all."""
    if len(rows) < 2:
        return list(rows)
    values = table.values[list(rows)]
    known = np.isfinite(values).any(axis=0)
    median = np.nanmedian(values[:, known], axis=0)
    near = (np.abs(values[:, known] - median) <= ALIKE * np.abs(median)).all(axis=1)
    return [rows[int(place)] for place in np.flatnonzero(near)]
