"""A plain table: a row for a run, columns by our names, by a profiler's, or as the caller says."""

from __future__ import annotations

import re
from collections.abc import Iterator

from warplens.server.counters.reading.csv_rows import Row
from warplens.server.counters.reading.formats import ReadOptions, column_name, require_whole
from warplens.server.counters.reading.raw_run import CellReader, RawRun

_TIME = re.compile(r"time_(s|ms|us|ns)")
_SIZE_PREFIX = "size:"
_GPUS = ("gpu", "device")
_LAUNCH = {f"{what}_{axis}": (what, i) for what in ("block", "grid") for i, axis in enumerate("xyz")}
_REGISTERS = {"registers", "regs"}
_SHARED = {"shared_bytes"}


def read_table(reader: CellReader, header: Row, found: Iterator[Row], options: ReadOptions) -> Iterator[RawRun]:
    """A run for each row. Raises CounterFileError, also where no column has the time."""
    roles = {place: _role(name, options, header.cells) for place, name in enumerate(header.cells)}
    for wanted in (options.time_column, *options.size_columns):
        if wanted and wanted not in header.cells:
            raise reader.rows.error(header.line, wanted, "there is no such column")
    if "time" not in roles.values():
        message = "no column has the time (time_s, time_ms, time_us or time_ns; or say which one has)"
        raise reader.rows.error(header.line, "", message)
    for row in found:
        require_whole(reader.rows, header, row)
        run = RawRun("", row.line)
        for place, text in enumerate(row.cells):
            _put(reader, run, (header.cells[place], text, roles[place]), column_name(header, place), options)
        yield run


def _role(name: str, options: ReadOptions, names: tuple[str, ...]) -> str:
    if name == options.kernel_column:
        return "kernel"
    if name == options.time_column or (not options.time_column and _TIME.fullmatch(name)):
        return "time"
    if name in options.size_columns or name.startswith(_SIZE_PREFIX) or (name == "n" and not options.size_columns):
        return "size"
    if name == options.gpu_column or (options.gpu_column not in names and name in _GPUS):
        return "gpu"
    if name in _LAUNCH:
        return "launch"
    return "registers" if name in _REGISTERS else "shared" if name in _SHARED else "counter"


def _put(reader: CellReader, run: RawRun, cell: tuple[str, str, str], column: str, options: ReadOptions) -> None:
    name, text, role = cell
    match role:
        case "kernel":
            run.kernel = reader.kernel(text)
        case "gpu":
            run.gpu = text
        case "time":
            known = _TIME.fullmatch(name)
            run.time_s = reader.time_s(text, known[1] if known else options.time_unit, run.line, column)
        case "size":
            size = reader.number(text, run.line, column).value
            if size is not None:
                run.problem[name.removeprefix(_SIZE_PREFIX)] = size
        case "launch":
            what, axis = _LAUNCH[name]
            value = reader.whole(text, run.line, column)
            extent = list((run.block if what == "block" else run.grid) or (1, 1, 1))
            extent[axis] = value or 1
            setattr(run, what, (extent[0], extent[1], extent[2]))
        case "registers":
            run.registers = reader.whole(text, run.line, column)
        case "shared":
            run.shared_bytes = reader.whole(text, run.line, column)
        case _:
            reader.put(run, name, text, "", column, None)
