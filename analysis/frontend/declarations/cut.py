"""Cut preprocessed text at its top-level declarations with one scan, without understanding them."""

from __future__ import annotations

import re
from collections.abc import Container
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.frontend.declarations.gnu import ATTRIBUTE

_LITERAL = r""""(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'"""
_PRAGMA_OPERATOR = r"\b_Pragma\s*\(\s*L?\"(?:\\.|[^\"\\\n])*\"\s*\)"
_OUTSIDE = re.compile(_LITERAL + rf"|{_PRAGMA_OPERATOR}" + r"|[{}();=\[\],*]|^[ \t]*#[^\n]*$|[^\W\d]\w*", re.MULTILINE)
_INSIDE = re.compile(_LITERAL + r"|[{}]|^[ \t]*#[^\n]*$", re.MULTILINE)
_BRACKETED = r"\([^(){}\[\];=\"'#]*(?:\([^(){}\[\];=\"'#]*\)[^(){}\[\];=\"'#]*)*\)"
_PLAIN = re.compile(
    rf"[\s;]*((?>(?:{ATTRIBUTE}[\s*,]*+|(?!__attribute__\b)[^\W\d]\w*+[\s*,]*+)+)"
    rf"(?:;|{_BRACKETED}\s*(?:__attribute__\s*\({_BRACKETED}\)\s*|__asm__\s*\([^()]*\)\s*)*(?:;|(\{{))))"
)
"""Most of a file: plain declarations, and what comes before a function's body. They need no scan by tokens."""
_LOOKS_LIKE_DEFINITION = re.compile(r"^[A-Za-z_][\w \t*]*[ \t*]\w+[ \t]*\([^;={}]*\)\s*\{", re.MULTILINE)
_ATTRIBUTES = {"__attribute__", "__attribute", "__asm__", "__asm", "asm", "__declspec", "_Alignas", "__typeof__"}
_NOT_PARAMETERS = _ATTRIBUTES | {"__extension__"}
_NAME_LIST = re.compile(r"\s*[^\W\d]\w*(?:\s*,\s*[^\W\d]\w*)*\s*\Z")
_MOST_RECOVERIES = 20


@dataclass(frozen=True, slots=True)
class Chunk:
    """One external declaration: offsets into the preprocessed text.

    `body` is where a function's `{` stands, `initialiser` where the first `=` outside of brackets stands, else -1.
    """

    start: int
    end: int
    kind: Literal["function", "declaration", "pragma"]
    body: int = -1
    initialiser: int = -1


def matching_brace(text: str, opening: int) -> int:
    """Offset after the `}` that closes the `{` at `opening`, -1 when nothing does."""
    depth = 0
    for match in _INSIDE.finditer(text, opening):
        if match.group() == "{":
            depth += 1
        elif match.group() == "}":
            depth -= 1
            if depth == 0:
                return match.end()
    return -1


def cut(text: str) -> tuple[Chunk, ...]:
    """Declarations in order.

    Where brackets never close (a half-typed function), the text is cut before the next line that looks like the
    start of a function, so that what follows is still understood.
    """
    chunks: list[Chunk] = []
    start = 0
    for _ in range(_MOST_RECOVERIES):
        scan = _Scan(text, chunks)
        unfinished = scan.run(start)
        if unfinished is None:
            break
        restart = _LOOKS_LIKE_DEFINITION.search(text, max(unfinished, scan.open_body) + 1)
        end = restart.start() if restart else len(text)
        chunks.append(Chunk(unfinished, end, "function", scan.open_body))
        if restart is None:
            break
        start = end
    return tuple(chunks)


def cut_between(text: str, start: int, ends: Container[int]) -> tuple[list[Chunk], int] | None:
    """Declarations from the end of one up to that of the first that is one of `ends`; -1 for that if none is.

    None when some declaration never ends.
    """
    chunks: list[Chunk] = []
    scan = _Scan(text, chunks, ends)
    return (chunks, scan.stopped) if scan.run(start) is None else None


