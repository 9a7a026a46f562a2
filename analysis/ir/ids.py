"""Names of nodes and nests that survive edits elsewhere in the file."""

from dataclasses import dataclass
from typing import NewType

NodeId = NewType("NodeId", int)
"""Ordinal of a loop, statement or access in its nest, in source order from 0 (the root loop)."""


@dataclass(frozen=True, slots=True, order=True)
class LoopId:
    """An outermost loop nest: the `ordinal`-th of its function, from 0 (it lives beside the nest, not in it)."""

    function: str
    ordinal: int
