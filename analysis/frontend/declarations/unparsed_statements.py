"""Statements that do not parse are cut out of a function one by one, so that its other loops are still analysed."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from warplens.analysis.frontend.declarations.gnu import LITERAL, matching_parenthesis, padded
from warplens.analysis.text.span import Span

UNREADABLE = "$"
"""The name of the call that stands for a statement that was cut out."""
_STRUCTURE = re.compile(LITERAL + r"|^[ \t]*#[^\n]*|[()\[\]{};]|[^\W\d]\w*|[^\s\w]", re.MULTILINE)
_STARTS = frozenset({"for", "while", "do", "if", "switch", "return", "break", "continue"})
_NESTED_FUNCTION = re.compile(
    r"\s*(?!(?:else|return|do|case|goto)\b)(?:[^\W\d]\w*\s+|\*\s*)+\**(?!(?:for|while|if|switch)\b)([^\W\d]\w*)\s*"
    r"\([^{};]*\)\s*\{"
)
_UNKNOWN_LOOP = re.compile(r"\s*([^\W\d]\w*)\s*\([^{}]*\)\s*\{")
_HEADER = re.compile(r"\s*(?:for|while|if)\s*\(")
_MOST_SEMICOLONS_IN_BRACKETS = 2
_PARSED_TIMES_LENGTH = 4
"""How often the text may be parsed again, in total, while looking for what is broken in it."""
_ALWAYS_PARSED_CHARACTERS = 20_000


@dataclass(frozen=True, slots=True)
class Left:
    """A piece that was cut out, and why."""

    reason: str
    span: Span


@dataclass(frozen=True, slots=True)
class Recovered:
    """The text with each broken statement replaced by a call of `UNREADABLE`; missing brackets are added at its end."""

    text: str
    left: tuple[Left, ...]
    refused: str = ""


def recover(text: str, body: int, error_in: Callable[[str], str]) -> Recovered:
    """Cut out what is broken; `error_in` says what is wrong with a function's text, empty when it parses.

    `refused` is set when the function as a whole is beyond this: a nested function that may write anything of it.
    """
    return _Recovery(text, error_in).run(body)


class _Recovery:
    def __init__(self, text: str, error_in: Callable[[str], str]) -> None:
        self._text = text
        self._error_in = error_in
        self._left: list[Left] = []
        self._budget = max(_PARSED_TIMES_LENGTH * len(text), _ALWAYS_PARSED_CHARACTERS)
        self._refused = ""

    def run(self, body: int) -> Recovered:
        missing = self._missing_braces(body)
        if missing:
            self._text += "}" * missing
            self._left.append(Left(f"the function has no end: {missing} `}}` missing", Span(body, body + 1)))
        self._block(body, len(self._text) - 1)
        self._left.sort(key=lambda piece: piece.span)
        return Recovered(self._text, tuple(self._left), self._refused)

    def _missing_braces(self, body: int) -> int:
        depth = 0
        for match in _STRUCTURE.finditer(self._text, body):
            depth += {"{": 1, "}": -1}.get(match.group(), 0)
        return max(depth, 0)

    def _error(self, start: int, end: int) -> str:
        self._budget -= end - start
        return self._error_in(f"void f(){{{self._text[start:end]}\n}}")

    def _block(self, opening: int, closing: int) -> None:
        """Repair the statements between two braces."""
        for start, end, blocks in _statements(self._text, opening + 1, closing):
            error = self._error(start, end)
            if not error or self._refused:
                continue
            nested = _NESTED_FUNCTION.match(self._text, start, end)
            if nested:
                self._refused = f"nested function `{nested.group(1)}`"
                return
            if self._budget > 0 and blocks and not self._is_unknown_loop(start, end):
                for block in blocks:
                    self._block(*block)
                error = self._error(start, end)
            if error:
                self._cut(self._after_sound_headers(start, end), end, error)

    def _after_sound_headers(self, start: int, end: int) -> int:
        """Where the broken body of `for (...) if (...) body` begins: headers that parse are kept."""
        while self._budget > 0 and (header := _HEADER.match(self._text, start, end)):
            after = matching_parenthesis(self._text[:end], header.end() - 1)
            if after >= end or self._error_in(f"void f(){{{self._text[start:after]};}}"):
                break
            start = after
        return start

    def _is_unknown_loop(self, start: int, end: int) -> bool:
        match = _UNKNOWN_LOOP.match(self._text, start, end)
        return match is not None and match.group(1) not in _STARTS

    def _cut(self, start: int, end: int, error: str) -> None:
        """Replace a statement; of two that run into each other for want of a `;`, only the first where that helps."""
        for at in _keywords(self._text, start, end):
            if self._budget > 0 and not self._error(at, end):
                end = at
                break
        piece = self._text[start:end]
        blank = len(piece) - len(piece.lstrip())
        start += blank
        piece = piece[blank:]
        if self._is_unknown_loop(start, end):
            error = f"`{piece.split('(')[0].strip()[:40]}` is not known: a macro of a missing header?"
        replacement = f"{UNREADABLE}();" if len(piece) > len(UNREADABLE) + 2 else ";"
        self._text = self._text[:start] + padded(replacement, piece) + self._text[end:]
        if piece:
            self._left.append(Left(error, Span(start, start + len(piece.rstrip()))))


_Statement = tuple[int, int, list[tuple[int, int]]]
"""Start, end, and the blocks directly in it as offsets of their braces."""


def _statements(text: str, start: int, end: int) -> list[_Statement]:
    """Statements of a block by brackets and semicolons alone; an `else` and the `while` of a `do` belong to theirs."""
    found: list[_Statement] = []
    blocks: list[tuple[int, int]] = []
    brackets = braces = semicolons = 0
    first, opening, is_do, before = start, -1, False, ""
    for match in _STRUCTURE.finditer(text, start, end):
        word, at = match.group(), match.start()
        if braces == 0 and brackets == 0 and before == "}" and not _continues(word, is_do, found_block=bool(blocks)):
            found.append((first, at, blocks))
            first, blocks, is_do = at, [], False
        if braces == 0 and brackets == 0 and word == "do":
            is_do = True
        if word == "{":
            if braces == 0:
                opening = at
            braces += 1
        elif word == "}":
            braces = max(braces - 1, 0)
            if braces == 0 and opening >= 0:
                blocks.append((opening, at))
                brackets = 0 if before in {";", "}", "{"} and semicolons else brackets
        elif braces == 0 and word in "([":
            brackets += 1
        elif braces == 0 and word in ")]":
            brackets = max(brackets - 1, 0)
            semicolons = 0 if brackets == 0 else semicolons
        elif braces == 0 and word == ";":
            semicolons += 1
            if brackets == 0 or semicolons > _MOST_SEMICOLONS_IN_BRACKETS:
                found.append((first, match.end(), blocks))
                first, blocks, is_do, brackets, semicolons = match.end(), [], False, 0, 0
                word = ""
        before = word
    if text[first:end].strip():
        found.append((first, end, blocks))
    return found


def _continues(word: str, is_do: bool, *, found_block: bool) -> bool:
    """Whether the statement goes on after a `}` of it."""
    return word in {"else", ",", ";", ")", ".", "["} or (is_do and word == "while") or not found_block


def _keywords(text: str, start: int, end: int) -> list[int]:
    """Where, after its first word, a statement has a word that starts one, outside of brackets."""
    found: list[int] = []
    depth = 0
    is_first = True
    for match in _STRUCTURE.finditer(text, start, end):
        word = match.group()
        depth = max(depth + (word in {"(", "[", "{"}) - (word in {")", "]", "}"}), 0)
        if word in _STARTS and depth == 0 and not is_first:
            found.append(match.start())
        is_first = False
    return found
