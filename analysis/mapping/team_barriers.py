"""Where the threads of a team wait for each other: between statements of which one writes what the other uses.

Each thread runs the statements of a row in order. Those of a spread loop it runs for its own iterations, what one
thread does for all is done by the first, all else by each of them. So two statements need a barrier between them where
they meet in an array, one of them writing, unless the same thread does both: two spread loops with one header whose
accesses to the array have the same subscripts, or two statements of the first thread.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.mapping.moved_values import used_arrays, written_arrays

Statements = tuple[Statement, ...]


@dataclass(slots=True)
class TeamBarriers:
    """Finds them. `spread` are loops that a team shares, as the source has them; `once` what the first thread does.

    Behind the loops `waiting` all threads wait anyway. `own` are arrays that each thread has of its own, `changing` the
    variables that the row sets.
    """

    spread: Mapping[NodeId, Loop]
    once: frozenset[NodeId]
    waiting: frozenset[NodeId]
    own: frozenset[str]
    changing: frozenset[str]
    found: set[NodeId] = field(default_factory=set)
    _pending: list[Statement] = field(default_factory=list)

    def scan(self, body: Statements) -> None:
        """Go through statements of a row in order, those of a loop in order twice."""
        for one in body:
            if isinstance(one, Loop | If) and self._holds_spread(one):
                self._header(one)
                if isinstance(one, Loop):
                    self.scan(one.body)
                    self.scan(one.body)
                else:
                    self.scan(one.then)
                    self.scan(one.otherwise)
                continue
            self._unit(one)
            if one.id in self.waiting:
                self._pending.clear()

    def _holds_spread(self, statement: Statement) -> bool:
        inside = walk_statements(statement.body if isinstance(statement, Loop) else (statement,))
        return statement.id not in self.spread and any(one.id in self.spread for one in inside)

    def _header(self, statement: Loop | If) -> None:
        """What decides whether a part of the row runs is read by every thread."""
        read = {access.array for access in accesses_of(statement)}
        if any(read & written_arrays((other,)) - self.own for other in self._pending):
            self.found.add(statement.id)
            self._pending.clear()

    def _unit(self, statement: Statement) -> None:
        if any(self._meet(other, statement) for other in self._pending):
            self.found.add(statement.id)
            self._pending.clear()
        self._pending.append(statement)

    def _meet(self, first: Statement, second: Statement) -> bool:
        if first.id in self.once and second.id in self.once:
            return False
        shared = written_arrays((first,)) & used_arrays((second,)) | used_arrays((first,)) & written_arrays((second,))
        return any(not self._same_thread(first, second, array) for array in shared - self.own)

    def _same_thread(self, first: Statement, second: Statement, array: str) -> bool:
        """Whether what meets in an array is in iterations of one thread."""
        one, other = self.spread.get(first.id), self.spread.get(second.id)
        if one is None or other is None or one.start is None or one.limit_reads or other.limit_reads:
            return False
        if (one.start, one.limits, one.step) != (other.start, other.limits, other.step) or not one.limits:
            return False
        return bool(self._places(one, array) & self._places(other, array))

    def _places(self, loop: Loop, array: str) -> frozenset[tuple[int, Polynomial]]:
        """Dimensions, each with a subscript that all of the loop's accesses to the array have there.

        Where two are equal, two iterations meet only if they are the same: the loop's iterator, which has no name here,
        moves the subscript, and nothing else that changes in the row does.
        """
        found: frozenset[tuple[int, Polynomial]] | None = None
        for one in walk_statements((loop,)):
            for access in accesses_of(one):
                if access.array == array:
                    here = frozenset(self._placed(loop, access))
                    found = here if found is None else found & here
        return found or frozenset()

    def _placed(self, loop: Loop, access: Access) -> Iterator[tuple[int, Polynomial]]:
        for dimension, index in enumerate(access.indices):
            if index is None:
                continue
            slope = index.coefficient(loop.iterator)
            rest = index - slope * Polynomial.symbol(loop.iterator)
            if slope.is_constant and slope.terms and not rest.symbols & self.changing:
                yield dimension, slope * Polynomial.symbol("") + rest
