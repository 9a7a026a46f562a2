"""Which value a subscript has where it stands: the scalars in it followed back to iterators and sizes.

Statements are gone through in their order, so that a variable may be set more than once, or under a condition: what it
is behind an `if` is a choice between what both sides leave in it. What an iteration hands on to the next is not known.
Only counts ask this: verdicts rest on polynomials.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from warplens.analysis.facts.computed_index import ComputedIndex
from warplens.analysis.ir.exits import exits_of
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    BinaryOperator,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    Unary,
    loads,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, Statement
from warplens.analysis.ir.symbol import computed
from warplens.analysis.ir.types import INT
from warplens.analysis.workload.accesses.data_in_values import only_adds_data, reads_data
from warplens.analysis.workload.accesses.sites import has_unknown_effects

_MOST_PARTS = 400
"""Of the expressions of one subscript: more would take longer to look at than all the rest of the nest."""

_Known = dict[str, Expression | None]
"""What variables hold now: None is not known, a name that is not in it stands for itself."""


@dataclass(frozen=True, slots=True)
class ComputedValues:
    """Of a kernel: subscripts by their access, conditions by the `If` that tests them."""

    indices: Mapping[NodeId, ComputedIndex]
    conditions: Mapping[NodeId, ComputedIndex]


def computed_values(roots: Sequence[Loop], wanted: Collection[NodeId], own: Collection[str]) -> ComputedValues:
    """Of each `wanted` access and of each condition what can be followed; of conditions none that data decides.

    `own` are arrays that an iteration has to itself. Assumes: nothing changes a scalar but assignments to it.
    """
    follower = _Follower(frozenset(wanted), frozenset(own))
    if not has_unknown_effects(tuple(roots)):
        follower.visit(tuple(roots), {}, ())
    return ComputedValues(follower.found, follower.conditions)


class _NotKnownError(Exception):
    pass


@dataclass(slots=True)
class _Follower:
    wanted: frozenset[NodeId]
    own: frozenset[str]
    guards: list[Expression] = field(default_factory=list)
    """Conditions around the statement, as far as they are known."""
    values: dict[str, Expression] = field(default_factory=dict)
    found: dict[NodeId, ComputedIndex] = field(default_factory=dict)
    conditions: dict[NodeId, ComputedIndex] = field(default_factory=dict)

    def visit(self, body: Iterable[Statement], known: _Known, loops: tuple[Loop, ...]) -> _Known:
        """What is known behind the statements."""
        for statement in body:
            match statement:
                case Assign(target=target, operator=operator, value=value):
                    self._note(value, known, loops)
                    if isinstance(target, Access):
                        for subscript in target.subscripts:
                            self._note(subscript, known, loops)
                        self._note_access(target, known, loops)
                    self._assign(target, operator, value, known)
                case Evaluate(expression=expression):
                    self._note(expression, known, loops)
                case If(condition=condition, then=then, otherwise=otherwise):
                    self._note(condition, known, loops)
                    test = self._test(statement.id, condition, known, loops)
                    known = self._behind(test, then, otherwise, known, loops)
                case Loop():
                    for read in statement.bound_reads:
                        self._note(read, known, loops)
                    changed = dict.fromkeys(_set_in(statement.body))
                    inside = {**known, **changed}
                    inside.pop(statement.iterator, None)
                    self.visit(statement.body, inside, (*loops, _header(statement)))
                    known = {**known, **changed, statement.iterator: None}
                case _:
                    pass
        return known

    def _test(
        self, statement: NodeId, condition: Expression, known: _Known, loops: tuple[Loop, ...]
    ) -> Expression | None:
        try:
            test = self._followed(condition, known)
        except _NotKnownError:
            return None
        needed = None if reads_data(test, self.values) else _needed((test, *self.guards), self.values)
        if needed is not None:
            values = tuple(needed.items())
            self.conditions[statement] = ComputedIndex((test,), values, loops, False, tuple(self.guards))
        return test

    def _behind(
        self,
        test: Expression | None,
        then: tuple[Statement, ...],
        otherwise: tuple[Statement, ...],
        known: _Known,
        loops: tuple[Loop, ...],
    ) -> _Known:
        one = self._side(then, test, known, loops)
        other = self._side(otherwise, None if test is None else Unary("!", test, INT), known, loops)
        if any(exits_of(then)):
            return other
        if any(exits_of(otherwise)):
            return one
        differing = [name for name in {**one, **other} if one.get(name, name) != other.get(name, name)]
        if not differing:
            return one
        for name in differing:
            first, second = (side[name] if name in side else _itself(name, one, other) for side in (one, other))
            if test is None or first is None or second is None:
                one[name] = None
            else:
                one[name] = self._named(name, Conditional(test, first, second, first.type))
        return one

    def _side(
        self, body: tuple[Statement, ...], guard: Expression | None, known: _Known, loops: tuple[Loop, ...]
    ) -> _Known:
        before = len(self.guards)
        if guard is not None and body and not reads_data(guard, self.values):
            self.guards.append(guard)
        behind = self.visit(body, dict(known), loops)
        del self.guards[before:]
        return behind

    def _assign(
        self, target: ScalarRef | Access, operator: BinaryOperator | Literal[""], value: Expression, known: _Known
    ) -> None:
        if isinstance(target, Access) and target.array not in self.own:
            return
        name = target.name if isinstance(target, ScalarRef) else _place(target)
        try:
            new = self._followed(value, known)
            if operator:
                before = known[name] if name in known else ScalarRef(name, target.type)
                if before is None:
                    raise _NotKnownError
                new = Binary(operator, before, new, target.type)
            is_element = isinstance(target, ScalarRef) or name != _any_of(target.array)
            known[name] = self._named(name, Cast(new, target.type)) if is_element else None
        except _NotKnownError:
            known[name] = None

    def _named(self, name: str, value: Expression) -> Expression:
        if isinstance(value, Constant | ScalarRef):
            return value
        made = computed("value", name, len(self.values))
        self.values[made] = value
        return ScalarRef(made, value.type)

    def _note(self, expression: Expression, known: _Known, loops: tuple[Loop, ...]) -> None:
        for access in loads(expression):
            self._note_access(access, known, loops)

    def _note_access(self, access: Access, known: _Known, loops: tuple[Loop, ...]) -> None:
        if access.id not in self.wanted:
            return
        try:
            subscripts = tuple(self._followed(subscript, known) for subscript in access.subscripts)
        except _NotKnownError:
            return
        if not all(only_adds_data(subscript, self.values) for subscript in subscripts):
            return
        needed = _needed((*subscripts, *self.guards), self.values)
        if needed is not None:
            has_data = any(reads_data(subscript, self.values) for subscript in subscripts)
            values = tuple(needed.items())
            self.found[access.id] = ComputedIndex(subscripts, values, loops, has_data, tuple(self.guards))

    def _followed(self, expression: Expression, known: _Known) -> Expression:
        """The expression over what is known; raises _NotKnownError."""
        match expression:
            case Constant():
                return expression
            case ScalarRef(name):
                value = known.get(name, expression)
                if value is None:
                    raise _NotKnownError
                return value
            case Unary(_, operand) | Cast(operand):
                return replace(expression, operand=self._followed(operand, known))
            case Binary(_, left, right):
                return replace(expression, left=self._followed(left, known), right=self._followed(right, known))
            case Conditional(condition, then, otherwise):
                parts = [self._followed(part, known) for part in (condition, then, otherwise)]
                return Conditional(parts[0], parts[1], parts[2], expression.type)
            case Call(is_math=True, arguments=arguments):
                return replace(expression, arguments=tuple(self._followed(part, known) for part in arguments))
            case Load(access) if access.array in self.own:
                kept = known.get(_place(access))
                if kept is None or _any_of(access.array) in known:
                    raise _NotKnownError
                return kept
            case Load(access):
                subscripts = tuple(self._followed(part, known) for part in access.subscripts)
                return Load(replace(access, subscripts=subscripts, indices=(None,) * len(subscripts)))
            case _:
                raise _NotKnownError


def _itself(name: str, *sides: _Known) -> Expression | None:
    """A variable that one side did not set: what it was before."""
    value = next((side[name] for side in sides if side.get(name) is not None), None)
    return None if value is None else ScalarRef(name, value.type)


def _place(access: Access) -> str:
    """A name for an element of an array of the thread, or for any of them where its subscripts are no numbers."""
    if any(index is None or not index.is_constant for index in access.indices):
        return _any_of(access.array)
    numbers = (index.constant_term for index in access.indices if index is not None)
    return computed("at", access.array, *numbers, access.member)


def _any_of(array: str) -> str:
    return computed("at", array)


def _set_in(body: Iterable[Statement]) -> set[str]:
    """Scalars, and elements of arrays, that statements set."""
    found: set[str] = set()
    todo = [*body]
    while todo:
        match todo.pop():
            case Assign(target=ScalarRef(name)):
                found.add(name)
            case Assign(target=Access() as target):
                found.add(_place(target))
            case If(then=then, otherwise=otherwise):
                todo += (*then, *otherwise)
            case Loop(iterator=iterator, body=inner):
                found.add(iterator)
                todo += inner
            case _:
                pass
    return found


def _header(loop: Loop) -> Loop:
    return replace(loop, body=(), pragmas=(), bound_reads=(), inductions=(), directive=None)


def _needed(subscripts: Sequence[Expression], values: Mapping[str, Expression]) -> dict[str, Expression] | None:
    """Values that the subscripts are computed from, in the order in which they were; None where these are too many."""
    names: set[str] = set()
    todo, parts = [*subscripts], 0
    while todo:
        for part in walk(todo.pop()):
            parts += 1
            if parts > _MOST_PARTS:
                return None
            if isinstance(part, ScalarRef) and part.name in values and part.name not in names:
                names.add(part.name)
                todo.append(values[part.name])
    return {name: value for name, value in values.items() if name in names}
