"""The rows of one table: whole ones, up to the next header."""

from __future__ import annotations

from collections.abc import Iterator

from warplens.server.measure.counters.reading.csv_rows import CsvRows, Row
from warplens.server.measure.counters.reading.formats import Header, ReadOptions, header_again, require_distinct
from warplens.server.measure.counters.reading.losses import Losses

_PRINTED = "what a program printed"


class TableRows:
    """Below `header`; `next_header` is set when the rows are through and another table begins."""

    def __init__(self, header: Header, rows: CsvRows, options: ReadOptions, losses: Losses) -> None:
        self.header = header
        self.next_header: Header | None = None
        self._rows, self._options, self._losses = rows, options, losses

    def read(self, found: Iterator[Row]) -> Iterator[Row]:
        """Every row has as many cells as the header. Raises CounterFileError for one that is cut off, or too long."""
        odd: Row | None = None
        for found_row in found:
            row = self._padded(found_row)
            if (again := header_again(row, self.header, self._options)) is not None:
                require_distinct(self._rows, again)
                self.next_header = again
                return
            if len(row.cells) == len(self.header.names) and odd is None:
                self._require_end(row)
                yield row
                continue
            if len(row.cells) == len(self.header.names):
                break
            if len(row.cells) > 1 or not self.header.is_profilers:  # a program's output if another table follows
                odd = odd or row
            self._losses.leave_out(_PRINTED, row.line)
        if odd is not None:
            self._refuse(odd)

    def _padded(self, row: Row) -> Row:
        """Rows of a details page end behind the value and a comma where no rule speaks (ncu 2025)."""
        if self.header.kind != "ncu details" or row.cells[-1]:
            return row
        names = self.header.names
        is_short = len(names) > len(row.cells) == names.index("Metric Value") + 2
        return Row(row.line, (*row.cells, *[""] * (len(names) - len(row.cells))), row.has_end) if is_short else row

    def _refuse(self, row: Row) -> None:
        have, want = len(row.cells), len(self.header.names)
        if have < want:
            message = f"the row ends after {have} of {want} cells: is the file cut off?"
            raise self._rows.error(row.line, self.header.column(have), message)
        message = f"the row has {have} cells, the header {want}"
        raise self._rows.error(row.line, self.header.column(want), message)

    def _require_end(self, row: Row) -> None:
        if not row.has_end:
            if self.header.is_profilers:
                raise self._rows.error(row.line, "", "the last line has no end: is the file cut off?")
            self._losses.has_open_end = True
