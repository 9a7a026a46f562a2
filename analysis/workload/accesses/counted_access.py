"""An access as the threads of a kernel see it: each iterator written as its loop's start plus the distance from it.

Threads in step are in the same iteration of a loop, not at the same value of its iterator: with `for (j = i; ...)` the
neighbour in i is one element further in `a[j]`, and with `for (k = row[i]; ...)` it is where data says. So it is in
`a[row[i] + j]`: what data decides is a symbol of its own there, which moves along i and stands still along j.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from warplens.analysis.facts.nest_facts import DataStep
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.too_complex import TooLargeError
from warplens.analysis.workload.accesses.known_part import ChangedValues, KnownPart, known_part
from warplens.analysis.workload.accesses.stride import stride_bytes, subscript_names


@dataclass(frozen=True, slots=True)
class CountedAccess:
    """`access` over counters and the byte stride of each loop (None where not constant or not known).

    In a kernel an iterator's name stands for the distance from its loop's start; that of a grid loop keeps the part of
    the start that is the same for all threads. `unknown` are symbols for what data adds to a subscript, each with the
    loops that change it. Where it grows evenly along a grid loop, `steps` are symbols for by how much.
    """

    access: Access
    stride_bytes: tuple[tuple[NodeId, Polynomial | None], ...]
    unknown: tuple[tuple[str, frozenset[NodeId]], ...] = ()
    steps: tuple[DataStep, ...] = ()


def counted_access(
    access: Access,
    loops: Sequence[Loop],
    grid: Collection[NodeId],
    constants: Collection[str],
    changed: ChangedValues,
) -> CountedAccess:
    """Rewrite an access over the counters of the loops around it; `constants` are the parameters' names.

    A start is split as a subscript is; one that is no expression is assumed to depend on all loops around it. Without
    grid loops, as one core runs them, iterators stand for themselves.

    >>> from warplens.analysis.ir.expression import ScalarRef
    >>> from warplens.analysis.ir.types import FLOAT, INT
    >>> i, j, n = Polynomial.symbol("i"), Polynomial.symbol("j"), Polynomial.symbol("n")
    >>> rows = Loop(NodeId(0), "i", INT, Polynomial(()), (n,), 1, ())
    >>> triangle = Loop(NodeId(1), "j", INT, i, (n,), 1, ())
    >>> a = Access(NodeId(2), "a", FLOAT, (ScalarRef("j", INT),), (j,), (None,), 4)
    >>> counted = counted_access(a, (rows, triangle), {NodeId(0)}, {"n"}, ChangedValues({}, {}, False))
    >>> str(counted.access.indices[0]), [str(stride) for _, stride in counted.stride_bytes]
    ('i + j', ['4', '4'])
    """
    starts = _Starts({}, {}, {})
    for loop in loops:
        if grid:
            starts.enter(loop, is_grid=loop.id in grid, constants=constants, changed=changed)
        else:
            starts.leave(loop)
    in_grid = frozenset(loop.iterator for loop in loops if loop.id in grid)
    ids = {loop.iterator: loop.id for loop in loops}
    indices: list[Polynomial] = []
    unknown: list[tuple[str, frozenset[NodeId]]] = []
    steps: list[DataStep] = []
    moved_by = frozenset[str]()
    for dimension, (subscript, index) in enumerate(zip(access.subscripts, access.indices, strict=True)):
        split = known_part(subscript, ids, constants, changed, loops) if index is None else KnownPart(index, None)
        part = starts.counted(split, in_grid)
        indices.append(part.polynomial)
        moved_by |= starts.scattering(part.polynomial.symbols)
        if part.moved_by is not None:
            even = (part.moved_by - part.uneven) & in_grid
            for iterator in sorted(even):
                step = DataStep(f"'step({access.id}, {dimension}, {iterator})", dimension, ids[iterator])
                indices[-1] += Polynomial.symbol(step.symbol) * Polynomial.symbol(iterator)
                steps.append(step)
            name = f"'data({access.id}, {dimension})"
            indices[-1] += Polynomial.symbol(name)
            unknown.append((name, frozenset(ids[iterator] for iterator in part.moved_by - even)))
            moved_by |= part.moved_by - even
    counted = replace(access, indices=tuple(indices))
    named = subscript_names(access) & starts.values.keys()
    strides: list[tuple[NodeId, Polynomial | None]] = []
    for loop in loops:
        moved_with = {name for name in named if loop.iterator in starts.moves[name]}
        held = {*constants, *starts.values} - moved_with - {loop.iterator}
        strides.append((loop.id, None if loop.iterator in moved_by else stride_bytes(counted, loop, held)))
    return CountedAccess(counted, tuple(strides), tuple(unknown), tuple(steps))


@dataclass(frozen=True, slots=True)
class _Starts:
    """Iterators of the loops around, each with its value over counters (None for its counter itself).

    `moves[j]` are the outer iterators that j's value depends on, `scattered[j]` those on which it does so through data.
    """

    values: dict[str, Polynomial | None]
    moves: dict[str, frozenset[str]]
    scattered: dict[str, frozenset[str]]

    def enter(self, loop: Loop, *, is_grid: bool, constants: Collection[str], changed: ChangedValues) -> None:
        name = loop.iterator
        outer = frozenset(self.values)
        start = self._start(loop, outer, constants, changed)
        used = start.polynomial.symbols & outer
        by_data = start.moved_by or frozenset()
        known = start.polynomial
        moving = known.partition(outer)[0] if is_grid else known
        try:
            moved = moving.substitute(self._moved())
        except TooLargeError:  # as where data decides
            moved, by_data = Polynomial(()), by_data | used
        self.scattered[name] = self._with_movers(by_data) | self.scattering(used)
        self.moves[name] = self._with_movers(used | by_data)
        self.values[name] = Polynomial.symbol(name) + moved if moved.terms else None

    def leave(self, loop: Loop) -> None:
        """Let an iterator stand for itself."""
        self.values[loop.iterator], self.moves[loop.iterator] = None, frozenset()

    def counted(self, part: KnownPart, in_grid: frozenset[str]) -> KnownPart:
        """A subscript over counters; where data makes it start elsewhere for each thread, that is unknown too."""
        moved_by = None if part.moved_by is None else self._with_movers(part.moved_by)
        scattered = self.scattering(part.polynomial.symbols)
        if not scattered.isdisjoint(in_grid):
            moved_by = scattered if moved_by is None else moved_by | scattered
        bent = frozenset[str]().union(scattered, *(self.moves[name] for name in part.moved_by or ()))
        try:
            return KnownPart(part.polynomial.substitute(self._moved()), moved_by, part.uneven | bent)
        except TooLargeError:  # as where data decides
            movers = self._with_movers((part.polynomial.symbols & self.moves.keys()) | (moved_by or frozenset()))
            return KnownPart(Polynomial(()), movers, movers)

    def scattering(self, names: Collection[str]) -> frozenset[str]:
        """Outer iterators that lead any of these through data to where it starts."""
        return frozenset[str]().union(*(self.scattered.get(name, frozenset[str]()) for name in names))

    def _moved(self) -> dict[str, Polynomial]:
        return {name: value for name, value in self.values.items() if value is not None}

    def _with_movers(self, iterators: frozenset[str]) -> frozenset[str]:
        """These and the outer iterators that move where they start."""
        return iterators.union(*(self.moves[name] for name in iterators))

    @staticmethod
    def _start(loop: Loop, outer: frozenset[str], constants: Collection[str], changed: ChangedValues) -> KnownPart:
        if loop.start is not None:
            return KnownPart(loop.start, None)
        if loop.start_read is None:
            return KnownPart(Polynomial(()), outer)
        return known_part(loop.start_read, outer, constants, changed)
