"""Content-addressed memory of finished results, bounded, owned by the caller."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import TypeVar, cast

T = TypeVar("T")


class Memo:
    """Least recently used results by key. The key is the content: equal inputs, equal key.

    The one mutable object of the analysis; it changes how long an answer takes, never which answer it is.
    """

    def __init__(self, capacity: int = 60_000) -> None:
        self._capacity = capacity
        self._results: OrderedDict[Hashable, object] = OrderedDict()
        self.computed: dict[str, int] = {}
        """Results computed, not found, by kind of work: what an incremental test counts."""
        self.on_miss: Callable[[], None] | None = None
        """Called before anything is computed."""

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
