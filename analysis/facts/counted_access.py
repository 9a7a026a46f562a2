"""An access as the threads of a kernel see it: each iterator written as its loop's start plus the distance from it.

Threads in step are in the same iteration of a loop, not at the same value of its iterator: with `for (j = i; ...)` the
neighbour in i is one element further in `a[j]`, and with `for (k = row[i]; ...)` it is where data says.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.stride import stride_bytes, subscript_names
from warplens.analysis.ir.expression import Access, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class CountedAccess:
    """`access` over counters and the byte stride of each loop (None where not constant or not known).

    An iterator's name stands for the distance from its loop's start; that of a grid loop keeps the part of the start
    that is the same for all threads. Subscripts that start where data says, differently for each thread, are None.
    """

    access: Access
    stride_bytes: tuple[tuple[NodeId, Polynomial | None], ...]


def counted_access(
    access: Access, loops: Sequence[Loop], grid: Collection[NodeId], constants: Collection[str]
) -> CountedAccess:
    """Rewrite an access over the counters of the loops around it; `constants` are the parameters' names.

    A start that is not a polynomial is taken to depend on the loops that the header's loads name, on all of them where
    it names anything else.

    >>> from warplens.analysis.ir.types import FLOAT, INT
    >>> i, j, n = Polynomial.symbol("i"), Polynomial.symbol("j"), Polynomial.symbol("n")
    >>> rows = Loop(NodeId(0), "i", INT, Polynomial(()), (n,), 1, ())
    >>> triangle = Loop(NodeId(1), "j", INT, i, (n,), 1, ())
    >>> a = Access(NodeId(2), "a", FLOAT, (ScalarRef("j", INT),), (j,), (None,), 4)
    >>> counted = counted_access(a, (rows, triangle), {NodeId(0)}, {"n"})
    >>> str(counted.access.indices[0]), [str(stride) for _, stride in counted.stride_bytes]
    ('i + j', ['4', '4'])
    """
    starts = _Starts({}, {}, {})
    for loop in loops:
        starts.enter(loop, is_grid=loop.id in grid, constants=constants)
    named = subscript_names(access) & starts.values.keys()
    scattered = frozenset[str]().union(*(starts.scattered[name] for name in named))
    in_grid = {loop.iterator for loop in loops if loop.id in grid}
    indices = tuple(starts.index(index, in_grid) for index in access.indices)
    counted = replace(access, indices=indices)
    strides: list[tuple[NodeId, Polynomial | None]] = []
    for loop in loops:
        moved_with = {name for name in named if loop.iterator in starts.moves[name]}
        held = {*constants, *starts.values} - moved_with - {loop.iterator}
        if loop.iterator in scattered:
            strides.append((loop.id, None))
        elif None in indices and None not in access.indices:
            # Only the start is not known: along this loop, which does not move it, the distance is.
            strides.append((loop.id, stride_bytes(starts.rewritten(access), loop, held)))
        else:
            strides.append((loop.id, stride_bytes(counted, loop, held)))
    return CountedAccess(counted, tuple(strides))


@dataclass(frozen=True, slots=True)
class _Starts:
    """Iterators of the loops around, each with its value over counters (None for its counter itself).

    `moves[j]` are the outer iterators that j's value depends on, `scattered[j]` those on which it does so through data.
    """

    values: dict[str, Polynomial | None]
    moves: dict[str, frozenset[str]]
    scattered: dict[str, frozenset[str]]

    def enter(self, loop: Loop, *, is_grid: bool, constants: Collection[str]) -> None:
        name = loop.iterator
        outer = frozenset(self.values)
        start = loop.start
        if start is None:
            by_data = self._read(loop.bound_reads, outer, constants)
            self.moves[name] = self.scattered[name] = by_data
            self.values[name] = None
            return
        used = start.symbols & outer
        self.moves[name] = used.union(*(self.moves[other] for other in used))
        self.scattered[name] = frozenset[str]().union(*(self.scattered[other] for other in used))
        moving = start - start.without(outer) if is_grid else start
        self.values[name] = Polynomial.symbol(name) + moving.substitute(self._moved()) if moving.terms else None

    def index(self, index: Polynomial | None, in_grid: Collection[str]) -> Polynomial | None:
        """A subscript over counters; None when it starts where data says, differently for each thread."""
        if index is None:
            return None
        scattered = (self.scattered.get(name, frozenset[str]()) for name in index.symbols)
        return None if any(not by.isdisjoint(in_grid) for by in scattered) else index.substitute(self._moved())

    def rewritten(self, access: Access) -> Access:
        """The access over counters, as if every unknown start were 0."""
        return replace(access, indices=tuple(self.index(index, ()) for index in access.indices))

    def _moved(self) -> dict[str, Polynomial]:
        return {name: value for name, value in self.values.items() if value is not None}

    def _read(self, reads: Sequence[Expression], outer: frozenset[str], constants: Collection[str]) -> frozenset[str]:
        """Outer iterators that the header's expressions depend on; all of them where that can't be told."""
        names: set[str] = set()
        for read in reads:
            for node in walk(read):
                if isinstance(node, ScalarRef):
                    names.add(node.name)
                elif isinstance(node, Load):
                    names.update(
                        symbol for index in node.access.indices if index is not None for symbol in index.symbols
                    )
        if not names or not names <= {*constants, *outer}:
            return outer
        used = names & outer
        return frozenset(used).union(*(self.moves[name] for name in used))
