"""Answers that may follow from each other in circles, each found once.

Source: tabling with completion by strongly connected components, Chen, Warren, "Tabled Evaluation with Delaying for
General Logic Programs", JACM 1996, in its simplest form: whoever is asked for while it is being found answers with what
is known of it so far, and the one that began the circle is found again until nothing changes. What would be found too
deep below other answers is left open, and no answer that follows from that is kept: who asks next begins elsewhere.
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
    _lowest: int = _NONE_OPEN
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
            for what_is_open in (self._open, self._so_far, self._within):
                what_is_open.clear()
            self._lowest = _NONE_OPEN

    def _ask(self, question: Hashable, find: Callable[[], V], nothing: V, same: Callable[[V, V], bool]) -> V:
        self.note(question)
        if question in self._known:
            return cast("V", self._known[question])
        if question in self._open:
            self._lowest = min(self._lowest, self._open[question])
            return cast("V", self._so_far[question])
        if question in self._within:
            known, lowest = self._within[question]
            self._lowest = min(self._lowest, lowest)
            return cast("V", known)
        around, depth = self._lowest, len(self._open)
        if depth >= _MOST_OPEN:
            self._lowest = _LEFT_OPEN
            return nothing
        self._open[question] = depth
        self._so_far[question] = nothing
        first = len(self._within)
        for _ in range(_MOST_ROUNDS):
            self._lowest = _NONE_OPEN
            answer = find()
            lowest = self._lowest
            if lowest != depth or same(answer, self._so_far[question]):
                break
            self._so_far[question] = answer
            self._forget_from(first)
        del self._open[question], self._so_far[question]
        if lowest >= depth:
            for inner in list(self._within)[first:]:
                self._known[inner] = self._within[inner][0]
            self._forget_from(first)
            self._known[question] = answer
            self._lowest = around
        else:
            self._within[question] = answer, lowest
            self._lowest = min(around, lowest)
        return answer

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
        return FixedPoints(known, _askers=askers)

    def _forget_from(self, first: int) -> None:
        """Forget the answers within circles from the one at that position on."""
        for inner in list(self._within)[first:]:
            del self._within[inner]
