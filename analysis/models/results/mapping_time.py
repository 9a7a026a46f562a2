"""A mapping of a nest that was tried, as it is listed: what it is called, and its time."""

from __future__ import annotations

from dataclasses import dataclass

SOURCE_ORDER = "source"
"""Name of the mapping that the source's loops spell out."""


@dataclass(frozen=True, slots=True)
class MappingTime:
    """`name` is what a user pins it by: "source", "points", "warp:j", "block256:b,t/j", "parts32:i", "steps:k".

    Of several kernels it begins with which one is in the mapping, the others in the source's order ("2:warp:j"), or has
    several of them ("1:warp:j+2:warp:j"). `time_s` is that of all launches of the nest with their overheads.
    """

    name: str
    time_s: float
    is_recommended: bool = False
