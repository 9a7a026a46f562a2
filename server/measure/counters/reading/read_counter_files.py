"""Files of one or several profilers, about the same runs or different ones, as one table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from warplens.analysis.counters.counter_table import CounterTable, Run
from warplens.hwprofiles.counter_metrics import Profiler, Vocabulary, counter_vocabulary
from warplens.server.measure.counters.reading.cell_reader import CellReader
from warplens.server.measure.counters.reading.counter_file_error import CounterFileError
from warplens.server.measure.counters.reading.csv_rows import CsvRows, Row
from warplens.server.measure.counters.reading.formats import Format, Header, ReadOptions, find_header
from warplens.server.measure.counters.reading.join_runs import RawRunOf, join_parts
from warplens.server.measure.counters.reading.losses import Losses, remarks_of_files
from warplens.server.measure.counters.reading.ncu_files import read_details_page, read_raw_page
from warplens.server.measure.counters.reading.nvprof_files import read_launches, read_summary, read_trace
from warplens.server.measure.counters.reading.plain_table import read_table
from warplens.server.measure.counters.reading.raw_run import RawRun
from warplens.server.measure.counters.reading.same_runs import Part
from warplens.server.measure.counters.reading.table_rows import TableRows

MOST_RUNS = 200_000
_CALLS = "calls of the API, or sums of times: there is no time of a launch in it; write it again with --print-gpu-trace"


def read_counter_files(paths: Sequence[Path], options: ReadOptions) -> CounterTable:
    """All runs, in the files' order. Raises CounterFileError.

    Files with times and files with counters that have none are put together, as join_parts says.
    """
    vocabulary = counter_vocabulary()
    losses = {str(path): Losses() for path in paths}
    parts: list[Part] = []
    for path in paths:
        found = _read(path, options, vocabulary, losses[str(path)])
        for run in (run for part in found for run in part.runs):
            _add_sizes(run, str(path), options.sizes.get(str(path), {}))
            _add_parts(run, vocabulary)
        parts += found
    runs, joined = join_parts(parts)
    return _table(runs, vocabulary, (*remarks_of_files(losses), *joined), options.gpu)


def _read(path: Path, options: ReadOptions, vocabulary: Vocabulary, losses: Losses) -> list[Part]:
    """The file's tables: those of one header are one part, but for averages, which are of one profile each."""
    rows = CsvRows(path)
    first = header = find_header(rows, options)
    found = rows.rows()
    parts: dict[object, Part] = {}
    names: dict[str, None] = {}
    count = 0
    while True:
        table = TableRows(header, rows, options, losses)
        key = header.line if header.kind == "nvprof summary" else (header.kind, header.names)
        part = parts.setdefault(key, Part(path, header.kind, []))
        reader = CellReader(rows, vocabulary, losses, _profiler(header.kind))
        for run in _runs(reader, header, table.read(found), options):
            names[run.kernel] = None
            if options.kernels and run.kernel not in options.kernels:
                continue
            part.runs.append(run)
            count += 1
            if count > MOST_RUNS:
                message = f"there are more than {MOST_RUNS} runs: choose kernels with --kernel"
                raise rows.error(run.line, "", message)
        if table.next_header is None:
            break
        header = table.next_header
    if any(part.kind != "table" for part in parts.values() if part.runs) and first.kind == "table":
        losses.leave_out("a table that a program printed in front of the profiler's", first.line)
        parts = {key: part for key, part in parts.items() if part.kind != "table"}
    if count:
        return [part for part in parts.values() if part.runs]
    if names:
        why = f"no run of the kernels that are asked for; it has {', '.join(list(names)[:8])}"
    else:
        why = _CALLS if any(part.kind == "nvprof calls" for part in parts.values()) else "no runs, only a header"
    raise rows.error(first.line, "", why)


def _profiler(kind: Format) -> Profiler | None:
    if kind == "table":
        return None
    return "ncu" if kind.startswith("ncu") else "nvprof"


def _runs(reader: CellReader, header: Header, found: Iterator[Row], options: ReadOptions) -> Iterator[RawRun]:
    match header.kind:
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
        case "nvprof calls":
            return _no_runs(reader, found)
        case "table":
            return read_table(reader, header, found, options)


def _no_runs(reader: CellReader, found: Iterator[Row]) -> Iterator[RawRun]:
    for row in found:
        reader.losses.leave_out("calls of the API or sums of times", row.line)
    yield from ()


def _add_sizes(run: RawRun, path: str, sizes: Mapping[str, float]) -> None:
    """Of what the file's name or the command line says; raises CounterFileError where the row says otherwise."""
    for name, size in sizes.items():
        if run.problem.setdefault(name, size) != size:
            message = f"{name} is {run.problem[name]:.15g} in this row, and {size:.15g} by -D or the file's name"
            raise CounterFileError(path, run.line, "", message)


def _add_parts(run: RawRun, vocabulary: Vocabulary) -> None:
    """Events of subpartitions become the metric they add up to; a GPU has two or four, all that the file has count.

    What is per another metric is divided by it, where the run has that.
    """
    for metric, parts in run.parts.items():
        if metric not in run.values and len(parts) >= 2:
            run.values[metric] = (len(vocabulary.parts), sum(parts.values()))
    for metric, (order, value, per) in run.dividends.items():
        if metric not in run.values and run.values.get(per, (0, 0.0))[1] > 0:
            run.values[metric] = (order, value / run.values[per][1])


def _table(runs: Sequence[RawRunOf], vocabulary: Vocabulary, remarks: tuple[str, ...], gpu: str) -> CounterTable:
    metrics = tuple(name for name in vocabulary.metrics if any(name in one.run.values for one in runs))
    values = np.full((len(runs), len(metrics)), np.nan)
    for i, one in enumerate(runs):
        for j, name in enumerate(metrics):
            if name in one.run.values:
                values[i, j] = one.run.values[name][1]
    nameless = [one.run for one in runs if not (one.run.gpu or gpu)]
    if len({run.device for run in nameless}) > 1:
        for run in nameless:
            run.gpu = f"unknown GPU {run.device}".strip()
    described = tuple(
        Run(
            run.kernel, run.gpu or gpu or "unknown GPU", tuple(sorted(run.problem.items())), run.time_s, run.block,
            run.grid, run.registers, run.shared_bytes, f"{path.name}:{run.line}",
        )
        for path, run in ((one.path, one.run) for one in runs)
    )  # fmt: skip
    return CounterTable(described, metrics, values, remarks)
