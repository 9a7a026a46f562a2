"""Rows of a CSV file with their lines' numbers, a row at a time, whatever stands in front of its header."""

from __future__ import annotations

import csv
import gzip
import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from io import BufferedReader
from pathlib import Path
from typing import IO, cast

from warplens.server.counters.reading.counter_file_error import CounterFileError

MOST_LINE_BYTES = 1 << 20
_DELIMITERS = ",;\t"
_PROFILER_LINE = re.compile(r"==(?:\d+|PROF|ERROR|WARNING)==")
_GZIP = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class Row:
    """`line` is where the row begins."""

    line: int
    cells: tuple[str, ...]


class CsvRows:
    """The rows of one file that is read as it is asked for; every error is a CounterFileError."""

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.delimiter = ","
        self._path = path
        self._line = 0

    def rows(self) -> Iterator[Row]:
        """All rows but empty ones, comments (`#`) and what a profiler says of itself (`==PROF==`)."""
        lines = self._lines()
        kept: list[str] = []
        for line in lines:  # the delimiter is that of the first line that has one
            kept.append(line)
            if counts := [(line.count(one), one) for one in _DELIMITERS if one in line]:
                self.delimiter = max(counts)[1]
                break
        begin = max(1, self._line - len(kept) + 1)
        reader = csv.reader(self._again(kept, lines), delimiter=self.delimiter, strict=True)
        try:
            for cells in reader:
                if any(cell.strip() for cell in cells):
                    yield Row(begin, tuple(cell.strip() for cell in cells))
                begin = self._line + 1
        except csv.Error as error:
            why = "a quote is never closed: the file is cut off" if "end of data" in str(error) else str(error)
            raise self.error(begin, "", why) from error

    def error(self, line: int, column: str, message: str) -> CounterFileError:
        """Of this file."""
        return CounterFileError(self.path, line, column, message)

    def _again(self, kept: list[str], lines: Iterator[str]) -> Iterator[str]:
        last = self._line
        for number, line in enumerate(kept, last - len(kept) + 1):
            self._line = number
            yield line
        self._line = last
        yield from lines

    def _lines(self) -> Iterator[str]:
        try:
            with self._path.open("rb") as raw:
                yield from self._decoded(self._unpacked(raw))
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            message = f"the compressed file is cut off or damaged ({error})"
            raise self.error(self._line, "", message) from error
        except OSError as error:
            raise self.error(0, "", error.strerror or str(error)) from error

    @staticmethod
    def _unpacked(raw: BufferedReader) -> IO[bytes]:
        if raw.peek(2)[:2] != _GZIP:
            return raw
        return cast("IO[bytes]", gzip.open(raw))

    def _decoded(self, content: IO[bytes]) -> Iterator[str]:
        while line := content.readline(MOST_LINE_BYTES + 1):
            self._line += 1
            if len(line) > MOST_LINE_BYTES:
                raise self.error(self._line, "", "the line is longer than 1 MB")
            if b"\0" in line:
                raise self.error(self._line, "", "not a text file: export it as CSV in UTF-8")
            text = line.decode("utf-8-sig" if self._line == 1 else "utf-8", errors="replace")
            if not _PROFILER_LINE.match(text) and not text.startswith("#"):
                yield text
