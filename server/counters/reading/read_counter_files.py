"""Files of one or several profilers, about the same runs or different ones, as one table."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.hwprofiles.counter_metrics import Vocabulary, counter_vocabulary
from warplens.server.counters.reading.counter_file_error import CounterFileError
from warplens.server.counters.reading.csv_rows import CsvRows, Row
from warplens.server.counters.reading.formats import Format, ReadOptions, find_header
from warplens.server.counters.reading.ncu_files import read_details_page, read_raw_page
from warplens.server.counters.reading.nvprof_files import read_launches, read_summary, read_trace
from warplens.server.counters.reading.plain_table import read_table
from warplens.server.counters.reading.raw_run import CellReader, Losses, RawRun

MOST_RUNS = 200_000


def read_counter_files(paths: Sequence[Path], options: ReadOptions) -> CounterTable:
    """All runs, in the files' order. Raises CounterFileError.

    Files with times and files with counters that have none are put together: launch for launch of each kernel, where
    they have as many; each average of nvprof's summary goes with the median launch.
    """
    vocabulary = counter_vocabulary()
    remarks: list[str] = []
    timed: list[tuple[Path, list[RawRun]]] = []
    untimed: list[tuple[Path, Format, list[RawRun]]] = []
    for path in paths:
        losses = Losses()
        kind, runs = _read(path, options, vocabulary, losses)
        remarks += losses.remarks(str(path))
        for run in runs:
            run.gpu = run.gpu or options.gpu
            run.problem |= options.sizes.get(str(path), {})
            _add_parts(run, vocabulary)
        if any(run.time_s is not None for run in runs):
            timed.append((path, runs))
        else:
            untimed.append((path, kind, runs))
    for path, kind, runs in untimed:
        timed = _joined(timed, path, kind, runs)
    return _table(timed, vocabulary, remarks)


def _read(path: Path, options: ReadOptions, vocabulary: Vocabulary, losses: Losses) -> tuple[Format, list[RawRun]]:
    rows = CsvRows(path)
    found = rows.rows()
    kind, header = find_header(rows, found, options)
    reader = CellReader(rows, vocabulary, losses)
    kept: list[RawRun] = []
    names: dict[str, None] = {}
    for run in _runs(kind, reader, header, found, options):
        names[run.kernel] = None
        if options.kernels and run.kernel not in options.kernels:
            continue
        kept.append(run)
        if len(kept) > MOST_RUNS:
            message = f"there are more than {MOST_RUNS} runs: choose kernels with --kernel"
            raise rows.error(run.line, "", message)
    if not kept:
        why = f"no run of the kernels that are asked for; it has {', '.join(list(names)[:8])}" if names else "no runs"
        raise rows.error(header.line, "", f"{why}, only a header" if not names else why)
    return kind, kept


def _runs(
    kind: Format, reader: CellReader, header: Row, found: Iterator[Row], options: ReadOptions
) -> Iterator[RawRun]:
    match kind:
        case "ncu raw":
            return read_raw_page(reader, header, found)
        case "ncu details":
            return read_details_page(reader, header, found)
        case "nvprof summary":
            return read_summary(reader, header, found)
        case "nvprof trace":
            return read_trace(reader, header, found)
        case "nvprof launches":
            return read_launches(reader, header, found)
        case "table":
            return read_table(reader, header, found, options)


def _add_parts(run: RawRun, vocabulary: Vocabulary) -> None:
    """Events of subpartitions become the metric they add up to; a GPU has two or four, all that the file has count."""
    for metric, parts in run.parts.items():
        if metric not in run.values and len(parts) >= 2:
            run.values[metric] = (len(vocabulary.parts), sum(parts.values()))


def _joined(
    timed: list[tuple[Path, list[RawRun]]], path: Path, kind: Format, runs: list[RawRun]
) -> list[tuple[Path, list[RawRun]]]:
    """Counters without times added to the runs of a file with times."""
    wanted = _by_kernel(runs)
    for other, candidates in timed:
        have = _by_kernel(candidates)
        if not wanted.keys() <= have.keys():
            continue
        if kind == "nvprof summary":
            median = [_with_values(_median(have[kernel]), found[0]) for kernel, found in wanted.items()]
            return [(one, median if one == other else of) for one, of in timed]
        if all(len(have[kernel]) == len(found) for kernel, found in wanted.items()):
            for kernel, found in wanted.items():
                for run, counters in zip(have[kernel], found, strict=True):
                    _require_alike(run, counters, path, other)
                    _with_values(run, counters)
            return timed
    kernel, found = next(iter(wanted.items()))
    message = (
        f"{len(found)} launches of {kernel} have no time, and no other file has as many with one: give the trace of "
        "the same runs too (nvprof --print-gpu-trace), or profile with gpu__time_duration.sum"
    )
    raise CounterFileError(str(path), found[0].line, "", message)


def _by_kernel(runs: list[RawRun]) -> dict[str, list[RawRun]]:
    found: dict[str, list[RawRun]] = {}
    for run in runs:
        found.setdefault(run.kernel, []).append(run)
    return found


def _median(runs: list[RawRun]) -> RawRun:
    timed = sorted((run for run in runs if run.time_s is not None), key=lambda run: run.time_s or 0.0)
    return replace(timed[len(timed) // 2], values=dict(timed[len(timed) // 2].values)) if timed else runs[0]


def _with_values(run: RawRun, counters: RawRun) -> RawRun:
    for metric, found in counters.values.items():
        if metric not in run.values or found[0] < run.values[metric][0]:
            run.values[metric] = found
    run.gpu = run.gpu or counters.gpu
    return run


def _require_alike(run: RawRun, counters: RawRun, path: Path, other: Path) -> None:
    for what in ("block", "grid"):
        first, second = getattr(run, what), getattr(counters, what)
        if first and second and first != second:
            message = f"launch of {run.kernel} with {what} {second} stands at {first} in {other}: not the same runs"
            raise CounterFileError(str(path), counters.line, "", message)


def _table(timed: list[tuple[Path, list[RawRun]]], vocabulary: Vocabulary, remarks: list[str]) -> CounterTable:
    runs = [(path, run) for path, found in timed for run in found]
    metrics = tuple(name for name in vocabulary.metrics if any(name in run.values for _, run in runs))
    values = np.full((len(runs), len(metrics)), np.nan)
    for i, (_, run) in enumerate(runs):
        for j, name in enumerate(metrics):
            if name in run.values:
                values[i, j] = run.values[name][1]
    described = tuple(
        Run(
            run.kernel, run.gpu or "unknown GPU", tuple(sorted(run.problem.items())), run.time_s, run.block, run.grid,
            run.registers, run.shared_bytes, f"{path.name}:{run.line}",
        )
        for path, run in runs
    )  # fmt: skip
    return CounterTable(described, metrics, values, tuple(remarks))
