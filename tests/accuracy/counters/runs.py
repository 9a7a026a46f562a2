"""The measured runs, and which of them are small: what nvprof counted and others published, what ncu counted for us."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from warplens.analysis.counters.counter_table import CounterTable, Run, kernels_in, part_of
from warplens.server.measure.counters.reading.formats import ReadOptions
from warplens.server.measure.counters.reading.read_counter_files import read_counter_files

PUBLISHED = {"Tesla-K20": "k20", "GTX-680": "gtx680", "GTX-980": "gtx980"}
OWN = {"NVIDIA H100 80GB HBM3": "h100", "NVIDIA H200": "h200"}
GPUS = PUBLISHED | OWN
"""Names in the data, and their profiles."""
SMALL_MATRIX, SMALL_VECTOR, SMALL_OWN = 2048, 1 << 26, 1024
"""The largest n that is small: a quarter of the largest that was published, a third of our own."""
_FOLDER = Path(__file__).parent
OWN_FOLDER = _FOLDER / "known_bottlenecks"
_VECTORS = ("vectorAdd", "dotProd", "subSeqMax")


@cache
def published() -> CounterTable:
    """Nine kernels on three GPUs."""
    options = ReadOptions(kernel_column="app", gpu_column="gpu_dir", time_column="med_us", time_unit="us")
    return read_counter_files([_FOLDER / "gpuperf_counters.csv.gz"], options)


@cache
def own() -> CounterTable:
    """Twelve kernels on two GPUs."""
    return read_counter_files([OWN_FOLDER / f"{profile}.csv.gz" for profile in OWN.values()], ReadOptions())


def cases() -> tuple[tuple[str, str], ...]:
    """(kernel, GPU) of the data, by kernel, the published ones first."""
    found = kernels_in(published()) + kernels_in(own())
    return tuple(sorted(found, key=lambda case: (case[1] in OWN, case[0], list(GPUS).index(case[1]))))


def runs_of(kernel: str, gpu: str) -> CounterTable:
    """All sizes and blocks."""
    return part_of(own() if gpu in OWN else published(), kernel, gpu)


def split(table: CounterTable) -> tuple[CounterTable, CounterTable]:
    """The small ones, and the others."""
    small = [_n(run) <= _most_of_the_small(run) for run in table.runs]
    return _some(table, [i for i, is_small in enumerate(small) if is_small]), _some(
        table, [i for i, is_small in enumerate(small) if not is_small]
    )


def few(table: CounterTable, count: int) -> CounterTable:
    """So many of the runs, at even distances by size and block, neither the smallest nor the largest."""
    order = sorted(range(len(table.runs)), key=lambda i: (_n(table.runs[i]), table.runs[i].block or ()))
    return _some(table, [order[round((k + 0.5) * len(order) / count - 0.5)] for k in range(count)])


def _some(table: CounterTable, rows: list[int]) -> CounterTable:
    return CounterTable(tuple(table.runs[i] for i in rows), table.metrics, table.values[rows])


def _most_of_the_small(run: Run) -> int:
    if run.gpu in OWN:
        return SMALL_OWN
    return SMALL_VECTOR if run.kernel in _VECTORS else SMALL_MATRIX


def _n(run: Run) -> float:
    return dict(run.problem)["n"]
