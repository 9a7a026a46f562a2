"""Functions that included files of a program define: each with the file and the lines that it stands on."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warplens.analysis.frontend.declarations.cut import Chunk
from warplens.analysis.frontend.declarations.declared_names import function_name
from warplens.analysis.text.line_markers import without_markers

_MARKER = re.compile(r'[ \t]*#[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:\\.|[^"\\\n])*)"((?:[ \t]+\d)*)')
_OF_THE_SYSTEM = "3"
"""What gcc and clang write behind the name of a system's header."""
_ESCAPE = re.compile(r"\\(.)")
_LONGEST_CHARACTERS = 40_000


@dataclass(frozen=True, slots=True)
class IncludedFunction:
    """A function's text without line markers, `body` being where its `{` stands.

    `file` is the included file as its markers call it. `lines` has for each row of the text its line there, from 1; 0
    for a row that yet another file gives.
    """

    name: str
    text: str
    body: int
    file: str
    lines: tuple[int, ...]


def included_functions(text: str, chunks: Iterable[Chunk]) -> tuple[IncludedFunction, ...]:
    """Those of the chunks of a preprocessed text that are functions of the program: the system's are left out."""
    found = (included_function(text, chunk) for chunk in chunks if chunk.kind == "function")
    return tuple(function for function in found if function is not None)


def included_function(text: str, chunk: Chunk) -> IncludedFunction | None:
    """The function that stands at a chunk; None for one of the system, without a body or too long."""
    if chunk.body < 0 or chunk.end - chunk.start > _LONGEST_CHARACTERS:
        return None
    marker = _marker_before(text, chunk.start)
    if marker is None or _OF_THE_SYSTEM in marker[3].split():
        return None
    head = without_markers(text[chunk.start : chunk.body])[0]
    whole = without_markers(text[chunk.start : chunk.end])[0]
    name = function_name(head)
    if not name:
        return None
    after = text.find("\n", marker.end()) + 1
    lines = _lines(text[chunk.start : chunk.end], marker[2], int(marker[1]) + text.count("\n", after, chunk.start))
    return IncludedFunction(name, whole, whole.find("{", len(head)), _ESCAPE.sub(r"\1", marker[2]), lines)


def _marker_before(text: str, offset: int) -> re.Match[str] | None:
    """The marker that says where the text at an offset comes from."""
    at = offset
    while (at := text.rfind("\n#", 0, at)) >= 0:
        marker = _MARKER.match(text, at + 1)
        if marker is not None:
            return marker
    return _MARKER.match(text)


def _lines(text: str, file: str, first: int) -> tuple[int, ...]:
    lines: list[int] = []
    line = first
    for row in text.split("\n"):
        marker = _MARKER.match(row) if "#" in row else None
        if marker is not None:
            line = int(marker[1]) if marker[2] == file else 0
        else:
            lines.append(line)
            line += line > 0
    return tuple(lines)
