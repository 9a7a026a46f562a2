"""A plain table: a row for a run, columns by our names, by a profiler's, or as the caller says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warplens.server.measure.counters.reading.cell_reader import CellReader, CounterColumn
from warplens.server.measure.counters.reading.csv_rows import Row
from warplens.server.measure.counters.reading.formats import TIME_COLUMN, Header, ReadOptions
from warplens.server.measure.counters.reading.raw_run import RawRun

_SIZE_PREFIX = "size:"
_GPUS = ("gpu", "device")
_LAUNCH = {f"{what}_{axis}": (what, i) for what in ("block", "grid") for i, axis in enumerate("xyz")}
_REGISTERS = {"registers", "regs"}
_SHARED = {"shared_bytes"}


@dataclass(frozen=True, slots=True)
class _Column:
    """`role` is what it holds."""

    place: int
    name: str
    label: str
    role: str
    counter: CounterColumn | None


def read_table(reader: CellReader, header: Header, found: Iterator[Row], options: ReadOptions) -> Iterator[RawRun]:
    """A run for each row. Raises CounterFileError."""
    for wanted in options.size_columns:
        if wanted not in header.names:
            raise reader.rows.error(header.line, wanted, "there is no such column")
    times = [name for name in header.names if _role(name, options, header.names) == "time"]
    if len(times) > 1:
        message = f"{times[0]} has the time too: say which one is meant (--time-column)"
        raise reader.rows.error(header.line, times[1], message)
    columns = []
    for place, name in enumerate(header.names):
        role, label = _role(name, options, header.names), header.column(place)
        counter = reader.counter(name, label) if role == "counter" else None
        if role not in {"kernel", "counter"} or counter is not None:
            columns.append(_Column(place, name, label, role, counter))
    kernel = header.names.index(options.kernel_column)
    for row in found:
        run = reader.run(row.cells[kernel], row.line, header.column(kernel))
        for column in columns:
            if column.counter is not None:
                reader.put(run, column.counter, row.cells[column.place])
            else:
                _put(reader, run, column, row.cells[column.place], options)
        yield run


def _role(name: str, options: ReadOptions, names: tuple[str, ...]) -> str:
    if name == options.kernel_column:
        return "kernel"
    if name == options.time_column or (not options.time_column and TIME_COLUMN.fullmatch(name)):
        return "time"
    if name in options.size_columns or name.startswith(_SIZE_PREFIX) or (name == "n" and not options.size_columns):
        return "size"
    if name == options.gpu_column or (options.gpu_column not in names and name in _GPUS):
        return "gpu"
    if name in _LAUNCH:
        return "launch"
    return "registers" if name in _REGISTERS else "shared" if name in _SHARED else "counter"


def _put(reader: CellReader, run: RawRun, column: _Column, text: str, options: ReadOptions) -> None:
    name, label = column.name, column.label
    match column.role:
        case "gpu":
            run.gpu = text
        case "time":
            known = TIME_COLUMN.fullmatch(name)
            run.time_s = reader.time_s(text, known[1] if known else options.time_unit, run.line, label)
        case "size":
            size = reader.size(text, run.line, label)
            if size is not None:
                run.problem[name.removeprefix(_SIZE_PREFIX)] = size
        case "launch":
            what, axis = _LAUNCH[name]
            value = reader.whole(text, run.line, label, least=1)
            extent = list((run.block if what == "block" else run.grid) or (1, 1, 1))
            extent[axis] = value or 1
            setattr(run, what, (extent[0], extent[1], extent[2]))
        case "registers":
            run.registers = reader.whole(text, run.line, label)
        case "shared":
            run.shared_bytes = reader.whole(text, run.line, label)
