"""What a real run counted in one file, by line, as a coverage tool writes it down."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LineCount:
    """Executions of a line and, in the tool's order, of each way that its branches went."""

    line: int
    count: int
    branches: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class CountedFunction:
    """A function of the text that was run: `digest` is its text's, `executions` None where it had no code of its own.

    A function that was put into its callers before the counters were has none, or fewer than it had calls.
    """

    digest: str
    first_line: int
    last_line: int
    executions: int | None


@dataclass(frozen=True, slots=True)
class FileCounts:
    """The counts of one file, lines counted from 1 in the text that was run, whose digest is `digest`.

    `program_line_executions` are those of all lines of all files of the profile; `imported` is a day, as text.
    """

    digest: str
    functions: tuple[CountedFunction, ...]
    lines: tuple[LineCount, ...]
    program_line_executions: int
    imported: str
