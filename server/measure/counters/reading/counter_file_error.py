"""What is wrong with a file of counters, and where."""

from __future__ import annotations


class CounterFileError(Exception):
    """`line` is the file's, from 1 on, 0 for all of it; `column` its name and number, empty where no cell is meant."""

    def __init__(self, path: str, line: int, column: str, message: str) -> None:
        super().__init__(path, line, column, message)
        self.path, self.line, self.column, self.message = path, line, column, message

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else self.path
        return ": ".join(part for part in (place, self.column, self.message) if part)
