"""Which table is which, by its header."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal

from warplens.server.measure.counters.reading.csv_rows import DELIMITERS, CsvRows, Line, Row, cells_of

Format = Literal[
    "ncu raw", "ncu details", "nvprof summary", "nvprof trace", "nvprof launches", "nvprof calls", "table"
]  # fmt: skip
"""`nvprof calls` are known so that they can be refused: calls of the API, or sums of times."""

MOST_COLUMNS = 4096
MOST_LINES_BEFORE = 1_000_000
TIME_COLUMN = re.compile(r"time_(s|ms|us|ns)")
_FIRST_CELLS = {"ID", "Device", "Start", "Type", "Time(%)"}
"""What the headers of profilers begin with."""
_UNDERSTOOD = (
    "understood are `ncu --csv` (--page raw or details), `nvprof --csv` (--metrics, --events, --print-gpu-trace) and "
    "a table with a kernel's name, a time and counters in columns (--kernel-column, --time-column say which)"
)


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """`kernels` to keep, all where empty; columns of a plain table by what they hold; problem sizes that no file has.

    `sizes` are of every run of a file, by its path; `gpu` is the name of the GPU where the files do not say it.
    """

    kernels: frozenset[str] = frozenset()
    kernel_column: str = "kernel"
    gpu_column: str = "gpu"
    time_column: str = ""
    time_unit: str = ""
    size_columns: tuple[str, ...] = ()
    sizes: dict[str, dict[str, float]] = field(default_factory=dict)
    gpu: str = ""


@dataclass(frozen=True, slots=True)
class Header:
    """The row of names above a table, and whose it is."""

    kind: Format
    line: int
    names: tuple[str, ...]

    @property
    def is_profilers(self) -> bool:
        """Whether a profiler wrote the table."""
        return self.kind != "table"

    def column(self, place: int) -> str:
        """A column for messages: its name and number.

        >>> Header("nvprof summary", 1, ("Kernel", "Avg")).column(1)
        'column 2 (Avg)'
        """
        name = self.names[place] if place < len(self.names) else ""
        return f"column {place + 1} ({name})" if name else f"column {place + 1}"


def find_header(rows: CsvRows, options: ReadOptions) -> Header:
    """The first line that is a known header, programs' output before it skipped. Raises CounterFileError.

    Lines are taken one by one: what a program prints has other delimiters than the table, and quotes that stay open.
    """
    first: Line | None = None
    without_time: Header | None = None
    marks = ("Kernel", "Duration", "Calls", options.kernel_column)
    for count, line in enumerate(rows.lines):
        if any(mark in line.text for mark in marks):
            for delimiter in DELIMITERS:
                names = cells_of(line.text, delimiter) if delimiter in line.text else ()
                if (kind := _kind_of(names, options)) is None:
                    continue
                header = Header(kind, line.number, names)
                if kind != "table" or _has_time(names, options):
                    rows.delimiter = delimiter
                    require_distinct(rows, header)
                    return header
                without_time = without_time or header
        if first is None and line.text.strip():
            first = line
        if count > MOST_LINES_BEFORE:
            break
    if without_time is not None:
        _refuse_without_time(rows, without_time, options)
    if first is None:
        raise rows.error(0, "", "the file is empty")
    shown = first.text.strip()[:60]
    raise rows.error(first.number, "", f"no header that is known, it begins with {shown!r}; {_UNDERSTOOD}")


def header_again(row: Row, above: Header, options: ReadOptions) -> Header | None:
    """Another header below a table: another section of the file, or one that was appended."""
    if row.cells[0] != above.names[0] and row.cells[0] not in _FIRST_CELLS:
        return None
    kind = _kind_of(row.cells, options)
    if kind is None or (kind == "table" and row.cells != above.names):
        return None
    return Header(kind, row.line, row.cells)


def require_distinct(rows: CsvRows, header: Header) -> None:
    """Raises CounterFileError for a header with too many columns, or two of one name."""
    if len(header.names) > MOST_COLUMNS:
        raise rows.error(header.line, "", f"{len(header.names)} columns are more than {MOST_COLUMNS}")
    seen: set[str] = set()
    for name in header.names:
        if name and name in seen:
            raise rows.error(header.line, name, "two columns have this name")
        seen.add(name)


def _kind_of(cells: tuple[str, ...], options: ReadOptions) -> Format | None:
    names = set(cells)
    if {"ID", "Kernel Name", "Metric Name", "Metric Value"} <= names:
        return "ncu details"
    if {"ID", "Kernel Name"} <= names:
        return "ncu raw"
    if {"Kernel", "Avg"} <= names and names & {"Metric Name", "Event Name"}:
        return "nvprof summary"
    if {"Duration", "Name"} <= names:
        return "nvprof trace" if names & {"Device", "Grid X"} else "nvprof calls"
    if {"Time(%)", "Calls", "Name"} <= names:
        return "nvprof calls"
    if {"Kernel", "Device"} <= names:
        return "nvprof launches"
    return "table" if options.kernel_column in names else None


def _has_time(names: tuple[str, ...], options: ReadOptions) -> bool:
    if options.time_column:
        return options.time_column in names
    return any(TIME_COLUMN.fullmatch(name) for name in names)


def _refuse_without_time(rows: CsvRows, header: Header, options: ReadOptions) -> None:
    require_distinct(rows, header)
    if options.time_column:
        raise rows.error(header.line, options.time_column, "there is no such column")
    message = "no column has the time (time_s, time_ms, time_us or time_ns; or --time-column NAME)"
    raise rows.error(header.line, "", message)
