"""Flags and counters that only report: `if (failed) status = 0;`, `if (status == 0) continue;`, `show(++done, rows)`.

What iterations leave in such a variable decides at most whether others do their work, or is handed to functions that
are not in sight and give nothing back that is kept; it never gets into a value or an address, and in the end it holds
the same in whichever order they ran: a count, or the one value that all of them store. Whether anybody minds what it
holds in between only the user can say. Places in memory that a loop uses as variables may report too: `(*done)++`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from warplens.analysis.dependence.pointers.memory_cells import MemoryCell, memory_cells
from warplens.analysis.dependence.scalars.reduction import Accumulation, accumulations
from warplens.analysis.dependence.scalars.same_value_store import store_one_value
from warplens.analysis.facts.calls.calls import calls_in
from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.expression import Access, Call, Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, ScalarObject, walk_statements
from warplens.analysis.ir.types import PointerTo


def reporting_scalars(
    loop: Loop, scalars: Iterable[ScalarObject], folds: Iterable[Accumulation]
) -> dict[str, tuple[Reduction, ...]]:
    """Scalars of outside the loop that only report, each with what its writes amount to if nobody minds its reads."""
    outer = frozenset(s.name for s in scalars if s.declared_in is None and not s.address_taken)
    return _Reports(loop, {}, outer, folds).found()


def reporting_cells(nest: LoopNest, loop: Loop, folds: Iterable[Accumulation]) -> dict[MemoryCell, Reduction]:
    """The same of places in memory, `*done` or `state->failed`, but of what a call gets the address of."""
    handed = {memory.name for call in calls_in((loop,)) for memory in call.handed}
    cells = [cell for cell in memory_cells(nest, loop) if cell.array not in handed or cell.is_member]
    if not cells:
        return {}
    outer = frozenset(s.name for s in nest.scalars if s.declared_in is None and not s.address_taken)
    outer |= {cell.symbol for cell in cells}
    found = _Reports(loop, {access: cell.symbol for cell in cells for access in cell.accesses}, outer, folds).found()
    return {
        cell: replace(reduction, variable=cell.array, is_array_element=True)
        for cell in cells
        for reduction in found.get(cell.symbol, ())
    }


def only_reports(nest: LoopNest, loops: Iterable[Loop], name: str) -> bool:
    """Whether a name is such a variable of one of the loops."""
    folds = accumulations((nest.root,), nest.scalars)
    return any(
        name in reporting_scalars(loop, nest.scalars, folds)
        or name in {cell.name for cell in reporting_cells(nest, loop, folds)}
        for loop in loops
    )


class _Reports:
    """The search in one loop; `cells` are accesses that stand for variables, with their names."""

    def __init__(
        self, loop: Loop, cells: Mapping[NodeId, str], outer: frozenset[str], folds: Iterable[Accumulation]
    ) -> None:
        self._loop = loop
        self._cells = cells
        self._outer = outer
        self._counting = {fold.statement: fold for fold in folds}
        self._writes: dict[str, list[Assign]] = {}
        for statement in walk_statements(loop.body):
            if isinstance(statement, Assign) and (name := self._target(statement)):
                self._writes.setdefault(name, []).append(statement)

    def found(self) -> dict[str, tuple[Reduction, ...]]:
        """All that only report, by name."""
        found: dict[str, tuple[Reduction, ...]] = {}
        for name in sorted(self._outer.intersection(self._writes)):
            writes = self._writes[name]
            operators = {self._counting[s.id].operator for s in writes if s.id in self._counting}
            counts = len(operators) == 1 and all(s.id in self._counting for s in writes)
            if not counts and (operators or not store_one_value(self._loop, writes)):
                continue
            followers = self._followers(name)
            if any(follower in self._outer for follower in followers - {name}) or self._gets_into_a_value(followers):
                continue
            if counts and not self._ends_itself(followers, writes):
                found[name] = tuple(Reduction(name, operator, writes[0].id) for operator in operators)
            elif not counts:
                found[name] = (Reduction(name, "store", writes[0].id),)
        return found

    def _target(self, statement: Assign) -> str:
        """The variable that is set, empty for other memory."""
        target = statement.target
        return target.name if isinstance(target, ScalarRef) else self._cells.get(target.id, "")

    def _followers(self, name: str) -> frozenset[str]:
        """The scalar and those that get a value computed from it, transitively."""
        names = {name}
        before = 0
        while len(names) != before:
            before = len(names)
            names |= {
                target
                for target, writes in self._writes.items()
                if any(not names.isdisjoint(self._read(s.value)) for s in writes)
            }
        return frozenset(names)

    def _gets_into_a_value(self, names: frozenset[str]) -> bool:
        """Whether one of the names decides what is stored, where, or how often a loop runs."""
        for statement in walk_statements((self._loop,)):
            match statement:
                case Assign(_, target, _, value):
                    if self._target(statement) not in names and not names.isdisjoint(self._read(value)):
                        return True
                    parts = [value, *(target.subscripts if isinstance(target, Access) else ())]
                    if isinstance(target, Access) and self._in_address(target, names):
                        return True
                case If(_, condition):
                    parts = [condition]
                case Evaluate(_, expression):
                    gives_pointer = isinstance(expression, Call) and isinstance(expression.type, PointerTo)
                    if gives_pointer and not names.isdisjoint(self._read(expression)):
                        return True
                    parts = [expression]
                case Loop():
                    bounds = [p for p in (statement.start, *statement.limits) if p is not None]
                    if any(not names.isdisjoint(p.symbols) for p in bounds):
                        return True
                    if any(not names.isdisjoint(self._read(bound)) for bound in statement.bound_reads):
                        return True
                    parts = []
                case _:
                    parts = []
            for part in parts:
                if any(isinstance(node, Load) and self._in_address(node.access, names) for node in walk(part)):
                    return True
        return False

    def _ends_itself(self, names: frozenset[str], writes: Sequence[Assign]) -> bool:
        """Whether what a counter holds decides if it counts on: `if (done < 5) done++;` ends elsewhere then."""
        counted = {s.id for s in writes}
        return any(
            isinstance(s, If)
            and not names.isdisjoint(self._read(s.condition))
            and any(inner.id in counted for inner in walk_statements((*s.then, *s.otherwise)))
            for s in walk_statements(self._loop.body)
        )

    def _read(self, expression: Expression) -> frozenset[str]:
        loads = (self._cells.get(n.access.id) for n in walk(expression) if isinstance(n, Load)) if self._cells else ()
        scalars = (n.name for n in walk(expression) if isinstance(n, ScalarRef))
        return frozenset((*scalars, *filter(None, loads)))

    def _in_address(self, access: Access, names: frozenset[str]) -> bool:
        symbols = {name for index in access.indices if index is not None for name in index.symbols}
        return not names.isdisjoint(symbols.union(*map(self._read, access.subscripts)))
