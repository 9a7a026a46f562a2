"""A mapping of a nest that was tried, as it is listed: what it is called, and its time."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

SOURCE_ORDER = "source"
"""Name of the mapping that the source's loops spell out."""


_LONGEST = 60


@dataclass(frozen=True, slots=True)
class MappingPin:
    """A mapping that a comment names, whatever is recommended.

    `is_in_force`: the nest has one of that name on its GPU, and is evaluated in it. `recommended` are the names of what
    it would be evaluated in else, one for each kernel that gains, none where it was not looked for; `recommended_s` is
    the nest's time in that with its data on the GPU.
    """

    name: str
    is_in_force: bool
    recommended: tuple[str, ...] = ()
    recommended_s: float = 0.0


@dataclass(frozen=True, slots=True)
class MappingTime:
    """`name` is what a user pins it by: "source", "points", "warp:j", "block256:b,t/j", "parts32:i".

    `time_s` is that of all its launches with their overheads, of the kernel that it is about alone. `is_recommended`
    where the nest's mapping is made of it: the simplest of those that are about as fast.
    """

    name: str
    time_s: float
    is_recommended: bool = False


def no_such_mapping(name: str, tried: Iterable[MappingTime]) -> str:
    """What is said of a name that no mapping of a nest has.

    >>> no_such_mapping("warp:k", (MappingTime("warp:j", 3e-6), MappingTime("block64:j", 4e-6)))
    'there is no mapping `warp:k` here: there are `source`, `warp:j`, `block64:j`'
    """
    known = [f"`{one}`" for one in (SOURCE_ORDER, *(each.name for each in tried))]
    shown = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    return f"there is no mapping `{shown}` here: there {'are' if known[1:] else 'is'} {', '.join(known)}"
