"""What Nsight Compute writes: `ncu --csv --page raw` (a row for a launch) and `--page details` (a row for a metric)."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.server.counters.reading.csv_rows import Row
from warplens.server.counters.reading.formats import column_name, require_whole
from warplens.server.counters.reading.raw_run import CellReader, RawRun, extent_of

_TIMES = {"gpu__time_duration.sum", "Duration"}
_REGISTERS = {"launch__registers_per_thread", "Registers Per Thread"}
_SHARED = {
    "launch__shared_mem_per_block_static",
    "launch__shared_mem_per_block_dynamic",
    "Static Shared Memory Per Block",
    "Dynamic Shared Memory Per Block",
}
_GPUS = ("Device Name", "device__attribute_display_name")
_NOT_METRICS = {
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Context", "Stream", "Block Size", "Grid Size",
    "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name", "Rule Type",
    "Rule Description", "Estimated Speedup Type", "Estimated Speedup", "Range Name", "Attribute",
}  # fmt: skip


def read_raw_page(reader: CellReader, header: Row, found: Iterator[Row]) -> Iterator[RawRun]:
    """A run for each row; the row below the header holds units. Raises CounterFileError."""
    units: tuple[str, ...] = ("",) * len(header.cells)
    for number, row in enumerate(found):
        require_whole(reader.rows, header, row)
        if number == 0 and not row.cells[header.cells.index("ID")]:
            units = row.cells
            continue
        cells = dict(zip(header.cells, row.cells, strict=True))
        run = _run(reader, cells, row.line)
        for place, (name, text, unit) in enumerate(zip(header.cells, row.cells, units, strict=True)):
            if name not in _NOT_METRICS:
                _put(reader, run, (name, text, unit), column_name(header, place))
        yield run


def read_details_page(reader: CellReader, header: Row, found: Iterator[Row]) -> Iterator[RawRun]:
    """A run for each ID, whose rows follow each other. Raises CounterFileError."""
    run: RawRun | None = None
    current = ""
    value_column = column_name(header, header.cells.index("Metric Value"))
    for row in found:
        require_whole(reader.rows, header, row)
        cells = dict(zip(header.cells, row.cells, strict=True))
        if run is None or cells.get("ID", "") != current:
            if run is not None:
                yield run
            current = cells.get("ID", "")
            run = _run(reader, cells, row.line)
        if cells["Metric Name"]:
            run.line = row.line
            _put(reader, run, (cells["Metric Name"], cells["Metric Value"], cells.get("Metric Unit", "")), value_column)
    if run is not None:
        yield run


def _run(reader: CellReader, cells: dict[str, str], line: int) -> RawRun:
    run = RawRun(reader.kernel(cells["Kernel Name"]), line)
    run.block = extent_of(cells.get("Block Size", ""))
    run.grid = extent_of(cells.get("Grid Size", ""))
    run.gpu = next((cells[name] for name in _GPUS if cells.get(name)), "")
    return run


def _put(reader: CellReader, run: RawRun, metric: tuple[str, str, str], column: str) -> None:
    name, text, unit = metric
    if name in _TIMES:
        run.time_s = reader.time_s(text, unit, run.line, column)
    elif name in _REGISTERS:
        run.registers = reader.whole(text, run.line, column)
    elif name in _SHARED:
        more = reader.whole(f"{text} {unit.partition('/')[0]}" if text else "", run.line, column)
        run.shared_bytes = (run.shared_bytes or 0) + (more or 0)
    elif name not in _GPUS:
        if reader.vocabulary.source(name, "ncu") is not None:
            reader.put(run, name, text, unit, column, "ncu")
        else:
            reader.losses.unknown[name] = None
