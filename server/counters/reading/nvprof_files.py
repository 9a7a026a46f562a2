"""What nvprof writes with --csv: summaries of metrics or events, a row for a launch of either, and traces of times."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from warplens.server.counters.reading.csv_rows import Row
from warplens.server.counters.reading.formats import column_name, require_whole
from warplens.server.counters.reading.raw_run import CellReader, RawRun

_NOT_METRICS = {"Device", "Context", "Stream", "Kernel", "Correlation_ID", "Invocations", "Start", "Duration"}
_BINARY = {"KB": 1 << 10, "MB": 1 << 20}
"""Shared memory is told in units of 1024."""
_NO_KERNELS = ("[CUDA mem", "[Unified")


def read_summary(reader: CellReader, header: Row, found: Iterator[Row]) -> Iterator[RawRun]:
    """One run for each kernel and device: the averages over its launches. Raises CounterFileError."""
    runs: dict[tuple[str, str], RawRun] = {}
    name_column = "Metric Name" if "Metric Name" in header.cells else "Event Name"
    average = column_name(header, header.cells.index("Avg"))
    for row in found:
        require_whole(reader.rows, header, row)
        cells = dict(zip(header.cells, row.cells, strict=True))
        key = cells["Kernel"], cells.get("Device", "")
        run = runs.setdefault(key, RawRun(reader.kernel(key[0]), row.line, gpu=_gpu(key[1])))
        run.line = row.line
        reader.put(run, cells[name_column], cells["Avg"], "", average, "nvprof")
    yield from runs.values()


def read_launches(reader: CellReader, header: Row, found: Iterator[Row]) -> Iterator[RawRun]:
    """`--print-gpu-trace` with metrics or events: a run for each row. Raises CounterFileError."""
    kernel, device = header.cells.index("Kernel"), header.cells.index("Device")
    units = ("",) * len(header.cells)
    for row in found:
        require_whole(reader.rows, header, row)
        if not row.cells[kernel]:  # the row of units
            units = row.cells
            continue
        run = RawRun(reader.kernel(row.cells[kernel]), row.line, gpu=_gpu(row.cells[device]))
        for place, (name, text) in enumerate(zip(header.cells, row.cells, strict=True)):
            if name and name not in _NOT_METRICS:
                reader.put(run, name, text, units[place], column_name(header, place), "nvprof")
        yield run


def read_trace(reader: CellReader, header: Row, found: Iterator[Row]) -> Iterator[RawRun]:
    """`--print-gpu-trace`: times and launches, copies left out. Raises CounterFileError."""
    place = {name: i for i, name in enumerate(header.cells)}
    units = ("",) * len(header.cells)
    for number, row in enumerate(found):
        require_whole(reader.rows, header, row)
        if number == 0 and not row.cells[place["Name"]]:
            units = row.cells
            continue
        name = row.cells[place["Name"]]
        if name.startswith(_NO_KERNELS):
            continue
        run = RawRun(reader.kernel(name.rsplit(" [", 1)[0]), row.line)
        run.gpu = _gpu(row.cells[place["Device"]]) if "Device" in place else ""

        at = place["Duration"]
        run.time_s = reader.time_s(row.cells[at], units[at], row.line, column_name(header, at))
        whole = partial(_whole, reader, header, row, units)
        block, grid = ([whole(f"{what} {axis}") for axis in "XYZ"] for what in ("Block", "Grid"))
        run.block = (block[0], block[1] or 1, block[2] or 1) if block[0] else None
        run.grid = (grid[0], grid[1] or 1, grid[2] or 1) if grid[0] else None
        run.registers = whole("Registers Per Thread")
        parts = [whole("Static SMem"), whole("Dynamic SMem")]
        run.shared_bytes = None if parts == [None, None] else sum(part or 0 for part in parts)
        yield run


def _whole(reader: CellReader, header: Row, row: Row, units: tuple[str, ...], column: str) -> int | None:
    """None where the file does not have the column."""
    if column not in header.cells:
        return None
    at = header.cells.index(column)
    number = reader.number(row.cells[at], row.line, column_name(header, at)).value
    return None if number is None else round(number * _BINARY.get(units[at], 1))


def _gpu(device: str) -> str:
    """`Tesla K20c (0)` without its number.

    >>> _gpu("Tesla K20c (0)")
    'Tesla K20c'
    """
    head, bracket, number = device.rpartition(" (")
    return head if bracket and number[:-1].isdigit() else device
