"""Line markers of a preprocessor's output (`# 12 "file.c" 2`): which text came from which line of which file."""

from __future__ import annotations

import re
from dataclasses import dataclass

from warplens.analysis.text.tokens import blank

_MARKER = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:\\.|[^"\\\n])*)"[^\n]*(?:\n|\Z)', re.MULTILINE)
_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)[^\n]*", re.MULTILINE)
_ESCAPE = re.compile(r"\\(.)")


def without_line_directives(source: str) -> str:
    """Blank a generator's `#line` directives, so that a preprocessor calls every line by its place in this text.

    The user has this text open, not the grammar or Fortran it was made from.

    >>> without_line_directives('#line 7 "gram.y"').isspace()
    True
    """
    return _LINE_DIRECTIVE.sub(lambda m: blank(m.group()), source) if "#" in source else source


@dataclass(frozen=True, slots=True)
class Region:
    """Text between two markers, `start` to `end` in the preprocessed text; its first line is `line` (1-based)."""

    start: int
    end: int
    file: str
    line: int


def regions(text: str) -> tuple[Region, ...]:
    """Regions in order, the markers themselves left out; text before the first marker has an empty file name."""
    found: list[Region] = []
    start, file, line = 0, "", 1
    for marker in _MARKER.finditer(text):
        if marker.start() > start:
            found.append(Region(start, marker.start(), file, line))
        start = marker.end()
        file, line = _ESCAPE.sub(r"\1", marker.group(2)), int(marker.group(1))
    if start < len(text) or not found:
        found.append(Region(start, len(text), file, line))
    return tuple(found)


def main_regions(text: str, main_path: str) -> tuple[Region, ...]:
    """Regions of the user's own file; a text without any marker is all the user's."""
    found: list[Region] = []
    start, line, is_main, seen = 0, 1, False, False
    at = 0 if text.startswith("#") else text.find("\n#") + 1 or -1
    while at >= 0:
        marker = _MARKER.match(text, at)
        if marker:
            if is_main and marker.start() > start:
                found.append(Region(start, marker.start(), main_path, line))
            start, line, name = marker.end(), int(marker.group(1)), marker.group(2)
            is_main = (_ESCAPE.sub(r"\1", name) if "\\" in name else name) == main_path
            seen = True
            at = marker.end() - 1
        at = text.find("\n#", at) + 1 or -1
    if not seen:
        return (Region(0, len(text), main_path, 1),)
    if is_main and start < len(text):
        found.append(Region(start, len(text), main_path, line))
    return tuple(found)


def without_markers(text: str) -> tuple[str, tuple[tuple[int, int], ...]]:
    """Drop marker lines: (text, breakpoints), a breakpoint being (offset in the result, offset in `text`)."""
    if "#" not in text:
        return text, ((0, 0),)
    pieces: list[str] = []
    breakpoints: list[tuple[int, int]] = [(0, 0)]
    start = length = 0
    for marker in _MARKER.finditer(text):
        pieces.append(text[start : marker.start()])
        length += marker.start() - start
        start = marker.end()
        breakpoints.append((length, start))
    if not pieces:
        return text, ((0, 0),)
    pieces.append(text[start:])
    return "".join(pieces), tuple(breakpoints)
