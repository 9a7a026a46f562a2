"""Lines and columns of a text, in characters.

A line ends at CR LF, LF or CR, at nothing else, as LSP has it: a form feed is no line end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

_LINE_END = re.compile(r"\r\n|\n|\r")


class Lines:
    """Where the lines of one text are; immutable, so it is safe to keep beside the text."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(end.end() for end in _LINE_END.finditer(self.text))]

    @property
    def line_count(self) -> int:
        """Lines of the text; one more than its line ends."""
        return len(self._line_starts)

    def line_of(self, offset: int) -> int:
        """0-based line of an offset; past the end it is the last line."""
        return bisect_right(self._line_starts, min(offset, len(self.text))) - 1

    def column_of(self, offset: int) -> int:
        r"""0-based column of an offset in its line; past the end it is the end.

        >>> Lines("ab\rcd").column_of(4), Lines("ab\rcd").column_of(9)
        (1, 2)
        """
        return min(offset, len(self.text)) - self._line_starts[self.line_of(offset)]

    def line_start(self, line: int) -> int:
        """Offset at which a 0-based line starts; past the last line it is the end of the text."""
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def line_text(self, line: int) -> str:
        """A 0-based line without its end."""
        return self.text[self.line_start(line) : self.line_start(line + 1)].rstrip("\r\n")
