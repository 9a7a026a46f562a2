"""What a compiler's preprocessor writes for lines of C without directives: tokens, comments as blanks, simple macros.

As GCC does it (scan_translation_unit of c-ppoutput.cc). It is used to predict its output, not to replace it:
where anything is not plain it says nothing, and what it says is compared with what the compiler wrote before.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

_TOKEN = re.compile(
    r"(?P<comment>//[^\n]*|/\*(?s:.*?)\*/)"
    r"""|(?P<literal>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')"""
    r"|(?P<name>[A-Za-z_$][\w$]*)"
    r"|(?P<number>\.?\d(?:[eEpP][+-]|[\w.])*)"
    r"|(?P<pragma>(?<![^\n])[ \t]*\#[ \t]*pragma[ \t]+(?P<family>\w+))"
    r"|(?P<newline>\n)"
    r"|(?P<blank>[ \t\f\v\r]+)"
    r"|(?P<other>[^\s])",  # also where a comment or a literal has no end
    re.ASCII,
)
_OTHERS = frozenset("[](){}.&*+-~!/%<>^|?:;=,")
_NEVER_TOGETHER = ("??", "/*", "%:", "<:")
"""Trigraphs, a comment without an end, digraphs that may be directives."""
_LINES_AS_NEWLINES = 8
_MOST_CHARACTERS = 20_000
"""Of lines, and of all that their macros stand for on the way: each may name another twice."""
_MOST_DEPTH = 20
_ENDS_IN_NUMBER = re.compile(r"(?<![\w.])\.?\d[\w.]*\Z", re.ASCII)
_BRACKETS = frozenset("([{,;)]}")
_MAY_PASTE = frozenset("\"'.")
_PRAGMAS_OF_THE_COMPILER = frozenset({"omp"})
_PRAGMAS_PASSED_ON = frozenset({"acc"})


class NotPlainError(Exception):
    """The lines hold something whose form in the output is not known here."""


@dataclass(frozen=True, slots=True)
class Macro:
    """What a `#define` says; without parameters, not even an empty list of them, None.

    `of_system`: the flags of its header's lines (` 3 4`), if that is a system's: what it stands for has a marker then.
    """

    body: str
    parameters: tuple[str, ...] | None = None
    of_system: str = ""


Definition = Callable[[str], Macro | None]
"""The macro of a name, None if it is none; raises NotPlainError where that can't be told."""


def plain_lines(lines: Sequence[str], first_line: int, named: str, definition: Definition) -> str | None:
    """Output for consecutive source lines, the first of which is the 1-based `first_line`; None if they aren't plain.

    The first and the last line must come out with tokens. `named` is the file's name as markers have it, quotes
    included. No newline at the end.

    >>> macros = {"N": Macro("8"), "AT": Macro("a[(i)+1]", ("i",))}
    >>> print(plain_lines(["if (a  /* b */  <N-1)", "", "  f( AT(N ));  // why"], 7, '"m.c"', macros.get))
    if (a <8 -1)
    <BLANKLINE>
      f( a[(8)+1]);
    >>> plain_lines(["x = 1; /* not", "so */ y = 2;"], 7, '"m.c"', macros.get)
    """
    text = "\n".join(lines)
    if len(text) > _MOST_CHARACTERS:
        return None
    writer = _Writer(first_line, named, definition, _Allowance())
    try:
        writer.read(text)
    except NotPlainError:
        return None
    return writer.text()


class _Allowance:
    """How much may still be put in for macros, which is counted over all of them, and how deep they are nested."""

    def __init__(self) -> None:
        self.characters = _MOST_CHARACTERS
        self.depth = 0


