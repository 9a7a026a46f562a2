"""Where macros are defined: the `#define` and `#undef` lines that a preprocessor kept become a table."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from warplens.analysis.text.line_markers import name_in_marker
from warplens.analysis.text.span import Span

_WORD = re.compile(r"[^\W\d][\w$]*")
_BETWEEN_WORDS = str.maketrans(
    {chr(code): " " for code in range(128) if not (chr(code).isalnum() or chr(code) in "_$")}
)
_DIRECTIVE = re.compile(r"\n#(define|undef) ([^\W\d][\w$]*)[^\n]*")
_MARKER = re.compile(r'\n# (\d+) "((?:\\.|[^"\\\n])*)"[^\n]*')
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
    """All identifiers of a text, those in comments too: the macros that the user can have named.

    >>> sorted(words("int a_1 = 3u + $x; // b"))
    ['a_1', 'b', 'int', 'u', 'x']
    """
    if not source.isascii():
        return frozenset(_WORD.findall(source))
    # Several times as fast as the expression, which is then asked only of numbers and the like.
    found = frozenset(source.translate(_BETWEEN_WORDS).split())
    others = [word for word in found if not word.isidentifier()]
    return found.difference(others).union(*map(_WORD.findall, others))


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
    text = f"\n{text}"
    found = tuple(_directives_of(names, text, main_path))
    text = _markers_of_nothing(main_path).sub("", text)
    return _DIRECTIVE.sub("\n", text)[1:], found


def _markers_of_nothing(main_path: str) -> re.Pattern[str]:
    """A header's marker behind which the next one stands, but for directives about macros: most of an output."""
    own = re.escape(name_in_marker(main_path))
    marker = rf'\n# \d+ (?!{own})"[^\n]*'
    directives = r"(?>(?:\n(?:#(?:define|undef) [^\W\d][^\n]*|[^\S\n]*(?=\n)))*)"
    return re.compile(rf'{marker}{directives}(?=\n# \d+ ")')


def _directives_of(names: frozenset[str], text: str, main_path: str) -> Iterator[MacroDirective]:
    wanted = [directive for directive in _DIRECTIVE.finditer(text) if directive[2] in names]
    if not wanted:
        return
    own = re.compile(rf"\n# (\d+) {re.escape(name_in_marker(main_path))}")
    left: list[tuple[int, int]] = []
    """Where the text leaves the user's file, and on which line."""
    for entered in own.finditer(text):
        behind = _MARKER.search(text, entered.end())
        end = behind.start() if behind else len(text)
        left.append((end, int(entered[1]) + text.count("\n", entered.end(), end)))
    for directive in wanted:
        at = directive.start()
        file, line = _place(text, at)
        before = bisect_left(left, (at + 1, 0)) - 1
        reached = left[before][1] if before >= 0 else 0
        since = line if file == main_path else reached
        yield MacroDirective(directive[2], since, file, line, directive[1] == "define")


def _place(text: str, at: int) -> tuple[str, int]:
    """The file and line that the last marker before a line's beginning gives it; no file without one."""
    start = text.rfind("\n# ", 0, at)
    while start >= 0:
        marker = _MARKER.match(text, start)
        if marker is not None:
            file = _ESCAPE.sub(r"\1", marker[2]) if "\\" in marker[2] else marker[2]
            return file, int(marker[1]) + text.count("\n", marker.end(), at)
        start = text.rfind("\n# ", 0, start)
    return "", 1 + text.count("\n", 1, at)
