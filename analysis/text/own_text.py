"""The user's part of a preprocessed text without its line markers, and the headers before it.

Markers hold line numbers: without them a line more above a function changes nothing in its text.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from warplens.analysis.text.line_markers import Region, each_main_region, name_in_marker

_AFTER_HASH = re.compile(r'[ \t]*(?:line[ \t]+)?(\d+)[ \t]+("(?:\\.|[^"\\\n])*")')


class OwnText:
    """`text` is all from the first on that the user's file gives, `headers` what others give before.

    Files that are included later are in `text`. `regions` are those of the user's file in the preprocessed text, from
    there on.
    """

    def __init__(self, preprocessed: str, main_path: str) -> None:
        self.headers, first = _before(preprocessed, main_path)
        self._end = len(preprocessed)
        self._starts: list[int] = []
        """Where what stands between markers starts, here and there, and on which line; 0 in another file."""
        self._origins: list[int] = []
        self._lines: list[int] = []
        regions: list[Region] = []
        pieces: list[str] = []
        length = 0
        for start, end, line in _pieces(preprocessed, first, name_in_marker(main_path)) if first else ():
            self._starts.append(length)
            self._origins.append(start)
            self._lines.append(line)
            pieces.append(preprocessed[start:end])
            length += end - start
            if line > 0:
                regions.append(Region(start, end, main_path, line))
        self.regions = tuple(regions)
        self.text = "".join(pieces)

    def origin(self, offset: int) -> int:
        """Offset of a character in the preprocessed text; the end of that for the end of this."""
        if offset >= len(self.text):
            return self._end
        piece = bisect_right(self._starts, offset) - 1
        return self._origins[piece] + offset - self._starts[piece]

    def is_own(self, offset: int) -> bool:
        """Whether the user's file itself gave this character."""
        return self._lines[bisect_right(self._starts, offset) - 1] > 0

    def joints(self, start: int, end: int) -> tuple[tuple[int, int], ...]:
        """The pieces that begin within a stretch: how far behind its start, on which line (0 in another file)."""
        first, last = bisect_right(self._starts, start), bisect_left(self._starts, end)
        return tuple((self._starts[piece] - start, self._lines[piece]) for piece in range(first, last))


def _before(text: str, main_path: str) -> tuple[str, Region | None]:
    """What other files give before the user's file gives anything but blanks; the rest of its region there."""
    others: list[str] = []
    end = 0
    for region in each_main_region(text, main_path):
        if end < region.start:
            others.append(text[end : text.rfind("\n", 0, region.start - 1) + 1])
        content = text[region.start : region.end]
        blank = len(content) - len(content.lstrip())
        if blank < len(content):
            line = region.line + content.count("\n", 0, blank)
            return "".join(others), Region(region.start + blank, region.end, main_path, line)
        end = region.end
    return "", None


def _pieces(text: str, first: Region, named: str) -> Iterator[tuple[int, int, int]]:
    """Start, end and line of what stands between markers from a region on, empty ones left out."""
    start, line = first.start, first.line
    head, *parts = text[start:].split("\n#")
    at = start + len(head)
    for part in parts:
        marker = _AFTER_HASH.match(part)
        if marker is not None:
            if at + 1 > start:
                yield start, at + 1, line
            end = part.find("\n")
            start = at + 2 + (len(part) if end < 0 else end) + 1
            line = int(marker[1]) if marker[2] == named else 0
        at += 2 + len(part)
    if start < len(text):
        yield start, len(text), line