class _Writer:
    """What comes out, so far. `within` are the macros that this is the value of, `arguments` those of the last."""

    def __init__(
        self,
        line: int,
        named: str,
        definition: Definition,
        allowance: _Allowance,
        within: frozenset[str] = frozenset(),
        arguments: Mapping[str, str] | None = None,
    ) -> None:
        self._line = line
        self._named = named
        self._definition = definition
        self._allowance = allowance
        self._within = within
        self._arguments = arguments or {}
        self._done: list[str] = []
        self._written = ""
        """Of the line at hand."""
        self._is_blank_before = False
        self._after_macro = False
        self._after_system = False
        self._blank_lines = 0
        self._ended_comment = False
        self._pragma_column = -1
        self._is_expanding = True

    def text(self) -> str | None:
        """All lines; None if one at an end is blank."""
        return "\n".join(self._done) if self._done and self._done[0] and not self._blank_lines else None

    def read(self, text: str) -> None:
        tokens: list[re.Match[str]] = []
        for token in _TOKEN.finditer(text):
            if token.lastgroup == "other" and not _is_known(token):
                raise NotPlainError
            tokens.append(token)
        if sum(token.end() - token.start() for token in tokens) != len(text):
            raise NotPlainError
        start = at = 0
        """Of the line, and of the token."""
        while at < len(tokens):
            token = tokens[at]
            at += 1
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
            elif kind == "name" and self._is_expanding:
                at = self._name(tokens, at, token.start() - start)
            else:
                self._token(token.group(), token.start() - start, is_macro=False)
        self._end_line()

    def _comment(self, comment: str) -> None:
        if comment.endswith("\\") or (self._written and "\n" in comment):
            raise NotPlainError
        for _ in range(comment.count("\n")):
            self._end_line()
            self._ended_comment = True
        self._is_blank_before = True

    def _pragma(self, token: re.Match[str], start: int) -> None:
        family = token["family"]
        if self._written or self._ended_comment:
            raise NotPlainError
        if family in _PRAGMAS_OF_THE_COMPILER:
            self._pragma_column = token.start("family") - start
        elif family in _PRAGMAS_PASSED_ON:
            self._is_expanding = False
        else:
            raise NotPlainError
        self._written = f"#pragma {family}"

    def _name(self, tokens: list[re.Match[str]], behind: int, column: int) -> int:
        """Write a name, or what it stands for; where the rest of the tokens begins."""
        name = tokens[behind - 1].group()
        macro = None if name in self._arguments else self._definition(name)
        if macro is None:
            self._token(self._arguments.get(name, name), column, is_macro=name in self._arguments)
            return behind
        arguments: dict[str, str] = {}
        if macro.parameters is not None:
            given, behind = self._given(tokens, behind)
            if len(given) != len(macro.parameters):
                raise NotPlainError
            arguments = dict(zip(macro.parameters, given, strict=True))
        if macro.of_system:
            self._of_system(name, macro, column)
            return behind
        if name in self._within:
            raise NotPlainError
        value = self._value(macro.body, self._within | {name}, arguments)
        self._token(value, column, is_macro=True)
        return behind

    def _of_system(self, name: str, macro: Macro, column: int) -> None:
        is_within_a_line = self._written and self._written[-1] != "." and not self._after_system
        if not is_within_a_line or self._within or self._pragma_column >= 0 or macro.parameters is not None:
            raise NotPlainError
        value = name if macro.body == name else self._value(macro.body, frozenset({name}), {})
        self._written += " " * self._is_blank_before + f"\n# {self._line} {self._named}{macro.of_system}\n"
        self._written += " " * (column - 1) + value
        self._is_blank_before = False
        self._after_system = True

    def _given(self, tokens: list[re.Match[str]], at: int) -> tuple[list[str], int]:
        """The arguments of a macro, which end on the line that they begin on, and where they end."""
        text = tokens[0].string
        while at < len(tokens) and tokens[at].lastgroup == "blank":
            at += 1
        if at == len(tokens) or tokens[at].group() != "(":
            raise NotPlainError
        start, depth = tokens[at].end(), 0
        given: list[str] = []
        for end in range(at + 1, len(tokens)):
            token = tokens[end]
            if token.lastgroup in {"newline", "comment", "pragma"}:
                raise NotPlainError
            if depth == 0 and token.group() in {",", ")"}:
                given.append(self._value(text[start : token.start()], self._within, self._arguments))
                start = token.end()
                if token.group() == ")":
                    return given, end + 1
            depth += (token.group() == "(") - (token.group() == ")")
        raise NotPlainError

    def _value(self, text: str, within: frozenset[str], arguments: Mapping[str, str]) -> str:
        allowance = self._allowance
        allowance.characters -= len(text)
        if allowance.characters < 0 or allowance.depth == _MOST_DEPTH:
            raise NotPlainError
        allowance.depth += 1
        writer = _Writer(1, "", self._definition, allowance, within, arguments)
        writer.read(text)
        allowance.depth -= 1
        value = (writer.text() or "").lstrip(" ")
        allowance.characters -= len(value)
        if not value or "\n" in value:
            raise NotPlainError
        return value

    def _token(self, text: str, column: int, *, is_macro: bool) -> None:
        if self._ended_comment or (self._after_system and is_macro):
            raise NotPlainError
        if not self._written:
            self._written = " " * column
        elif self._after_system:
            self._written += " " * self._is_blank_before + f"\n# {self._line} {self._named}\n" + " " * (column - 1)
        elif self._is_blank_before or self._needs_blank(text, is_macro=is_macro):
            self._written += " "
        self._written += text
        self._is_blank_before = self._after_system = False
        self._after_macro = is_macro

    def _needs_blank(self, text: str, *, is_macro: bool) -> bool:
        """Whether what a macro stands for and what is beside it would become one token without a blank."""
        last, first = self._written[-1], text[0]
        if self._after_macro and first in "+-." and _ENDS_IN_NUMBER.search(self._written):
            return True
        if not (is_macro or self._after_macro) or last in _BRACKETS or first in _BRACKETS:
            return False
        is_word_beside_operator = (last.isalnum() or last == "_") != (first.isalnum() or first == "_")
        if is_word_beside_operator and not {last, first} & _MAY_PASTE:
            return False
        raise NotPlainError

    def _end_line(self) -> None:
        if self._after_system:
            raise NotPlainError
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


def _is_known(token: re.Match[str]) -> bool:
    return token.group() in _OTHERS and not token.string.startswith(_NEVER_TOGETHER, token.start())
