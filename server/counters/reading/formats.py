"""Which file is which, by its header."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from warplens.server.counters.reading.csv_rows import CsvRows, Row

Format = Literal["ncu raw", "ncu details", "nvprof summary", "nvprof trace", "nvprof launches", "table"]

MOST_COLUMNS = 4096
_MOST_ROWS_BEFORE = 2000
_UNDERSTOOD = (
    "understood are `ncu --csv` (--page raw or details), `nvprof --csv` (--metrics, --events, --print-gpu-trace) and "
    "a table with a kernel's name, a time and counters in columns"
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


def find_header(rows: CsvRows, found: Iterator[Row], options: ReadOptions) -> tuple[Format, Row]:
    """The first row that is a known header, programs' output before it skipped. Raises CounterFileError."""
    first: Row | None = None
    for number, row in enumerate(found):
        if (known := _format_of(set(row.cells), options)) is not None:
            _require_distinct(rows, row)
            return known, row
        first = first or row
        if number > _MOST_ROWS_BEFORE:
            break
    if first is None:
        raise rows.error(0, "", "the file is empty")
    shown = rows.delimiter.join(first.cells)[:60]
    raise rows.error(first.line, "", f"no header that is known, it begins with {shown!r}; {_UNDERSTOOD}")


def _format_of(names: set[str], options: ReadOptions) -> Format | None:
    if "Kernel Name" in names and {"Metric Name", "Metric Value"} <= names:
        return "ncu details"
    if {"ID", "Kernel Name"} <= names:
        return "ncu raw"
    if {"Kernel", "Avg"} <= names and names & {"Metric Name", "Event Name"}:
        return "nvprof summary"
    if {"Duration", "Name"} <= names:
        return "nvprof trace"
    if {"Kernel", "Device"} <= names:
        return "nvprof launches"
    if options.kernel_column in names:
        return "table"
    return None


def _require_distinct(rows: CsvRows, header: Row) -> None:
    if len(header.cells) > MOST_COLUMNS:
        raise rows.error(header.line, "", f"{len(header.cells)} columns are more than {MOST_COLUMNS}")
    seen: set[str] = set()
    for name in header.cells:
        if name and name in seen:
            raise rows.error(header.line, name, "two columns have this name")
        seen.add(name)


def column_name(header: Row, place: int) -> str:
    """A column for messages: its name and number.

    >>> column_name(Row(1, ("Kernel", "Avg")), 1)
    'column 2 (Avg)'
    """
    name = header.cells[place] if place < len(header.cells) else ""
    return f"column {place + 1} ({name})" if name else f"column {place + 1}"


def require_whole(rows: CsvRows, header: Row, row: Row) -> None:
    """Raises CounterFileError for a row that has more or fewer cells than the header."""
    have, want = len(row.cells), len(header.cells)
    if have < want:
        where = column_name(header, have)
        raise rows.error(row.line, where, f"the row ends after {have} of {want} cells: is the file cut off?")
    if have > want:
        raise rows.error(row.line, column_name(header, want), f"the row has {have} cells, the header {want}")
