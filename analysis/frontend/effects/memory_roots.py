"""What a function's own statements do to memory, by what that belongs to."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

Root = int | str
"""A parameter's number, or what else memory belongs to: a file-level name, `LOCAL`, `HELD` or `ELSEWHERE`."""

Memory = tuple[Root, bool]
"""Memory of a root, and whether a pointer in memory led there."""

LOCAL = "(local)"
HELD = "(held)"
"""What pointers in the function's own memory lead to."""
ELSEWHERE = "(elsewhere)"


@dataclass(frozen=True, slots=True)
class HandedOn:
    """A call by name; for each argument the objects that it may point into.

    `printed` are the arguments whose memory it prints if it is the C library's, None if it may do more than print.
    """

    callee: str
    arguments: tuple[frozenset[Root], ...]
    printed: tuple[int, ...] | None = None


@dataclass(frozen=True, slots=True)
class OwnEffects:
    """Effects of a function's own statements; `doubts` are its calls and what was not understood, in their order.

    `held` is what the function itself stored in pointers that are in its own memory, other than in a variable.
    `moved` are the parameters of which the function itself may reach more than the first element. `ends` says that it
    is declared to never return, `last_calls` are calls that every execution comes to: if one of those does not return,
    neither does it. `by_value` are parameters that hold a structure, or whose type is not known.
    """

    written: frozenset[Memory]
    read: frozenset[Memory]
    kept: frozenset[Root]
    doubts: tuple[HandedOn | str, ...]
    held: frozenset[Root] = frozenset()
    moved: frozenset[int] = frozenset()
    ends: bool = False
    last_calls: frozenset[str] = frozenset()
    by_value: frozenset[int] = frozenset()

    @property
    def called(self) -> frozenset[str]:
        """Names of the functions that are called."""
        return frozenset(one.callee for one in self.doubts if isinstance(one, HandedOn))


ENDS = OwnEffects(frozenset(), frozenset(), frozenset(), (), ends=True)
"""All that is seen of a function whose declaration says that it never returns."""


def not_followed(reason: str, names: Iterable[str]) -> OwnEffects:
    """What stands for a function that nobody looks into: it may touch all names of the file that it reaches."""
    places = frozenset((name, False) for name in names)
    return OwnEffects(places, places, frozenset(), (reason,))
