"""What nvprof writes with --csv: summaries of metrics or events, a row for a launch of either, and traces of times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from warplens.server.measure.counters.reading.cell_reader import CellReader, CounterColumn
from warplens.server.measure.counters.reading.csv_rows import Row
from warplens.server.measure.counters.reading.formats import Header
from warplens.server.measure.counters.reading.kernel_name import without_launch
from warplens.server.measure.counters.reading.raw_run import RawRun

_NOT_METRICS = {"Device", "Context", "Stream", "Kernel", "Correlation_ID", "Invocations", "Start", "Duration"}
_NO_KERNELS = ("[CUDA mem", "[Unified")


def read_summary(reader: CellReader, header: Header, found: Iterator[Row]) -> Iterator[RawRun]:
    """One run for each kernel and device: the averages over its launches. Raises CounterFileError."""
    place = {name: i for i, name in enumerate(header.names)}
    name_at = place.get("Metric Name", place.get("Event Name", -1))
    average = place["Avg"]
    runs: dict[tuple[str, str], RawRun] = {}
    columns: dict[str, CounterColumn | None] = {}
    for row in found:
        key = row.cells[place["Kernel"]], row.cells[place["Device"]] if "Device" in place else ""
        if key not in runs:
            runs[key] = reader.run(key[0], row.line, header.column(place["Kernel"]))
            runs[key].gpu, runs[key].device = _gpu(key[1])
        name, run = row.cells[name_at], runs[key]
        if name not in columns:
            columns[name] = reader.counter(name, header.column(average))
        run.line = row.line
        if (column := columns[name]) is not None:
            reader.put(run, column, row.cells[average])
    yield from runs.values()


def read_launches(reader: CellReader, header: Header, found: Iterator[Row]) -> Iterator[RawRun]:
    """`--print-gpu-trace` with metrics or events: a run for each row. Raises CounterFileError."""
    kernel, device = header.names.index("Kernel"), header.names.index("Device")
    units: tuple[str, ...] = ("",) * len(header.names)
    columns: list[tuple[int, CounterColumn]] | None = None
    for row in found:
        if columns is None:
            is_units = not row.cells[kernel]
            units = row.cells if is_units else units
            columns = [
                (place, column)
                for place, name in enumerate(header.names)
                if name and name not in _NOT_METRICS
                if (column := reader.counter(name, header.column(place), units[place])) is not None
            ]
            if is_units:
                continue
        run = reader.run(without_launch(row.cells[kernel]), row.line, header.column(kernel))
        run.gpu, run.device = _gpu(row.cells[device])
        for place, column in columns:
            reader.put(run, column, row.cells[place])
        yield run


def read_trace(reader: CellReader, header: Header, found: Iterator[Row]) -> Iterator[RawRun]:
    """`--print-gpu-trace`: times and launches; copies and calls of the API left out. Raises CounterFileError."""
    place = {name: i for i, name in enumerate(header.names)}
    name_at, duration, grid_at = place["Name"], place["Duration"], place.get("Grid X")
    units: tuple[str, ...] = ("",) * len(header.names)
    for number, row in enumerate(found):
        name = row.cells[name_at]
        if number == 0 and not name:
            units = row.cells
            continue
        if name.startswith(_NO_KERNELS):
            continue
        if name and grid_at is not None and not row.cells[grid_at]:
            reader.losses.leave_out("what has no grid and is no kernel", row.line)
            continue
        run = reader.run(without_launch(name), row.line, header.column(name_at))
        run.gpu, run.device = _gpu(row.cells[place["Device"]]) if "Device" in place else ("", "")

        run.time_s = reader.time_s(row.cells[duration], units[duration], row.line, header.column(duration))
        whole = partial(_whole, reader, header, row, units)
        block, grid = ([whole(f"{what} {axis}", least=1) for axis in "XYZ"] for what in ("Block", "Grid"))
        run.block = (block[0], block[1] or 1, block[2] or 1) if block[0] else None
        run.grid = (grid[0], grid[1] or 1, grid[2] or 1) if grid[0] else None
        run.registers = whole("Registers Per Thread")
        parts = [whole("Static SMem"), whole("Dynamic SMem")]
        run.shared_bytes = None if parts == [None, None] else sum(part or 0 for part in parts)
        yield run


def _whole(
    reader: CellReader, header: Header, row: Row, units: tuple[str, ...], column: str, least: int = 0
) -> int | None:
    """None where the file does not have the column."""
    if column not in header.names:
        return None
    at = header.names.index(column)
    return reader.whole(row.cells[at], row.line, header.column(at), unit=units[at], least=least)


def _gpu(device: str) -> tuple[str, str]:
    """`Tesla K20c (0)` as name and number.

    >>> _gpu("Tesla K20c (0)")
    ('Tesla K20c', '0')
    """
    head, bracket, number = device.rpartition(" (")
    return (head, number[:-1]) if bracket and number[:-1].isdigit() else (device, "")
