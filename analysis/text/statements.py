"""Where the statements of C text end and what leaves them early, from brackets and keywords alone."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

LOOPS = frozenset({"for", "while", "do"})
_HEADED = frozenset({"for", "while", "switch", "if"})
_OPENING = {"(": ")", "[": "]", "{": "}"}
_NOWHERE = -1
"""Target of what leaves the function, or goes where we do not look."""


class Statements:
    """Statement structure of a token sequence; text that is no C gives some structure, never an error."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self._closing = matching_brackets(texts)
        self._ends: dict[int, int] = {}
        self.closing_whiles: set[int] = set()
        """The `while` tokens that end a `do`: no loops of their own."""
        for at in reversed(range(len(texts))):
            if texts[at] in _HEADED or texts[at] in {"do", "{"}:
                self.end(at)
        self._exits, self._targets = self._find_exits()

    def closing(self, at: int) -> int:
        """Token that closes the bracket at `at`; the last token when nothing does."""
        return self._closing.get(at, len(self._texts) - 1)

    def body(self, at: int) -> int:
        """First token of the body of the loop or branch whose keyword is at `at`."""
        return at + 1 if self._texts[at] == "do" else self.closing(at + 1) + 1

    def end(self, at: int) -> int:
        """Token after the statement that starts at `at`."""
        texts, count, start = self._texts, len(self._texts), at
        pending: list[str] = []
        while True:
            if at in self._ends and at != start:
                end = self._ends[at]
            elif at < count and texts[at] in _HEADED:
                if texts[at] == "if":
                    pending.append("if")
                at = self.closing(at + 1) + 1
                continue
            elif at < count and texts[at] == "do":
                pending.append("do")
                at += 1
                continue
            else:
                end = self._simple_end(at)
            while pending:
                opened = pending.pop()
                if opened == "do" and end < count and texts[end] == "while":
                    self.closing_whiles.add(end)
                    end = min(self.closing(end + 1) + 2, count)
                elif opened == "if" and end < count and texts[end] == "else":
                    at = end + 1
                    break
            else:
                self._ends[start] = end
                return end

    def leaves(self, first: int, end: int) -> bool:
        """Whether a statement may end otherwise than at its end: what follows it may run less often than it."""
        return any(target < first for target in self._targets[self._from(first) : self._from(end)])

    def early_ends(self, loop: int) -> tuple[int, ...]:
        """Tokens of the statements that end a loop before its condition does."""
        exits = range(self._from(loop), self._from(self.end(loop)))
        return tuple(
            self._exits[e] for e in exits if self._targets[e] <= loop and self._texts[self._exits[e]] != "continue"
        )

    def _from(self, at: int) -> int:
        return bisect_left(self._exits, at)

    def _simple_end(self, at: int) -> int:
        texts, count = self._texts, len(self._texts)
        if at < count and texts[at] == "{":
            return min(self.closing(at) + 1, count)
        while at < count and texts[at] not in {";", "}"}:
            at = self.closing(at) + 1 if texts[at] in _OPENING else at + 1
        return min(at + 1, count) if at < count and texts[at] == ";" else min(at, count)

    def _find_exits(self) -> tuple[list[int], list[int]]:
        exits: list[int] = []
        targets: list[int] = []
        around: list[int] = []
        for at, text in enumerate(self._texts):
            while around and self._ends[around[-1]] <= at:
                around.pop()
            if (text in LOOPS and at not in self.closing_whiles) or text == "switch":
                around.append(at)
            elif text in {"return", "goto"}:
                exits.append(at)
                targets.append(_NOWHERE)
            elif text in {"break", "continue"}:
                left = (a for a in reversed(around) if text == "break" or self._texts[a] != "switch")
                exits.append(at)
                targets.append(next(left, _NOWHERE))
        return exits, targets


def matching_brackets(texts: Sequence[str]) -> dict[int, int]:
    """Closing bracket by opening one; a closing bracket of another kind ends what was opened after its own."""
    found: dict[int, int] = {}
    opened: list[int] = []
    for at, text in enumerate(texts):
        if text in _OPENING:
            opened.append(at)
        elif text in {")", "]", "}"}:
            depth = len(opened)
            while depth and _OPENING[texts[opened[depth - 1]]] != text:
                depth -= 1
            if depth:
                found[opened[depth - 1]] = at
                del opened[depth - 1 :]
    return found
