"""Ids and names that a nest has not: for the loops and variables that a mapping adds."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import LoopNest, loops_of, walk_statements


class NewNames:
    """Gives each id and each name once."""

    def __init__(self, nest: LoopNest) -> None:
        taken = [int(one.id) for one in walk_statements((nest.root,))]
        taken += [int(access.id) for one in walk_statements((nest.root,)) for access in accesses_of(one)]
        self._ids: Iterator[int] = count(max(taken, default=0) + 1)
        self._taken = {*nest.parameters, *(array.name for array in nest.arrays)}
        self._taken |= {scalar.name for scalar in nest.scalars} | {loop.iterator for loop in loops_of(nest)}
        self._taken |= {symbol.name for symbol in nest.derived}

    def id(self) -> NodeId:
        """Return an id that no node of the nest has."""
        return NodeId(next(self._ids))

    def name(self, wanted: str) -> str:
        """Return the name, with a number behind it where the nest has it already."""
        found, number = wanted, 2
        while found in self._taken:
            found, number = f"{wanted}{number}", number + 1
        self._taken.add(found)
        return found
