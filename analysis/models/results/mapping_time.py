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

    `is_in_force`: the nest has one of that name on its GPU, and is evaluated in it. `recommended` is what it would be
    evaluated in else, empty where that was not looked for; `recommended_s` is the nest's time in that with its data on
    the GPU.
    """

    name: str
    is_in_force: bool
    recommended: str = ""
    recommended_s: float = 0.0


@dataclass(frozen=True, slots=True)
class MappingTime:
    """`name` is what a user pins it by: "source", "points", "warp:j", "block256:b,t/j", "parts32:i", "steps:k".

    Of several kernels it begins with which one is in the mapping, the others in the source's order ("2:warp:j"), or has
    several of them ("1:warp:j+2:warp:j"). `time_s` is that of all launches of the nest with their overheads.
    """

    name: str
    time_s: float
    is_recommended: bool = False


def no_such_mapping(name: str, tried: Iterable[MappingTime]) -> str:
    """What is said of a name that no mapping of a nest has.

    >>> no_such_mapping("warp:k", (MappingTime("warp:j", 3e-6), MappingTime("source", 9e-6)))
    'there is no mapping `warp:k` here: there are `warp:j`, `source`'
    """
    known = [f"`{each.name}`" for each in tried] or [f"`{SOURCE_ORDER}`"]
    shown = name if len(name) <= _LONGEST else f"{name[:_LONGEST]}..."
    return f"there is no mapping `{shown}` here: there {'are' if known[1:] else 'is'} {', '.join(known)}"
