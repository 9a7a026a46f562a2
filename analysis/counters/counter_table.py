"""Runs of kernels with their times and counters: what all of BlackForest starts from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.launch.extent import Extent


@dataclass(frozen=True, slots=True)
class Run:
    """One launch of a kernel, or the median of equal ones.

    `gpu` is the name as the profiler wrote it or a profile's id; `problem` are the problem's sizes by name, sorted;
    `time_s` is the kernel's time without the profiler's replays, None where no file has it.
    """

    kernel: str
    gpu: str
    problem: tuple[tuple[str, float], ...]
    time_s: float | None
    block: Extent | None = None
    grid: Extent | None = None
    registers: int | None = None
    shared_bytes: int | None = None
    source: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class CounterTable:
    """`values[i, j]` is metric `metrics[j]` of run `runs[i]` in the metric's unit, NaN where it was not measured.

    Shape: values (len(runs), len(metrics)), float64. `remarks` say what was left out of the files, and why.
    """

    runs: tuple[Run, ...]
    metrics: tuple[str, ...]
    values: NDArray[np.float64]
    remarks: tuple[str, ...] = ()

    def column(self, metric: str) -> NDArray[np.float64]:
        """The values of one metric, all NaN where the table does not have it."""
        if metric in self.metrics:
            return self.values[:, self.metrics.index(metric)]
        return np.full(len(self.runs), np.nan)


def kernels_in(table: CounterTable) -> tuple[tuple[str, str], ...]:
    """(kernel, GPU) of the runs, each once, in the table's order."""
    return tuple(dict.fromkeys((run.kernel, run.gpu) for run in table.runs))


def part_of(table: CounterTable, kernel: str, gpu: str) -> CounterTable:
    """The runs of one kernel on one GPU."""
    rows = [i for i, run in enumerate(table.runs) if (run.kernel, run.gpu) == (kernel, gpu)]
    return CounterTable(tuple(table.runs[i] for i in rows), table.metrics, table.values[rows], table.remarks)
