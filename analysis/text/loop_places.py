"""Functions and loops of C text by their keywords and brackets: where counts by line can be looked for.

No parser: it also finds the loops that the front end does not understand. Not found: loops that a macro spells.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from warplens.analysis.text.span import Span
from warplens.analysis.text.statements import LOOPS, Statements
from warplens.analysis.text.tokens import tokenise, without_comments_and_directives

_NO_EXPRESSION = frozenset({"{", ";", "case", "default"})
_SPECIFIERS = frozenset({"__attribute__", "__attribute", "__declspec", "_Alignas", "alignas", "__typeof__", "typeof"})
_AGGREGATES = frozenset({"typedef", "struct", "union", "enum"})


@dataclass(frozen=True, slots=True)
class Always:
    """What runs once whenever its surroundings do: neither behind a branch nor after what may leave early.

    `plain` are statements that are no loops, of a branch its condition; `loops` are indices in the file's loops.
    """

    plain: tuple[Span, ...]
    loops: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoopPlace:
    """A loop. `header` is its keyword and condition, for `do` the closing `while (...)`; `keyword` is its offset.

    `parent` is the loop around it; `early_ends` are the offsets of the statements that may end it before its condition
    does. `conditions` are those that `&&` joins in its header, 0 where it holds other branches. `tests_last`: a `do`.
    """

    keyword: int
    header: Span
    whole: Span
    parent: int | None
    body: Always
    early_ends: tuple[int, ...]
    conditions: int
    tests_last: bool


@dataclass(frozen=True, slots=True)
class FunctionPlace:
    """A function's definition from its first token to its closing brace; `loops` are all those in it."""

    whole: Span
    body: Always
    loops: range


@dataclass(frozen=True, slots=True)
class FilePlaces:
    """What stands where; loops in source order, outer before inner."""

    functions: tuple[FunctionPlace, ...]
    loops: tuple[LoopPlace, ...]


def find_places(source: str) -> FilePlaces:
    """Functions and loops of a text; text that is no C gives fewer of them.

    >>> text = "void f(int n) { for (int i = 0; i < n && h(i); i++) { g(i); do n--; while (n); if (n) break; } }"
    >>> [(loop.conditions, loop.parent, loop.body.loops, loop.early_ends) for loop in find_places(text).loops]
    [(2, None, (1,), (86,)), (1, 0, (), ())]
    """
    return _Finder(source).places()


class _Finder:
    def __init__(self, source: str) -> None:
        self._tokens = tokenise(without_comments_and_directives(source))
        self._texts = self._tokens.texts
        self._statements = Statements(self._texts)
        self._functions = self._definitions()
        closing = self._statements.closing_whiles
        self._keywords = [
            at
            for _, body, end in self._functions
            for at in range(body, end)
            if self._texts[at] in LOOPS and at not in closing
        ]
        self._index = {at: number for number, at in enumerate(self._keywords)}

    def places(self) -> FilePlaces:
        functions = tuple(
            FunctionPlace(
                self._span(start, end),
                self._always(body + 1, end),
                range(bisect_left(self._keywords, body), bisect_left(self._keywords, end)),
            )
            for start, body, end in self._functions
        )
        loops: list[LoopPlace] = []
        around: list[tuple[int, int]] = []
        for number, at in enumerate(self._keywords):
            while around and around[-1][1] <= at:
                around.pop()
            loops.append(self._loop(at, around[-1][0] if around else None))
            around.append((number, self._statements.end(at)))
        return FilePlaces(functions, tuple(loops))

    def _loop(self, at: int, parent: int | None) -> LoopPlace:
        end, body = self._statements.end(at), self._statements.body(at)
        header = (at, body)
        if self._texts[at] == "do":
            body_end = self._statements.end(body)
            header = (body_end, max(end - 1, body_end))
        else:
            body_end = end
        if body < len(self._texts) and self._texts[body] == "{":
            body, body_end = body + 1, body_end - 1
        condition = self._texts[slice(*header)]
        branching = "||" in condition or "?" in condition
        return LoopPlace(
            keyword=self._tokens.starts[at],
            header=self._span(*header),
            whole=self._span(at, end),
            parent=parent,
            body=self._always(body, body_end),
            early_ends=tuple(self._tokens.starts[e] for e in self._statements.early_ends(at)),
            conditions=0 if branching else 1 + condition.count("&&"),
            tests_last=self._texts[at] == "do",
        )

    def _always(self, at: int, end: int) -> Always:
        plain: list[Span] = []
        loops: list[int] = []
        while at < min(end, len(self._texts)):
            after = max(self._statements.end(at), at + 1)
            if at in self._index:
                loops.append(self._index[at])
            elif self._texts[at] in {"if", "switch"}:
                plain.append(self._span(at, self._statements.body(at)))
            elif self._texts[at] not in _NO_EXPRESSION:
                plain.append(self._span(at, after))
            if self._statements.leaves(at, after):
                break
            at = after
        return Always(tuple(plain), tuple(loops))

    def _definitions(self) -> list[tuple[int, int, int]]:
        """First token, opening and closing brace of each function: a top-level `{` that a parameter list precedes."""
        found: list[tuple[int, int, int]] = []
        start = at = 0
        while at < len(self._texts):
            text = self._texts[at]
            if text == "{":
                end = self._statements.closing(at)
                head = self._texts[start:at]
                if ")" in head and "=" not in head and (head[-1] in {")", ";"} or head[0] not in _AGGREGATES):
                    found.append((start, at, end))
                    start = end + 1
                at = end
            elif text == "(":
                at = self._statements.closing(at)
            elif text == ";" and not self._is_old_style(start, at):
                start = at + 1
            at += 1
        return found

    def _is_old_style(self, start: int, semicolon: int) -> bool:
        """Whether this ends a parameter's declaration in a definition of the old style: `int f(n) int n; {`."""
        if self._texts[start] == "typedef":
            return False
        opening = start
        while opening < semicolon and (self._texts[opening] != "(" or self._texts[opening - 1] in _SPECIFIERS):
            opening = self._statements.closing(opening) + 1 if self._texts[opening] == "(" else opening + 1
        after = self._texts[min(self._statements.closing(opening) + 1, semicolon)]
        return after.isidentifier() and not after.startswith("_") and after != "asm"

    def _span(self, first: int, end: int) -> Span:
        """From the first token to the end of the one before `end`."""
        last = min(max(end - 1, first), len(self._texts) - 1)
        first = min(first, last)
        return Span(self._tokens.starts[first], self._tokens.ends[last])
