"""Line markers of a preprocessor's output (`# 12 "file.c" 2`): which text came from which line of which file."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from warplens.analysis.text.tokens import blank

_MARKER = re.compile(r'^[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:\\.|[^"\\\n])*)"[^\n]*(?:\n|\Z)', re.MULTILINE)
_LINE_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(?:line\b|\d)[^\n]*", re.MULTILINE)
_HAS_LINE_DIRECTIVE = re.compile(r"#[ \t]*(?:line\b|\d)")
"""Looking for the `#` takes a tenth of looking at each line."""
_ESCAPE = re.compile(r"\\(.)")


def without_line_directives(source: str) -> str:
    """Blank a generator's `#line` directives, so that a preprocessor calls every line by its place in this text.

    The user has this text open, not the grammar or Fortran it was made from.

    >>> without_line_directives('#line 7 "gram.y"').isspace()
    True
    """
    has_any = _HAS_LINE_DIRECTIVE.search(source) is not None
    return _LINE_DIRECTIVE.sub(lambda m: blank(m.group()), source) if has_any else source


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
    return tuple(region for region in each_main_region(text, main_path) if region.end > region.start or not text)


def each_main_region(text: str, main_path: str) -> Iterator[Region]:
    """Regions of the user's own file, empty ones too; found by its name: most text and most markers are headers'."""
    named = name_in_marker(main_path)
    end = 0
    at = text.find(named)
    while at >= 0:
        begin = text.rfind("\n", 0, at) + 1
        marker = _MARKER.match(text, begin) if text.startswith("#", begin) else None
        if marker is None or marker.start(2) != at + 1:
            at = text.find(named, at + 1)
            continue
        start, line = marker.end(), int(marker.group(1))
        following = _next_marker(text, start)
        end = len(text) if following is None else following.start()
        yield Region(start, end, main_path, line)
        at = text.find(named, end)
    if end == 0 and _next_marker(text, 0) is None:
        yield Region(0, len(text), main_path, 1)


def name_in_marker(path: str) -> str:
    r"""A file's name as a marker has it, quotes included.

    >>> print(name_in_marker(r"a\b.c"))
    "a\\b.c"
    """
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _next_marker(text: str, start: int) -> re.Match[str] | None:
    """The first marker from `start` on, where a line begins."""
    at = start if text.startswith("#", start) else text.find("\n#", start) + 1 or -1
    while at >= 0:
        marker = _MARKER.match(text, at)
        if marker is not None:
            return marker
        at = text.find("\n#", at) + 1 or -1
    return None


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
