"""Where the threads of a team wait for each other: between statements of which one writes what the other uses.

Each thread runs the statements of a row in order. Those of a spread loop it runs for its own iterations, what one
thread does for all is done by the first, all else by each of them. So two statements need a barrier between them where
they meet in an array, one of them writing, unless the same thread does both: two spread loops that start alike and
whose accesses to the array have the same subscripts, or two statements of the first thread.

What may have been done since the last barrier is followed through branches and loops: a side that is not taken, or a
loop without iterations, has no barrier in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import If, Loop, Statement, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.mapping.moved_values import used_arrays, written_arrays

Statements = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class _Done:
    """What threads may have done since they last waited: all of a statement, or only what its header asks."""

    by: NodeId
    writes: frozenset[str]
    uses: frozenset[str]


_Pending = frozenset[_Done]


@dataclass(slots=True)
class TeamBarriers:
    """Finds them. `spread` are loops that a team shares, as the source has them; `once` what the first thread does.

    Behind the loops `waiting` all threads wait anyway. `own` are arrays that each thread has of its own, `changing` the
    variables that the row sets. `found` are the statements before which threads wait.
    """

    spread: Mapping[NodeId, Loop]
    once: frozenset[NodeId]
    waiting: frozenset[NodeId]
    own: frozenset[str]
    changing: frozenset[str]
    found: set[NodeId] = field(default_factory=set)

    def scan(self, body: Statements, pending: _Pending = frozenset()) -> _Pending:
        """Go through statements in order, `pending` done before them; return what may be done behind them."""
        for one in body:
            if not self._has_parts(one):
                pending = self._behind(one, self._unit(one), pending)
                continue
            pending = self._behind(one, _Done(one.id, frozenset(), self._shared(accesses_of(one))), pending)
            if isinstance(one, If):
                pending = self.scan(one.then, pending) | self.scan(one.otherwise, pending)
            elif isinstance(one, Loop):
                pending |= self.scan(one.body, pending)  # one iteration
                pending |= self.scan(one.body, pending)  # and what it meets in the next
        return pending

    def _has_parts(self, statement: Statement) -> bool:
        """Whether threads do different things inside of it."""
        if statement.id in self.spread or statement.id in self.once:
            return False
        inside = (one.id for one in walk_statements((statement,)) if one.id != statement.id)
        return any(one in self.spread or one in self.once for one in inside)

    def _unit(self, statement: Statement) -> _Done:
        written = written_arrays((statement,)) - self.own
        return _Done(statement.id, written, used_arrays((statement,)) - self.own)

    def _shared(self, accesses: Iterable[Access]) -> frozenset[str]:
        return frozenset(access.array for access in accesses) - self.own

    def _behind(self, statement: Statement, done: _Done, pending: _Pending) -> _Pending:
        if any(self._meet(other, done) for other in pending):
            self.found.add(statement.id)
        before: _Pending = frozenset() if statement.id in self.found else pending
        return frozenset() if statement.id in self.waiting else before | {done}

    def _meet(self, first: _Done, second: _Done) -> bool:
        if first.by in self.once and second.by in self.once:
            return False
        shared = first.writes & second.uses | first.uses & second.writes
        return any(not self._same_thread(first, second, array) for array in shared)

    def _same_thread(self, first: _Done, second: _Done, array: str) -> bool:
        """Whether what meets in an array is in iterations of one thread."""
        one, other = self.spread.get(first.by), self.spread.get(second.by)
        if one is None or other is None or one.start is None or one.start.symbols & self.changing:
            return False
        if (one.start, one.step) != (other.start, other.step):
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
