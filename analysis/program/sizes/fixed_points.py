"""Answers that may follow from each other in circles, each found once.

Source: tabling with completion by strongly connected components, Chen, Warren, "Tabled Evaluation with Delaying for
General Logic Programs", JACM 1996, in its simplest form: whoever is asked for while it is being found answers with what
is known of it so far, and the one that began the circle is found again until nothing changes. Which answer that is may
hang on who began, so it is kept only of the question that did; of large circles all are, for they take long. What would
be found too deep below other answers is left open, and no answer that follows from that is kept.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

V = TypeVar("V")
_MOST_ROUNDS = 6
_NONE_OPEN = 1 << 60
_MOST_OPEN = 150
"""Answers that wait for each other: each takes some dozen calls of Python, and their number is limited."""
_MOST_ASKED, _MOST_ASKED_AFTER = 30_000, 1_000
"""Answers that are asked for below one question from outside, and below those after one that took more.

Functions that call each other, or themselves, in many ways ask for more than anybody waits for.
"""
_LARGEST_CIRCLE = 60
"""Answers of a circle up to which each is found as if it had begun it."""
_LEFT_OPEN = -1
"""In the place of the lowest depth, where something was not found at all."""


@dataclass(slots=True)
class FixedPoints:
    """Answers by what was asked."""

    _known: dict[Hashable, Any] = field(default_factory=dict)
    _open: dict[Hashable, int] = field(default_factory=dict)
    """What is being found, with its depth."""
    _so_far: dict[Hashable, Any] = field(default_factory=dict)
    _within: dict[Hashable, tuple[Any, int]] = field(default_factory=dict)
    """Answers that hold as long as those that they follow from and that are open do: with the lowest depth of these."""
    _circles: dict[Hashable, object] = field(default_factory=dict)
    """By question the circle that it was met in: a mark that all of that have."""
    _begun: dict[object, int] = field(default_factory=dict)
    """How many questions of a circle are open."""
    _lowest: int = _NONE_OPEN
    _asked: int = 0
    is_cut: bool = False
    """Whether a question took more than is asked for."""
    _askers: dict[Hashable, set[Hashable]] = field(default_factory=dict)
    """By what was asked, or is a fact, the questions whose answers follow from it."""

    def __len__(self) -> int:
        """Answers that are kept."""
        return len(self._known)

    def ask(
        self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool] = operator.eq
    ) -> V:
        """The answer that `find` gives; what is known so far of one that is being found, `nothing` at first."""
        if self._open:
            return self._ask(question, find, nothing, same)
        try:
            return self._ask(question, find, nothing, same)
        finally:
            for what_is_open in (self._open, self._so_far, self._within, self._begun):
                what_is_open.clear()
            self._lowest, self._asked = _NONE_OPEN, 0

    def _ask(self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool]) -> V:
        self.note(question)
        circle = self._circles.get(question)
        if question in self._known and not self._begun.get(circle):
            return cast("V", self._known[question])
        if question in self._open:
            self._lowest = min(self._lowest, self._open[question])
            return cast("V", self._so_far[question])
        if question in self._within:
            known, lowest = self._within[question]
            self._lowest = min(self._lowest, lowest)
            return cast("V", known)
        around, depth = self._lowest, len(self._open)
        self._asked += 1
        if self._asked > (_MOST_ASKED_AFTER if self.is_cut else _MOST_ASKED):
            self.is_cut = True
            self._lowest = _LEFT_OPEN
            return nothing
        if depth >= _MOST_OPEN:
            self._lowest = _LEFT_OPEN
            return nothing
        self._open[question] = depth
        self._so_far[question] = nothing
        self._begun[circle] = self._begun.get(circle, 0) + (circle is not None)
        first = len(self._within)
        for left in reversed(range(_MOST_ROUNDS)):
            self._lowest = _NONE_OPEN
            answer = find()
            lowest = self._lowest
            if not left or lowest != depth or same(answer, self._so_far[question]):
                break
            self._so_far[question] = answer
            self._forget_from(first)
        del self._open[question], self._so_far[question]
        self._begun[circle] -= circle is not None
        if lowest >= depth:
            self._settle(question, list(self._within)[first:])
            self._forget_from(first)
            self._known[question] = answer
            self._lowest = around
        else:
            self._within[question] = answer, lowest
            self._lowest = min(around, lowest)
        return answer

    def _settle(self, question: Hashable, within: list[Hashable]) -> None:
        """A question is answered that began a circle, in which the answers to others hang on its own."""
        if len(within) > _LARGEST_CIRCLE:
            self._known.update((inner, self._within[inner][0]) for inner in within)
        elif within:
            mark = self._circles.get(question) or object()
            for one in (question, *within):
                self._circles.setdefault(one, mark)

    def note(self, fact: Hashable) -> None:
        """What is being found follows from a fact, or from the answer to another question."""
        if self._open:
            self._askers.setdefault(fact, set()).add(next(reversed(self._open)))

    def without(self, facts: Iterable[Hashable]) -> FixedPoints:
        """The answers that follow from none of these facts."""
        gone: set[Hashable] = set()
        waiting = list(facts)
        while waiting:
            for asker in self._askers.get(waiting.pop(), ()):
                if asker not in gone:
                    gone.add(asker)
                    waiting.append(asker)
        known = {question: answer for question, answer in self._known.items() if question not in gone}
        askers = {fact: kept for fact, asking in self._askers.items() if (kept := asking - gone)}
        circles = {question: mark for question, mark in self._circles.items() if question not in gone}
        return FixedPoints(known, _askers=askers, _circles=circles)

    def _forget_from(self, first: int) -> None:
        """Forget the answers within circles from the one at that position on."""
        for inner in list(self._within)[first:]:
            del self._within[inner]
