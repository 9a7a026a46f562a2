"""The one place where offsets become LSP positions and back.

Offsets count characters (code points) of the decoded text. LSP counts columns in the units that client and server
agreed on (UTF-8, UTF-16 or UTF-32) and ends a line at CR LF, LF or CR, at nothing else: a form feed is no line end.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property

from lsprotocol import types
from warplens.analysis.text.span import Span

_LINE_END = re.compile(r"\r\n|\n|\r")
_BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class PositionMap:
    """Positions of one text under one encoding; immutable, so it is safe to keep beside the text."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        self.text = text
        self._unit_bytes = _BYTES_PER_UNIT.get(encoding, 2)
        self._codec = _CODEC.get(encoding, "utf-16-le")

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

    def line_start(self, line: int) -> int:
        """Offset at which a 0-based line starts; past the last line it is the end of the text."""
        return self._line_starts[line] if line < len(self._line_starts) else len(self.text)

    def line_text(self, line: int) -> str:
        """A 0-based line without its end."""
        return self.text[self.line_start(line) : self.line_start(line + 1)].rstrip("\r\n")

    def position(self, offset: int) -> types.Position:
        """Position of an offset; past the end it is the end."""
        offset = min(offset, len(self.text))
        line = self.line_of(offset)
        return types.Position(line, self._units(self.text[self._line_starts[line] : offset]))

    def range(self, span: Span) -> types.Range:
        """Range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: types.Position) -> int:
        """Offset of a position; one past the end of its line is that end, as LSP says."""
        if position.line >= self.line_count:
            return len(self.text)
        start = self._line_starts[position.line]
        text = self.line_text(position.line)
        if text.isascii():
            return start + min(position.character, len(text))
        units = 0
        for at, character in enumerate(text):
            if units >= position.character:
                return start + at
            units += self._units(character)
        return start + len(text)

    def span(self, range_: types.Range) -> Span:
        """Span of a range; a reversed range is empty at its start."""
        start = self.offset(range_.start)
        return Span(start, max(start, self.offset(range_.end)))

    def _units(self, text: str) -> int:
        if text.isascii():
            return len(text)
        return len(text.encode(self._codec, "surrogatepass")) // self._unit_bytes
