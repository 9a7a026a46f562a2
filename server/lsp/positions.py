"""The one place where offsets become LSP positions and back.

Offsets count characters (code points) of the decoded text. LSP counts columns in the units that client and server
agreed on (UTF-8, UTF-16 or UTF-32).
"""

from __future__ import annotations

from lsprotocol import types
from warplens.analysis.text.span import Span
from warplens.server.lsp.lines import Lines

_BYTES_PER_UNIT = {"utf-8": 1, "utf-16": 2, "utf-32": 4}
_CODEC = {"utf-8": "utf-8", "utf-16": "utf-16-le", "utf-32": "utf-32-le"}


class PositionMap(Lines):
    """Positions of one text under one encoding."""

    def __init__(self, text: str, encoding: str = "utf-16") -> None:
        super().__init__(text)
        self._unit_bytes = _BYTES_PER_UNIT.get(encoding, 2)
        self._codec = _CODEC.get(encoding, "utf-16-le")

    def position(self, offset: int) -> types.Position:
        """Position of an offset; past the end it is the end."""
        offset = min(offset, len(self.text))
        line = self.line_of(offset)
        return types.Position(line, self._units(self.text[self.line_start(line) : offset]))

    def range(self, span: Span) -> types.Range:
        """Range of a span."""
        return types.Range(self.position(span.start), self.position(span.end))

    def offset(self, position: types.Position) -> int:
        """Offset of a position; one past the end of its line is that end, as LSP says."""
        if position.line >= self.line_count:
            return len(self.text)
        start = self.line_start(position.line)
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
