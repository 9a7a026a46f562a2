"""Where macros are defined: the `#define` and `#undef` lines that a preprocessor kept become a table."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from warplens.analysis.text.span import Span

_WORD = re.compile(r"[^\W\d][\w$]*")
_KEPT = re.compile(r"(define|undef) ([^\W\d][\w$]*)")
_MARKER = re.compile(r'[ \t]*(?:line[ \t]+)?(\d+)[ \t]+"((?:\\.|[^"\\\n])*)"[^\n]*')
_ESCAPE = re.compile(r"\\(.)")


@dataclass(frozen=True, slots=True)
class MacroDirective:
    """A `#define` or `#undef` that the preprocessor came across: it holds from line `since` of the user's file on.

    `file` is as line markers call it, `line` counts from 1. What no file says (a flag, the compiler) has a name in
    angle brackets: `<command-line>`.
    """

    name: str
    since: int
    file: str
    line: int
    is_definition: bool = True


@dataclass(frozen=True, slots=True)
class MacroDefinition:
    """Where a macro was defined: `span`, its name in the user's own file, or else `line` (from 1) of `file`."""

    name: str
    span: Span | None = None
    file: str = ""
    line: int = 0


class MacroTable:
    """The definition in force at any line of the user's file.

    Not modelled: `#pragma pop_macro`, `#undef` within the argument list of a macro's use.
    """

    def __init__(self, directives: Iterable[MacroDirective] = ()) -> None:
        self._by_name: dict[str, list[MacroDirective]] = {}
        for directive in directives:
            self._by_name.setdefault(directive.name, []).append(directive)

    def __bool__(self) -> bool:
        """Whether there is any definition."""
        return bool(self._by_name)

    def has_any(self, names: Iterable[str]) -> bool:
        """Whether there is a directive about one of the macros."""
        return not self._by_name.keys().isdisjoint(names)

    def in_force(self, name: str, line: int) -> MacroDirective | None:
        """The last `#define` of a name before a 1-based line, None when there is none or an `#undef` after it."""
        newest = next((d for d in reversed(self._by_name.get(name, ())) if d.since <= line), None)
        return newest if newest is not None and newest.is_definition else None


def words(source: str) -> frozenset[str]:
    """All identifiers of a text, those in comments too: the macros that the user can have named."""
    return frozenset(_WORD.findall(source))


def without_macro_directives(
    text: str, main_path: str, names: frozenset[str]
) -> tuple[str, tuple[MacroDirective, ...]]:
    r"""Take the `#define` and `#undef` lines out of preprocessed text (`cc -E -dD`): what is left is that of `cc -E`.

    Only directives of `names` are kept. A header's directive holds from the line on that the user's file had reached,
    which lies behind all that was written before its `#include` and not behind the `#include` itself.

    >>> text, found = without_macro_directives('# 3 "m.c"\n#define N 4\nint a[4];\n', "m.c", frozenset({"N"}))
    >>> text, found[0].line
    ('# 3 "m.c"\n\nint a[4];\n', 3)
    """
    kept: list[str] = []
    found: list[MacroDirective] = []
    file, line, reached = "", 1, 0
    droppable = -1
    first, *pieces = f"\n{text}".split("\n#")
    for piece in pieces:
        directive = _KEPT.match(piece)
        if directive is not None:
            name = directive[2]
            if name in names:
                since = line if file == main_path else reached
                found.append(MacroDirective(name, since, file, line, directive[1] == "define"))
            end = piece.find("\n")
            if end < 0:
                kept.append("\n")
                line += 1
                continue
            rest = piece[end:]
            kept.append(f"\n{rest}")
            if not rest.isspace():
                droppable = -1
        else:
            marker = _MARKER.match(piece)
            if marker is not None:
                if file == main_path:
                    reached = line
                if droppable >= 0:
                    del kept[droppable:]
                called, line = marker[2], int(marker[1]) - 1
                file = _ESCAPE.sub(r"\1", called) if "\\" in called else called
            is_empty = marker is not None and file != main_path and not piece[marker.end() :].strip()
            droppable = len(kept) if is_empty else -1
            kept.append(f"\n#{piece}")
        line += piece.count("\n") + 1
    return "".join((first, *kept))[1:], tuple(found)
