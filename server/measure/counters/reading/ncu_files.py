"""What Nsight Compute writes: `ncu --csv --page raw` (a row for a launch) and `--page details` (a row for a metric)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from warplens.server.measure.counters.reading.cell_reader import CellReader, CounterColumn
from warplens.server.measure.counters.reading.csv_rows import Row
from warplens.server.measure.counters.reading.formats import Header
from warplens.server.measure.counters.reading.raw_run import RawRun

_TIMES = {"gpu__time_duration.sum", "Duration"}
_REGISTERS = {"launch__registers_per_thread", "Registers Per Thread"}
_SHARED = {
    "launch__shared_mem_per_block_static": "static",
    "launch__shared_mem_per_block_dynamic": "dynamic",
    "Static Shared Memory Per Block": "static",
    "Dynamic Shared Memory Per Block": "dynamic",
}
_AXES = {f"launch__{what}_dim_{axis}": (what, i) for what in ("block", "grid") for i, axis in enumerate("xyz")}
_GPUS = ("Device Name", "device__attribute_display_name")
_NOT_METRICS = {
    "ID", "Process ID", "Process Name", "Host Name", "Kernel Name", "Kernel Time", "Context", "Stream", "Block Size",
    "Grid Size", "Threads", "Device", "CC", "Section Name", "Metric Name", "Metric Unit", "Metric Value", "Rule Name",
    "Rule Type", "Rule Description", "Estimated Speedup Type", "Estimated Speedup", "Range Name", "Attribute",
    *_GPUS,
}  # fmt: skip
_NO_COUNTERS = (
    "launch__",
    "device__attribute_",
    "c2clink__",
    "numa__",
    "nvlink__",
    "profiler__",
    "sm__maximum_",
    "smsp__maximum_",
)
"""What begins so is of the launch, the machine or ncu itself."""
_INSTANCES = re.compile(r"\s*\([^()]*\)$")
"""What --print-metric-instances puts behind a number."""
_ROLLUP = re.compile(r"\.(?:avg|max|min|sum)\b")


@dataclass(frozen=True, slots=True)
class _Column:
    """What a column or a row of the details page holds: `counter`, or what `name` says."""

    name: str
    label: str
    unit: str
    counter: CounterColumn | None


def read_raw_page(reader: CellReader, header: Header, found: Iterator[Row]) -> Iterator[RawRun]:
    """A run for each row; the row below the header holds units. Raises CounterFileError."""
    places = {name: place for place, name in enumerate(header.names)}
    units: tuple[str, ...] = ("",) * len(header.names)
    columns: list[tuple[int, _Column]] | None = None
    for row in found:
        if columns is None:
            is_units = not row.cells[places["ID"]]
            units = row.cells if is_units else units
            columns = [
                (place, column)
                for place, name in enumerate(header.names)
                if (column := _column(reader, name, header.column(place), units[place])) is not None
            ]
            if is_units:
                continue
        run = _run(reader, header, places, row)
        shared: dict[str, int] = {}
        for place, column in columns:
            if text := row.cells[place]:
                _put(reader, run, column, text, shared)
        run.shared_bytes = sum(shared.values()) if shared else None
        yield run


def read_details_page(reader: CellReader, header: Header, found: Iterator[Row]) -> Iterator[RawRun]:
    """A run for each ID, whose rows follow each other. Raises CounterFileError."""
    places = {name: place for place, name in enumerate(header.names)}
    name_at, value_at, unit_at = places["Metric Name"], places["Metric Value"], places.get("Metric Unit")
    identity = [places[name] for name in ("ID", "Process ID", "Kernel Name") if name in places]  # IDs may start again
    run: RawRun | None = None
    current: list[str] = []
    shared: dict[str, int] = {}
    for row in found:
        if run is None or [row.cells[place] for place in identity] != current:
            if run is not None:
                yield run
            current, shared = [row.cells[place] for place in identity], {}
            run = _run(reader, header, places, row)
        name, text = row.cells[name_at], row.cells[value_at]
        unit = row.cells[unit_at] if unit_at is not None else ""
        run.line = row.line
        column = _column(reader, name, header.column(value_at), unit) if name else None
        if column is not None and text:
            _put(reader, run, column, text, shared)
            run.shared_bytes = sum(shared.values()) if shared else None
    if run is not None:
        yield run


def _column(reader: CellReader, name: str, label: str, unit: str) -> _Column | None:
    """None for what is not read."""
    if not name or name in _NOT_METRICS:
        return None
    if name in _TIMES or name in _REGISTERS or name in _SHARED or name in _AXES:
        return _Column(name, label, unit, None)
    if name.startswith(_NO_COUNTERS) or (reader.vocabulary.source(name, "ncu") is None and _is_sibling(reader, name)):
        return None
    counter = reader.counter(name, label, unit)
    return None if counter is None else _Column(name, label, unit, counter)


def _is_sibling(reader: CellReader, name: str) -> bool:
    """Whether ncu adds it to one that is read: who asks for a sum gets the mean, the least and the most too."""
    siblings = [_ROLLUP.sub(f".{rollup}", name) for rollup in ("sum", "avg", "max", "min")]
    return any(each in _TIMES or reader.vocabulary.source(each, "ncu") is not None for each in siblings)


def _run(reader: CellReader, header: Header, places: Mapping[str, int], row: Row) -> RawRun:
    at = places["Kernel Name"]
    run = reader.run(row.cells[at], row.line, header.column(at))
    if (at := places.get("Block Size", -1)) >= 0:
        run.block = reader.extent(row.cells[at], row.line, header.column(at))
    if (at := places.get("Grid Size", -1)) >= 0:
        run.grid = reader.extent(row.cells[at], row.line, header.column(at))
    run.gpu = next((row.cells[places[name]] for name in _GPUS if name in places and row.cells[places[name]]), "")
    if (at := places.get("Device", -1)) >= 0:
        run.device = row.cells[at]
    return run


def _put(reader: CellReader, run: RawRun, column: _Column, text: str, shared: dict[str, int]) -> None:
    name, text = column.name, _INSTANCES.sub("", text)
    if column.counter is not None:
        reader.put(run, column.counter, text)
    elif name in _TIMES:
        run.time_s = reader.time_s(text, column.unit, run.line, column.label)
    elif name in _REGISTERS:
        run.registers = reader.whole(text, run.line, column.label)
    elif name in _SHARED:
        size = reader.whole(text, run.line, column.label, unit=column.unit)
        if size is not None:
            shared[_SHARED[name]] = size
    else:
        what, axis = _AXES[name]
        extent = list((run.block if what == "block" else run.grid) or (1, 1, 1))
        extent[axis] = reader.whole(text, run.line, column.label, least=1) or 1
        setattr(run, what, (extent[0], extent[1], extent[2]))
