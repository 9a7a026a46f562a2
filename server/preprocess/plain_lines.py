"""What a compiler's preprocessor writes for lines of C without directives: tokens as they are, comments as blanks.

As GCC does it (print_lines and maybe_print_line of c-ppoutput.cc). It is used to predict its output, not to replace it:
where anything is not plain it says nothing, and what it says is compared with what the compiler wrote before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)"
    r"""|(?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<pragma>(?<![^\n])[ \t]*\#[ \t]*pragma[ \t]+(?P<family>\w+))"
    r"|(?P<newline>\n)"
    r"|(?P<blank>[ \t\f\v\r]+)"
    r"|(?P<other>[^\s])",
    re.ASCII,
)
_OTHERS = frozenset("[](){}.&*+-~!/%<>^|?:;=,")
_NEVER_TOGETHER = ("??", "/*", "%:", "<:")
"""Trigraphs, a comment without an end, digraphs that may be directives."""
_LINES_AS_NEWLINES = 8
_ENDS_IN_NUMBER = re.compile(r"(?<![\w.])\.?\d[\w.]*\Z", re.ASCII)
_PRAGMAS_OF_THE_COMPILER = frozenset({"omp"})
_PRAGMAS_PASSED_ON = frozenset({"acc"})

Expansion = Callable[[str], str | None]
"""What a name stands for: itself, if it is no macro; None if that can't be told."""


class _NotPlainError(Exception):
    """The lines hold something whose form in the output is not known here."""


def plain_lines(lines: Sequence[str], first_line: int, named: str, expansion: Expansion) -> str | None:
    """Output for consecutive source lines, the first of which is the 1-based `first_line`; None if they aren't plain.

    The first and the last line must come out with tokens. `named` is the file's name as markers have it, quotes
    included. No newline at the end.

    >>> print(plain_lines(["if (a  /* b */  <N-1)", "", "  f( a);  // why"], 7, '"m.c"', {"N": "8"}.get))
    None
    >>> names = {"if": "if", "f": "f", "a": "a", "N": "8"}
    >>> print(plain_lines(["if (a  /* b */  <N-1)", "", "  f( a);  // why"], 7, '"m.c"', names.get))
    if (a <8 -1)
    <BLANKLINE>
      f( a);
    """
    writer = _Writer(first_line, named, expansion)
    try:
        writer.read("\n".join(lines))
    except _NotPlainError:
        return None
    return writer.text()


def plain_body(body: str, expansion: Expansion) -> str | None:
    """What a macro's body becomes where the macro is used; None where that depends on what stands around it."""
    writer = _Writer(1, "", expansion)
    try:
        writer.read(body)
    except _NotPlainError:
        return None
    text = (writer.text() or "").lstrip(" ")
    ends_plainly = text and (text[0] in "(_" or text[0].isalnum()) and (text[-1] in ")]_" or text[-1].isalnum())
    return text if ends_plainly and "\n" not in text else None


class _Writer:
    def __init__(self, line: int, named: str, expansion: Expansion) -> None:
        self._line = line
        self._named = named
        self._expansion = expansion
        self._done: list[str] = []
        self._written = ""
        """Of the line at hand."""
        self._is_blank_before = False
        self._after_macro = False
        self._blank_lines = 0
        self._ended_comment = False
        self._pragma_column = -1
        self._is_expanding = True

    def text(self) -> str | None:
        """All lines; None if one at an end is blank."""
        return "\n".join(self._done) if self._done and self._done[0] and not self._blank_lines else None

    def read(self, text: str) -> None:
        start = before = 0
        for token in _TOKEN.finditer(text):
            if token.start() != before:
                raise _NotPlainError
            before = token.end()
            kind = token.lastgroup
            if kind == "newline":
                self._end_line()
                start = token.end()
            elif kind == "blank":
                self._is_blank_before = True
            elif kind == "comment":
                self._comment(token.group())
                start = token.end() if "\n" in token.group() else start
            elif kind == "pragma":
                self._pragma(token, start)
            else:
                self._token(token, start)
        if before != len(text):
            raise _NotPlainError
        self._end_line()

    def _comment(self, comment: str) -> None:
        if comment.endswith("\\") or (self._written and "\n" in comment):
            raise _NotPlainError
        for _ in range(comment.count("\n")):
            self._end_line()
            self._ended_comment = True
        self._is_blank_before = True

    def _pragma(self, token: re.Match[str], start: int) -> None:
        family = token["family"]
        if self._written or self._ended_comment:
            raise _NotPlainError
        if family in _PRAGMAS_OF_THE_COMPILER:
            self._pragma_column = token.start("family") - start
        elif family in _PRAGMAS_PASSED_ON:
            self._is_expanding = False
        else:
            raise _NotPlainError
        self._written = f"#pragma {family}"

    def _token(self, token: re.Match[str], start: int) -> None:
        text = token.group()
        if self._ended_comment or (token["other"] and not self._is_known(token)):
            raise _NotPlainError
        is_macro = False
        if token["name"] and self._is_expanding:
            stands_for = self._expansion(text)
            if stands_for is None:
                raise _NotPlainError
            is_macro = stands_for != text
            text = stands_for
        if not self._written:
            self._written = " " * (token.start() - start)
        elif self._is_blank_before or (self._after_macro and self._would_paste(text)):
            self._written += " "
        self._written += text
        self._is_blank_before = False
        self._after_macro = is_macro

    def _is_known(self, token: re.Match[str]) -> bool:
        return token.group() in _OTHERS and not token.string.startswith(_NEVER_TOGETHER, token.start())

    def _would_paste(self, text: str) -> bool:
        """Whether a blank keeps the end of a macro's value and the next token apart."""
        if text[0] in "\"'":
            raise _NotPlainError
        return text[0] in "+-." and _ENDS_IN_NUMBER.search(self._written) is not None

    def _end_line(self) -> None:
        if self._written:
            if self._blank_lines >= _LINES_AS_NEWLINES:
                self._done.append(f"# {self._line} {self._named}")
            else:
                self._done += [""] * self._blank_lines
            if self._pragma_column >= 0:
                self._done += [" " * self._pragma_column, f"# {self._line} {self._named}"]
            self._done.append(self._written)
            self._blank_lines = 0
        else:
            self._blank_lines += 1
        self._line += 1
        self._written = ""
        self._is_blank_before = self._after_macro = self._ended_comment = False
        self._is_expanding = True
        self._pragma_column = -1
