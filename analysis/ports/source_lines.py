"""Whole lines put above code, in the file's own style: its indentation and its line ends."""

from __future__ import annotations

from warplens.analysis.ports.fix import TextEdit
from warplens.analysis.text.span import Span


def line_end(source: str) -> str:
    """The line end of most lines: a file with both has them by accident."""
    crlf = source.count("\r\n")
    return "\r\n" if 2 * crlf > source.count("\n") else "\n"


def indentation_at(source: str, at: int) -> str:
    """The blanks in front of the line of an offset: what lines above it get."""
    line = source[source.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip())]


def lines_above(source: str, at: int, lines: tuple[str, ...]) -> TextEdit:
    """Insert whole lines above the line of an offset, indented like it.

    Code behind other code on its line gets the lines in front of itself, in place of the blanks there, and one of its
    own. Lines above one offset are inserted together: two edits would overlap.
    """
    end = line_end(source)
    start = source.rfind("\n", 0, at) + 1
    before = source[start:at]
    if before.strip():
        own = end + before[: len(before) - len(before.lstrip())]
        return TextEdit(Span(start + len(before.rstrip()), at), "".join(own + line for line in lines) + own)
    return TextEdit(Span(start, start), "".join(f"{before}{line}{end}" for line in lines))
