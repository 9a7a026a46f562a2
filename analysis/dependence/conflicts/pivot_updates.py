"""The one statement of a loop that sets elements of an array: what it stores, under which conditions, from loads.

Scalars that hold what was computed before (`t = d[i][k] + d[k][j]`) are put in place, as long as nothing but that
statement has set since what they were computed from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Load,
    ScalarRef,
    Unary,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, LoopNest, OpaqueStatement, Statement, walk_statements

_MOST_NODES = 200
"""Of one expression, with what was put in place of its scalars."""


@dataclass(frozen=True, slots=True)
class Update:
    """`target operator= value`, run where each condition is true; scalars are put in place."""

    target: Access
    operator: str
    value: Expression
    conditions: tuple[Expression, ...]
    statements: frozenset[NodeId]
    """The update itself, and those of whose conditions `conditions` are."""


def only_update(nest: LoopNest, loop: Loop, array: str) -> Update | None:
    """The update of an array in a loop of a nest; None where other statements of the loop set elements of it too."""
    writes = [s for s in walk_statements((loop,)) if isinstance(s, Assign) and _writes(s, array)]
    if len(writes) != 1:
        return None
    addressed = frozenset(scalar.name for scalar in nest.scalars if scalar.address_taken)
    return _Search(writes[0], addressed).in_body((nest.root,), {}, (), frozenset())


def _writes(statement: Assign, array: str) -> bool:
    return isinstance(statement.target, Access) and statement.target.array == array


@dataclass(frozen=True, slots=True)
class _Search:
    wanted: Assign
    addressed: frozenset[str]
    """Scalars that may be set as memory."""

    def in_body(
        self,
        body: tuple[Statement, ...],
        known: Mapping[str, Expression],
        conditions: tuple[Expression, ...],
        around: frozenset[NodeId],
    ) -> Update | None:
        """The statement in a body, `known` being the values of scalars before it."""
        values = dict(known)
        for statement in body:
            found = self._at(statement, values, conditions, around)
            if found is not None:
                return found
            values = self._after(statement, values)
        return None

    def _at(
        self,
        statement: Statement,
        values: Mapping[str, Expression],
        conditions: tuple[Expression, ...],
        around: frozenset[NodeId],
    ) -> Update | None:
        match statement:
            case Assign(target=Access() as target) if statement is self.wanted:
                value = put_in_place(statement.value, values)
                return Update(target, statement.operator, value, conditions, around | {statement.id})
            case If(condition=condition, then=then, otherwise=otherwise):
                holds = (*conditions, put_in_place(condition, values))
                # What is known where the condition fails is not needed: no update waits for that.
                found = self.in_body(then, values, holds, around | {statement.id})
                return found or self.in_body(otherwise, values, conditions, around)
            case Loop():
                return self.in_body(statement.body, self._inside(statement, values), conditions, around)
            case _:
                return None

    def _after(self, statement: Statement, values: Mapping[str, Expression]) -> dict[str, Expression]:
        if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef):
            name = statement.target.name
            kept = _without(values, frozenset((name,)), frozenset())
            value = put_in_place(statement.value, values)
            names = {part.name for part in walk(value) if isinstance(part, ScalarRef)}
            if not statement.operator and name not in names | self.addressed and _is_pure(value):
                kept[name] = Cast(value, statement.target.type) if value.type != statement.target.type else value
            return kept
        return self._inside(statement, values)

    def _inside(self, statement: Statement, values: Mapping[str, Expression]) -> dict[str, Expression]:
        """What is known wherever a statement has run in part, or several times."""
        inside = tuple(walk_statements((statement,)))
        if any(isinstance(s, OpaqueStatement | Evaluate) for s in inside):
            return {}
        names = assigned_scalars((statement,)) | {s.iterator for s in inside if isinstance(s, Loop)}
        arrays = frozenset(
            s.target.array
            for s in inside
            if isinstance(s, Assign) and s is not self.wanted and isinstance(s.target, Access)
        )
        return _without(values, names, arrays)


def _without(values: Mapping[str, Expression], names: frozenset[str], arrays: frozenset[str]) -> dict[str, Expression]:
    """The values that depend on none of these scalars and arrays."""
    return {
        name: value
        for name, value in values.items()
        if name not in names
        and not any(
            (isinstance(part, ScalarRef) and part.name in names)
            or (isinstance(part, Load) and (part.access.array in arrays or _is_indexed_by(part.access, names)))
            for part in walk(value)
        )
    }


def _is_indexed_by(access: Access, names: frozenset[str]) -> bool:
    return any(index is None or not names.isdisjoint(index.symbols) for index in access.indices)


def _is_pure(value: Expression) -> bool:
    return all(not isinstance(part, Call) or part.is_math for part in walk(value))


def put_in_place(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with known values in place of scalars, as it is where that would be long."""
    found = _put(expression, values)
    return found if sum(1 for _ in walk(found)) <= _MOST_NODES else expression


def _put(node: Expression, values: Mapping[str, Expression]) -> Expression:
    match node:
        case ScalarRef(name):
            return values.get(name, node)
        case Unary() | Cast():
            return replace(node, operand=_put(node.operand, values))
        case Binary(left=left, right=right):
            return replace(node, left=_put(left, values), right=_put(right, values))
        case Conditional(condition=condition, then=then, otherwise=otherwise):
            first, second, third = (_put(part, values) for part in (condition, then, otherwise))
            return Conditional(first, second, third, node.type)
        case Call(is_math=True):
            return replace(node, arguments=tuple(_put(argument, values) for argument in node.arguments))
        case _:
            return node
