"""Which of the values that are known at a point may be said in terms of a name, found without going through all."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Generic, TypeVar

V = TypeVar("V")


class Noted(dict[str, V], Generic[V]):
    """Values by name, with the names that were set since their values were last looked at."""

    def __init__(self, values: Iterable[tuple[str, V]] = ()) -> None:
        super().__init__(values)
        self.fresh: list[str] = list(self)

    def __setitem__(self, name: str, value: V) -> None:
        super().__setitem__(name, value)
        self.fresh.append(name)

    def branched(self) -> Noted[V]:
        """Independent copy; what is fresh has to be looked at before."""
        other: Noted[V] = Noted()
        other.update(self)
        return other


class Mentions(Generic[V]):
    """Things by the names that they speak of. It only grows: branches share it, what it tells has to hold still."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[V, None]] = {}

    def add(self, thing: V, names: Iterable[str]) -> None:
        """Note what a thing speaks of."""
        for name in names:
            self._by_name.setdefault(name, {})[thing] = None

    def of(self, names: AbstractSet[str]) -> list[V]:
        """Things that may speak of one of the names, each once."""
        return list(dict.fromkeys(thing for name in names for thing in self._by_name.get(name, ())))

    def among(self, names: AbstractSet[str]) -> AbstractSet[str]:
        """Those of the names that something may speak of."""
        return self._by_name.keys() & names
