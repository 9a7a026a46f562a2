"""Content-addressed memory of finished results, bounded, owned by the caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import TypeVar, cast

T = TypeVar("T")
_LOOKS = 5
"""How often within the runs that are remembered it is looked for what is older."""
_RESTING = 20
"""Runs that are remembered of a file once another one is analysed: in it nobody goes back to what he has just typed."""


class Memo:
    """Results by key, those that were asked for last. The key is the content: equal inputs, equal key.

    What a file's last `runs` did not ask for is forgotten, of files that rest what fewer did not: a day of typing
    leaves a version of a loop with every key. The one mutable object of the analysis; it changes how long an answer
    takes, never which answer it is.
    """

    def __init__(self, capacity: int = 400_000, runs: int = 500) -> None:
        self._capacity = capacity
        self._runs = runs
        self._runs_of: dict[str, int] = {}
        self._source = ""
        self._run = 0
        self._results: OrderedDict[Hashable, _Result] = OrderedDict()
        """The one that was asked for last stands last."""
        self.computed: dict[str, int] = {}
        """Results computed, not found, by kind of work: what an incremental test counts."""
        self.on_miss: Callable[[], None] | None = None
        """Called before anything is computed."""

    def begin_run(self, source: str) -> None:
        """An analysis of a file begins."""
        if source != self._source:
            self._forget(self._source, self._run - min(self._runs, _RESTING))
        self._source, self._run = source, self._runs_of.get(source, 0) + 1
        self._runs_of[source] = self._run
        if self._run % max(1, self._runs // _LOOKS) == 0:
            self._forget(source, self._run - self._runs)

    def _forget(self, source: str, oldest: int) -> None:
        """Forget what no run of a file since its `oldest` asked for."""
        outdated = [key for key, each in self._results.items() if each.source == source and each.run < oldest]
        for key in outdated:
            del self._results[key]

    def get(self, kind: str, key: Hashable, compute: Callable[[], T]) -> T:
        """Result of `compute` for (kind, key), from memory if it is there; an exception is not remembered."""
        full_key = (kind, key)
        found = self._results.get(full_key)
        if found is not None:
            self._results.move_to_end(full_key)
            found.source, found.run = self._source, self._run
            return cast("T", found.value)
        if self.on_miss is not None:
            self.on_miss()
        result = compute()
        self.computed[kind] = self.computed.get(kind, 0) + 1
        self._results[full_key] = _Result(result, self._source, self._run)
        if len(self._results) > self._capacity:
            self._results.popitem(last=False)
        return result


@dataclass(slots=True)
class _Result:
    """`source` is the file whose run asked for it last, `run` the number of that run among those of the file."""

    value: object
    source: str
    run: int
