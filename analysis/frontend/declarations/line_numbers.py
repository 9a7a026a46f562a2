"""Numbers of lines that `assert` and its like hand on: they change with every line above, and decide nothing.

`__FILE__, __LINE__` stands in the preprocessed text as `"file.c", 123`. Where a call that gets both never comes back,
or nothing uses its result, and its code is not in the file, no loop depends on the number: it is read as `111`. Else a
line more at the top of a file would change the text of each function below that has an assertion.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.c.c_library import library_call
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.declarations.declarators import KEYWORDS

_LITERAL = r'"(?:\\.|[^"\\\n])*"'
_FUNCTION = rf"__func__|__FUNCTION__|{_LITERAL}"
_BEHIND = re.compile(rf"\s*,\s*(?:(?:{_FUNCTION}|\(\s*(?:{_FUNCTION})\s*\))\s*,\s*)?([1-9]\d*)(?=\s*[,)])")
_REST = re.compile(rf'(?:[^()";{{}}]|{_LITERAL})*\)\s*(\)?)\s*;(?!\s*\}}\s*\))')
"""The rest of a statement's call; the last one of a statement expression is its value."""
_MOST_ARGUMENTS = 8
_OF_NAMES = frozenset("_ &*.->")
"""What an argument like `&image->exception` consists of, beside letters."""


@dataclass(frozen=True, slots=True)
class LineNumber:
    """Where the number stands in the text, and the function that it is handed to."""

    start: int
    end: int
    called: str


def line_numbers(text: str, named: str) -> tuple[LineNumber, ...]:
    """Numbers behind the file's name (`named`, a literal) that decide nothing if the functions called are not defined.

    >>> line_numbers('{ n = told("n < 1", "a.c", 12); tell ("a.c", 13); }', '"a.c"')
    (LineNumber(start=45, end=47, called='tell'),)
    """
    found: list[LineNumber] = []
    at = text.find(named)
    while at >= 0:
        behind = _BEHIND.match(text, at + len(named))
        called = _called(text, at, behind.end(1)) if behind else ""
        if behind and called:
            found.append(LineNumber(*behind.span(1), called))
        at = text.find(named, at + len(named))
    return tuple(found)


def without_numbers(text: str, numbers: Sequence[LineNumber]) -> str:
    """The text with ones for the digits of these numbers."""
    pieces: list[str] = []
    at = 0
    for number in numbers:
        pieces += [text[at : number.start], "1" * (number.end - number.start)]
        at = number.end
    return "".join((*pieces, text[at:])) if pieces else text


def _called(text: str, at: int, end: int) -> str:
    """The function that gets the file's name at `at`; empty where its arguments may matter or that can't be told."""
    opening = _opening(text, at)
    start, stop = _word(text, opening)
    name = text[start:stop]
    if not name or name[0].isdecimal() or name in KEYWORDS or math_function(name) is not None:
        return ""
    known = library_call(name)
    if known is not None and known.ends:
        return name
    return name if (known is None or known.unknown) and _is_statement(text, start, end) else ""


def _is_statement(text: str, start: int, end: int) -> bool:
    """Whether a call, from its name on, is a statement, perhaps in brackets, or its result is cast to void."""
    rest = _REST.match(text, end)
    if rest is None:
        return False
    start = _ink(text, start)
    if not rest[1] and text.endswith("(void)", 0, start):
        return True
    if rest[1]:
        if text[start - 1 : start] != "(":
            return False
        start = _ink(text, start - 1)
    return text[start - 1 : start] in {"{", ";", "}"}


def _opening(text: str, at: int) -> int:
    """Where the bracket of an argument list is, literals, words and calls being all that is before `at`; else 0."""
    for _ in range(_MOST_ARGUMENTS):
        at = _ink(text, at)
        if text[at - 1 : at] == "(":
            return at - 1
        if text[at - 1 : at] != ",":
            return 0
        at = _ink(text, at - 1)
        if text[at - 1 : at] == ")":
            opened = text.rfind("(", 0, at)
            if not text[opened + 1 : at - 1].replace(" ", "").isalnum():
                return 0
            at = opened
        if text[at - 1 : at] != '"':
            while text[at - 1 : at].isalnum() or text[at - 1 : at] in _OF_NAMES:
                at -= 1
        while text[at - 1 : at] == '"':
            at = _ink(text, _opening_quote(text, at - 1))
    return 0


def _opening_quote(text: str, closing: int) -> int:
    """Where a literal starts, 0 if that is not on its line."""
    line = text.rfind("\n", 0, closing) + 1
    at = closing
    while (at := text.rfind('"', line, at)) >= 0:
        before = text[line:at]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return at
    return 0


def _word(text: str, end: int) -> tuple[int, int]:
    """The word that ends here but for blanks."""
    end = at = _ink(text, end)
    while at > 0 and (text[at - 1].isalnum() or text[at - 1] == "_"):
        at -= 1
    return at, end


def _ink(text: str, end: int) -> int:
    """The end without the blanks before it."""
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return end
