"""The measured runs: nine kernels on three GPUs, with what nvprof counted, and which of them are small."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from warplens.analysis.counters.counter_table import CounterTable, Run, kernels_in, part_of
from warplens.server.counters.reading.formats import ReadOptions
from warplens.server.counters.reading.read_counter_files import read_counter_files

DATA = Path(__file__).parent / "gpuperf_counters.csv.gz"
GPUS = {"Tesla-K20": "k20", "GTX-680": "gtx680", "GTX-980": "gtx980"}
"""Names in the data, and their profiles."""
SMALL_MATRIX, SMALL_VECTOR = 2048, 1 << 26
"""The largest n that is small: about a quarter of the largest that was run."""
_VECTORS = ("vectorAdd", "dotProd", "subSeqMax")


@cache
def measured() -> CounterTable:
    """All of them."""
    options = ReadOptions(kernel_column="app", gpu_column="gpu_dir", time_column="med_us", time_unit="us")
    return read_counter_files([DATA], options)


def cases() -> tuple[tuple[str, str], ...]:
    """(kernel, GPU) of the data, by kernel."""
    return tuple(sorted(kernels_in(measured()), key=lambda case: (case[0], list(GPUS).index(case[1]))))


def runs_of(kernel: str, gpu: str) -> CounterTable:
    """All sizes and blocks."""
    return part_of(measured(), kernel, gpu)


def split(table: CounterTable) -> tuple[CounterTable, CounterTable]:
    """The small ones, and the others."""
    small = [_n(run) <= (SMALL_VECTOR if run.kernel in _VECTORS else SMALL_MATRIX) for run in table.runs]
    return _some(table, [i for i, is_small in enumerate(small) if is_small]), _some(
        table, [i for i, is_small in enumerate(small) if not is_small]
    )


def few(table: CounterTable, count: int) -> CounterTable:
    """So many of the runs, at even distances by size and block, neither the smallest nor the largest."""
    order = sorted(range(len(table.runs)), key=lambda i: (_n(table.runs[i]), table.runs[i].block or ()))
    return _some(table, [order[round((k + 0.5) * len(order) / count - 0.5)] for k in range(count)])


def _some(table: CounterTable, rows: list[int]) -> CounterTable:
    return CounterTable(tuple(table.runs[i] for i in rows), table.metrics, table.values[rows])


def _n(run: Run) -> float:
    return dict(run.problem)["n"]