class _Scan:
    """State of the scan within one declaration."""

    def __init__(self, text: str, chunks: list[Chunk], stops: Container[int] = ()) -> None:
        self._text = text
        self._chunks = chunks
        self._stops = stops
        self.stopped = -1
        """The end of a declaration where the scan was to stop."""
        self.open_body = -1
        """Where the `{` of a function stands that never ends."""
        self._reset()

    def _reset(self) -> None:
        self._start = -1
        self._depth = 0
        self._initialiser = -1
        self._had_parentheses = False
        self._old_style = False
        self._opening = 0
        self._closed = -1
        self._words_after = 0
        self._names_only = False
        self._words: list[str] = []
        self._last = ""

    def run(self, at: int) -> int | None:
        """Append chunks; returns where a declaration starts that never ends."""
        text = self._text
        while True:
            at = self._plain(at) if self._start < 0 else at
            if at < 0:
                return self._start
            if self._start < 0 and at in self._stops:
                self.stopped = at
                return None
            match = _OUTSIDE.search(text, at)
            if match is None:
                break
            word, at = match.group(), match.end()
            first = word[0]
            if (first in "# \t" and "#" in word) or word.startswith("_Pragma"):
                if self._start < 0 and word.lstrip().startswith(("#pragma", "_Pragma")):
                    self._chunks.append(Chunk(match.start(), match.end(), "pragma"))
                continue
            if self._start < 0:
                if first == ";":
                    continue
                self._start = match.start()
            if first == "{":
                closed = matching_brace(text, match.start())
                if closed < 0:
                    self.open_body = match.start() if self._is_function() else -1
                    return self._start
                if self._is_function():
                    self._separate_struct(match.start())
                    self._chunks.append(Chunk(self._start, closed, "function", body=match.start()))
                    self._reset()
                self._last, at = "}" if self._start >= 0 else "", closed
                self._closed = closed if self._start >= 0 else -1
            elif first == ";" and self._depth == 0 and not (self._old_style and self._words_after > 1):
                self._chunks.append(Chunk(self._start, at, "declaration", initialiser=self._initialiser))
                self._reset()
            elif first == "}":
                self._chunks.append(Chunk(self._start, at, "declaration"))
                self._reset()
            else:
                self._inside(word, match.start())
        return self._start if self._start >= 0 else None

    def _plain(self, at: int) -> int:
        """Append the plain declarations from `at` on; the offset after them, -1 where a function's body never ends."""
        while at not in self._stops and (plain := _PLAIN.match(self._text, at)):
            start, body = plain.start(1), plain.start(2)
            if body >= 0 and self._text.startswith("typedef", start):
                break
            at = plain.end() if body < 0 else matching_brace(self._text, body)
            if at < 0:
                self._start, self.open_body = start, body
                break
            self._chunks.append(Chunk(start, at, "declaration" if body < 0 else "function", body))
        return at

    def _separate_struct(self, body: int) -> None:
        """Part a function from the `struct s { ... }` before it whose `;` is missing."""
        if self._closed < 0 or not {"struct", "union", "enum", "typedef"}.intersection(self._words[:1]):
            return
        match = _LOOKS_LIKE_DEFINITION.search(self._text, self._closed, body + 1)
        if match is not None and match.end() == body + 1 and not self._text[self._closed : match.start()].strip():
            self._chunks.append(Chunk(self._start, self._closed, "declaration"))
            self._start = match.start()

    def _inside(self, token: str, at: int) -> None:
        first = token[0]
        if first in "([":
            if first == "(" and self._depth == 0:
                self._had_parentheses = True
                self._opening = at + 1
                self._words_after += self._old_style
            self._depth += 1
        elif first in ")]":
            self._depth = max(self._depth - 1, 0)
            if self._depth == 0:
                self._last = first
                if first == ")" and not self._names_only:
                    self._names_only = self._may_be_old_style(at)
        elif self._depth:
            return
        elif first == "=":
            if self._initialiser < 0:
                self._initialiser = at
        elif first in ",*":
            self._last = first
        elif first.isidentifier():
            before = self._words[-1] if self._words else ""
            if (
                self._last == ")"
                and self._initialiser < 0
                and self._words[:1] != ["typedef"]
                and token not in _NOT_PARAMETERS
                and before not in _ATTRIBUTES
            ):
                self._old_style = self._names_only
            self._words_after += self._old_style
            self._words.append(token)
            self._last = token

    def _may_be_old_style(self, closing: int) -> bool:
        """Whether the brackets that just closed hold names only, or stand for those of a returned function."""
        inside = self._text[self._opening : closing]
        match = _NAME_LIST.match(inside)
        return match is not None and inside.strip() not in {"void", "int", "double", "float", "char", "long"}

    def _is_function(self) -> bool:
        return (
            self._depth == 0
            and self._initialiser < 0
            and self._had_parentheses
            and (self._last == ")" or self._old_style)
            and self._words[:1] != ["typedef"]
        )
