"""Content-addressed memory of finished results, bounded, owned by the caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

T = TypeVar("T")


class Memo:
    """Results by key, those that were asked for last. The key is the content: equal inputs, equal key.

    What none of the last `runs` asked for is forgotten: a day of typing leaves a version of a loop with every pause.
    The one mutable object of the analysis; it changes how long an answer takes, never which answer it is.
    """

    def __init__(self, capacity: int = 60_000, runs: int = 500) -> None:
        self._capacity = capacity
        self._runs = runs
        self._run = 0
        self._results: OrderedDict[Hashable, object] = OrderedDict()
        """The one that was asked for last stands last; a run stands where it began."""
        self.computed: dict[str, int] = {}
        """Results computed, not found, by kind of work: what an incremental test counts."""
        self.on_miss: Callable[[], None] | None = None
        """Called before anything is computed."""

    def begin_run(self) -> None:
        """An analysis begins."""
        self._run += 1
        self._results[_Run(self._run)] = None
        oldest = _Run(self._run - self._runs)
        if oldest in self._results:
            while self._results.popitem(last=False)[0] != oldest:
                pass

    def get(self, kind: str, key: Hashable, compute: Callable[[], T]) -> T:
        """Result of `compute` for (kind, key), from memory if it is there; an exception is not remembered."""
        full_key = (kind, key)
        if full_key in self._results:
            self._results.move_to_end(full_key)
            return cast("T", self._results[full_key])
        if self.on_miss is not None:
            self.on_miss()
        result = compute()
        self.computed[kind] = self.computed.get(kind, 0) + 1
        self._results[full_key] = result
        if len(self._results) > self._capacity:
            self._results.popitem(last=False)
        return result


@dataclass(frozen=True, slots=True)
class _Run:
    """The key of a run."""

    number: int
