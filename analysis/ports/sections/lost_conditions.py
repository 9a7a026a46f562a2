"""Conditions of iterators and sizes alone that are not affine: `abs(i - j) < 3`, `inside`, `if (i + k == n) break;`.

They keep subscripts to the elements that there are as often as not. What data decides (`mask[i] > 0`) is another
matter: it may hold in any iteration, and the array is as long as that takes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from warplens.analysis.dependence.subscripts.affine_condition import Known, condition_of, conjuncts, polynomial_of
from warplens.analysis.dependence.subscripts.quasi_affine import Definitions
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import Binary, Call, Expression, Load, ScalarRef, Unknown, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, LoopNest, Statement, walk_statements

_COMPARISONS = frozenset(("<", "<=", ">", ">=", "==", "!="))


class LostConditions:
    """The conditions of a nest that nothing follows though no data decides them."""

    def __init__(self, nest: LoopNest) -> None:
        self._nest = nest
        self._data = _scalars_of_data(nest)
        self._under = frozenset(self._statements((nest.root,), is_lost=False))

    def around(self, statement: NodeId) -> bool:
        """Whether one decides if a statement runs."""
        return statement in self._under

    def has(self, condition: Expression) -> bool:
        """Whether a condition is one of them."""
        names = frozenset(node.name for node in walk(condition) if isinstance(node, ScalarRef))
        if _is_of_data(condition, self._data):
            return self._is_mixed(names)
        return condition_of(condition, Known(names, define=Definitions())) is None or self._is_flag(names)

    def is_computed(self, condition: Expression, known: Collection[str]) -> bool:
        """Whether a variable that the nest sets without data decides: `inside` of `inside = i < n - 3`."""
        names = {node.name for node in walk(condition) if isinstance(node, ScalarRef)}
        return not names <= set(known) and not _is_of_data(condition, self._data)

    def _statements(self, body: tuple[Statement, ...], *, is_lost: bool) -> Iterator[NodeId]:
        for statement in body:
            if is_lost:
                yield statement.id
            match statement:
                case If(condition=condition):
                    for negated, side in ((False, statement.then), (True, statement.otherwise)):
                        inside = is_lost or any(self.has(part) for part, _ in conjuncts(condition, negated))
                        yield from self._statements(side, is_lost=inside)
                case Loop():
                    yield from self._statements(statement.body, is_lost=is_lost or self.ends_early(statement))
                case _:
                    pass

    def ends_early(self, loop: Loop) -> bool:
        """Whether one decides how far a loop gets."""
        exits = frozenset(early.id for early in exits_of(loop.body))
        return bool(exits) and any(
            not _is_of_data(statement.condition, self._data)
            for statement in walk_statements(loop.body)
            if isinstance(statement, If) and any(one.id in exits for one in (*statement.then, *statement.otherwise))
        )

    def _is_mixed(self, names: frozenset[str]) -> bool:
        """Whether one of the names holds what data decides with iterators: `int ok = mask[i] && i < n - 1;`."""
        return any(
            not _is_of_data(part, self._data)
            for statement in self._set(names)
            for part, _ in conjuncts(statement.value)
            if isinstance(part, Binary) and part.operator in _COMPARISONS
        )

    def _set(self, names: frozenset[str]) -> Iterator[Assign]:
        """Statements that set one of the names."""
        for statement in walk_statements((self._nest.root,)):
            match statement:
                case Assign(target=ScalarRef(name)) if name in names:
                    yield statement
                case _:
                    pass

    def _is_flag(self, names: frozenset[str]) -> bool:
        """Whether one of the names holds what is not affine itself: `int inside = i > 0 && j > 0;`."""
        for statement in self._set(names):
            used = frozenset(node.name for node in walk(statement.value) if isinstance(node, ScalarRef))
            if polynomial_of(statement.value, Known(used, define=Definitions())) is None:
                return True
        return False


def _is_of_data(expression: Expression, data: frozenset[str]) -> bool:
    """Whether memory or another function has a say in the value."""
    return any(
        isinstance(node, Load | Unknown)
        or (isinstance(node, Call) and not node.is_math)
        or (isinstance(node, ScalarRef) and node.name in data)
        for node in walk(expression)
    )


def _scalars_of_data(nest: LoopNest) -> frozenset[str]:
    """Scalars that the nest sets to what memory decides, or where memory decides."""
    found: frozenset[str] = frozenset()
    while True:
        more = found | frozenset(_set_by_data((nest.root,), found, by_data=False))
        if more == found:
            return found
        found = more


def _set_by_data(body: tuple[Statement, ...], data: frozenset[str], *, by_data: bool) -> Iterator[str]:
    for statement in body:
        match statement:
            case Assign(target=ScalarRef(name), value=value):
                if by_data or _is_of_data(value, data):
                    yield name
            case If(condition=condition):
                inside = by_data or _is_of_data(condition, data)
                yield from _set_by_data((*statement.then, *statement.otherwise), data, by_data=inside)
            case Loop():
                if by_data or statement.start is None or not statement.limits or statement.bound_reads:
                    yield statement.iterator
                yield from _set_by_data(statement.body, data, by_data=by_data)
            case _:
                pass
