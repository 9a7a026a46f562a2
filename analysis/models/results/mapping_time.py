"""A mapping of a nest that was tried, as it is listed: what it is called, and its time."""

from __future__ import annotations

from dataclasses import dataclass

SOURCE_ORDER = "source"
"""Name of the mapping that the source's loops spell out."""


@dataclass(frozen=True, slots=True)
class MappingTime:
    """`name` is what a user pins it by: "source", "points", "warp:j", "block256:b,t/j", "parts32:i".

    `time_s` is that of all its launches with their overheads, of the kernel that it is about alone. `is_recommended`
    where the nest's mapping is made of it: the simplest of those that are about as fast.
    """

    name: str
    time_s: float
    is_recommended: bool = False
