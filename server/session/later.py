"""What is worked out behind the diagnostics about parts of an answer, until the answer has them no more."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Later(Generic[Key, Value]):
    """Values by what they are made from; each is asked for once."""

    def __init__(self) -> None:
        self._values: dict[Key, Value] = {}
        self._asked: set[Key] = set()

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def get(self, key: Key) -> Value | None:
        """The value, None until it is there."""
        return self._values.get(key)

    def ask(self, key: Key) -> bool:
        """Whether the caller has to work it out: it is not there, and nobody is at it."""
        if key in self._values or key in self._asked:
            return False
        self._asked.add(key)
        return True

    def give(self, key: Key, value: Value) -> None:
        """Take the value."""
        self._values[key] = value

    def give_up(self, key: Key) -> None:
        """Say that nobody is at it any more, whether there is a value or not."""
        self._asked.discard(key)

    def keep_only(self, keys: Iterable[Key]) -> None:
        """Forget the values of other keys."""
        self._values = {each: self._values[each] for each in keys if each in self._values}
