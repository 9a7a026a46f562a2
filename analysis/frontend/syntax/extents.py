"""Where statements, loop headers and accesses begin and end in a function's text, by its tokens' brackets."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import Protocol

from warplens.analysis.text.span import Span
from warplens.analysis.text.tokens import tokenise

_OPENING = {"(": ")", "[": "]", "{": "}"}
_CLOSING = frozenset(_OPENING.values())
_DIRECTIVE = re.compile(r"^[ \t]*#[^\n]*", re.MULTILINE)
_CONTROL = frozenset({"for", "while", "if", "switch"})


class Coordinate(Protocol):
    """What pycparser says of a node's place; lines count from 2, columns from 1."""

    line: int
    column: int | None


class Extents:
    """Token positions of one function; offsets are into its text."""

    def __init__(self, text: str, body: int) -> None:
        self.text = text
        self.tokens = tokenise(_DIRECTIVE.sub(lambda m: " " * len(m.group()), text))
        self._lines = [0, *(m.end() for m in re.finditer("\n", text))]
        self._match = self._brackets()
        self._segment_starts: list[int] = []
        self._segment_ends: list[int] = []
        self._whole: dict[int, int] = {}
        self._statements(bisect_left(self.tokens.starts, max(body, 0)))

    def offset(self, coordinate: Coordinate) -> int:
        """Offset of a node's first token as pycparser sees it."""
        line = min(max(coordinate.line - 2, 0), len(self._lines) - 1)
        return self._lines[line] + (coordinate.column or 1) - 1

    def header(self, keyword: int) -> Span:
        """`for (...)` from the keyword's offset to its closing bracket; of `do` the word alone."""
        index = self._index(keyword)
        if self._text(index) == "do":
            return self._span(index, index)
        return self._span(index, self._match.get(index + 1, index))

    def whole(self, keyword: int) -> Span:
        """A control statement with its body."""
        index = self._index(keyword)
        return self._span(index, self._whole.get(index, self._match.get(index + 1, index)))

    def statement(self, offset: int) -> Span:
        """The simple statement, or the part of a header, that holds the token at `offset`."""
        index = self._index(offset)
        segment = bisect_right(self._segment_starts, index) - 1
        if segment < 0 or self._segment_ends[segment] < index:
            return self._span(index, index)
        return self._span(self._segment_starts[segment], self._segment_ends[segment])

    def postfix(self, offset: int, operations: int) -> Span:
        """An operand at `offset` and the `[...]`, `.m` and `->m` after it, `operations` of them."""
        last = self._index(offset)
        while self._text(last) == "(" and last in self._match:  # a cast, its operand follows
            last = self._match[last]
            if self._text(last + 1) in {")", "[", ".", "->"}:
                break
            last += 1
        for _ in range(operations):
            after = self._text(last + 1)
            while after == ")":  # the operand stood in brackets
                last += 1
                after = self._text(last + 1)
            if after == "[":
                last = self._match.get(last + 1, last)
            elif after in {".", "->"}:
                last += 2
            else:
                break
        first = self._index(offset)
        return self._balanced(first, last)

    def call(self, offset: int) -> Span:
        """`f(...)` where the function's name is at `offset`."""
        first = self._index(offset)
        last = first
        while self._text(last + 1) in {")", "("} and last == first:
            last = self._match.get(last + 1, last + 1) if self._text(last + 1) == "(" else last + 1
        return self._balanced(first, last)

    def dereference(self, offset: int) -> Span:
        """`*p` or `*(...)` where the operand's first token is at `offset`."""
        first = self._index(offset)
        while self._text(first - 1) == "(":
            first -= 1
        last = self._match.get(first, first) if self._text(first) == "(" else first
        while self._text(first - 1) == "*" and first > 0:
            first -= 1
            break
        return self._balanced(first, last)

    def _balanced(self, first: int, last: int) -> Span:
        """Take in the opening brackets of closing ones inside."""
        for index in range(first, min(last + 1, len(self.tokens.texts))):
            if self.tokens.texts[index] in _CLOSING:
                first = min(first, self._match.get(index, index))
        return self._span(first, last)

    def _text(self, index: int) -> str:
        return self.tokens.texts[index] if 0 <= index < len(self.tokens.texts) else ""

    def _index(self, offset: int) -> int:
        return max(bisect_right(self.tokens.starts, offset) - 1, 0)

    def _span(self, first: int, last: int) -> Span:
        if not self.tokens.texts:
            return Span(0, 0)
        last = min(max(first, last), len(self.tokens.texts) - 1)
        return Span(self.tokens.starts[first], self.tokens.ends[last])

    def _brackets(self) -> dict[int, int]:
        match: dict[int, int] = {}
        stack: list[int] = []
        for index, token in enumerate(self.tokens.texts):
            if token in _OPENING:
                stack.append(index)
            elif token in _CLOSING and stack:
                opening = stack.pop()
                match[opening] = index
                match[index] = opening
        return match

    def _statements(self, index: int) -> None:
        """One pass over a body: segments (simple statements, headers) and the ends of control statements."""
        texts = self.tokens.texts
        pending: list[tuple[str, int]] = []
        begin = -1
        while index < len(texts):
            word = texts[index]
            if begin < 0 and word in _CONTROL and self._text(index + 1) == "(":
                closing = self._match.get(index + 1, index + 1)
                if word == "while" and pending and pending[-1][0] == "done do":
                    self._segment(index + 2, closing - 1)
                    _, opener = pending.pop()
                    index = closing + 1
                    self._whole[opener] = index
                    index = self._complete(pending, index) + 1
                    continue
                self._header(index + 2, closing - 1)
                pending.append((word, index))
                index = closing + 1
            elif begin < 0 and word == "{":
                pending.append(("{", index))
                index += 1
            elif begin < 0 and word == "}":
                while pending and pending[-1][0] != "{":
                    pending.pop()
                if pending:
                    pending.pop()
                index = self._complete(pending, index) + 1
            elif begin < 0 and word == "do":
                pending.append(("do", index))
                index += 1
            elif begin < 0 and (word == "else" or (self._text(index + 1) == ":" and word[0].isidentifier())):
                index += 1 if word == "else" else 2
            elif begin < 0 and word == "case":
                while index < len(texts) and texts[index] != ":":
                    index += 1
                index += 1
            elif word == ";":
                if begin >= 0:
                    self._segment(begin, index)
                begin = -1
                index = self._complete(pending, index) + 1
            else:
                begin = index if begin < 0 else begin
                index = self._match.get(index, index) + 1 if word in _OPENING else index + 1

    def _complete(self, pending: list[tuple[str, int]], end: int) -> int:
        """A statement ended at token `end`: so do the control statements whose body it was."""
        while pending and pending[-1][0] != "{":
            kind, opener = pending[-1]
            if kind == "do":
                pending[-1] = ("done do", opener)
                return end
            self._whole[opener] = end
            if kind == "if" and self._text(end + 1) == "else":
                pending[-1] = ("else", opener)
                return end
            if kind == "done do":
                return end
            pending.pop()
        return end

    def _header(self, first: int, last: int) -> None:
        """Parts of a header between its semicolons."""
        begin = first
        index = first
        while index <= last:
            if self.tokens.texts[index] == ";":
                self._segment(begin, index - 1)
                begin = index + 1
            index = max(self._match.get(index, index), index) + 1
        self._segment(begin, last)

    def _segment(self, first: int, last: int) -> None:
        if first <= last:
            self._segment_starts.append(first)
            self._segment_ends.append(last)
