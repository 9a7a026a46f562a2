"""A text under many edits in a row, each by line and column: the cost of one is that of its lines, not of the text."""

from __future__ import annotations

from lsprotocol import types
from warplens.server.lsp.positions import PositionMap


class EditedLines:
    """Lines with their ends, as LSP counts them."""

    def __init__(self, text: str, encoding: str) -> None:
        self._encoding = encoding
        self._lines = _lines_of(text)

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self._lines)

    def replace(self, range_: types.Range, text: str) -> None:
        """Put a text in the place of a range, which means what `PositionMap.span` makes of it."""
        first = min(range_.start.line, len(self._lines) - 1)
        last = max(first, min(range_.end.line, len(self._lines) - 1))
        # The lines beside it too: a CR at their border and an LF behind it become one end.
        begin, end = max(first - 1, 0), min(last + 2, len(self._lines))
        around = PositionMap("".join(self._lines[begin:end]), self._encoding)
        span = around.span(types.Range(self._within(range_.start, begin), self._within(range_.end, begin)))
        changed = f"{around.text[: span.start]}{text}{around.text[span.end :]}"
        following = _lines_of(changed)
        if end < len(self._lines) and following[-1] == "":
            following.pop()  # what follows begins on a line of its own
        self._lines[begin:end] = following

    def _within(self, position: types.Position, begin: int) -> types.Position:
        """A position as the lines from `begin` on count it; one above them is their start."""
        if position.line < begin:
            return types.Position(0, 0)
        if position.line >= len(self._lines):
            return types.Position(len(self._lines) - begin, 0)
        return types.Position(position.line - begin, position.character)


def _lines_of(text: str) -> list[str]:
    """Never none: behind the last end there is a line, empty or not."""
    positions = PositionMap(text)
    starts = [positions.line_start(line) for line in range(positions.line_count)]
    return [text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)]
