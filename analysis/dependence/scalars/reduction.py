"""Statements that accumulate: `s += e`, `s = s + e`, `t = s + e; s = t`, extremes in their usual spellings.

Not modelled: rounding (floating-point sums are taken as associative).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, cast

from warplens.analysis.dependence.scalars.extreme_position import (
    asked_again,
    conjuncts_of,
    extreme_positions,
    mentions,
    target_key,
)
from warplens.analysis.dependence.scalars.value_order import is_repeatable, keeps_order
from warplens.analysis.dependence.subscripts.affine_condition import expression_key, without_casts
from warplens.analysis.facts.verdict import ReductionOperator
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Expression,
    Load,
    ScalarRef,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, ScalarObject, Statement, walk_statements
from warplens.analysis.ir.types import CType, Scalar

_COMPOUND: dict[str, ReductionOperator] = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
_EXTREME: dict[str, ReductionOperator] = {"fmin": "min", "fmax": "max"}

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Accumulation:
    """A statement that folds a value into `variable`; `members` are the ids of its own reads and write of it.

    `partners` are the variables that one condition sets together: one is a reduction if all are. `ties` says which of
    equal values such a condition keeps.
    """

    variable: str
    operator: ReductionOperator
    statement: NodeId
    members: frozenset[NodeId]
    is_array_element: bool
    partners: frozenset[str] = frozenset()
    ties: Literal["", "first", "last"] = ""


def accumulations(body: tuple[Statement, ...], scalars: tuple[ScalarObject, ...] = ()) -> tuple[Accumulation, ...]:
    """All accumulating statements of a body, inner loops included, in source order.

    `scalars` say which of them are dead after the nest, so that a sum may go through one.
    """
    found: list[Accumulation] = []
    taken: set[NodeId] = set()
    passing = {s.name for s in scalars if not s.used_after and not s.address_taken}
    steps = _through_temporaries(body, passing) if passing else {}
    copies = _from_copies(body, passing) if passing else {}
    lists = [body, *(inner for s in walk_statements(body) for inner in _lists_in(s))]
    for position in (p for statements in lists for p in extreme_positions(statements)):
        if len(position.statements) == 1 and not _is_index_only(position.statements[0][1], body):
            continue  # a plain maximum
        if not taken.isdisjoint(assign for _, assign in position.statements):
            continue  # found with the same question around it
        for (variable, members), (_, assign) in zip(position.members, position.statements, strict=True):
            partners = frozenset(name for name, _ in position.members)
            is_element = variable in position.elements
            taken.add(assign)
            found.append(
                Accumulation(variable, position.operator, assign, members, is_element, partners, position.ties)
            )
    for statement in walk_statements(body):
        accumulation: Accumulation | None = None
        if isinstance(statement, If):
            accumulation = _guarded_extreme(statement)
            if accumulation is not None and accumulation.statement in taken:
                accumulation = None
        elif isinstance(statement, Assign) and statement.id not in taken:
            accumulation = _accumulation(statement)
            if accumulation is None and statement.id in steps:
                first = steps[statement.id]
                accumulation = _accumulation(replace(statement, value=first.value))
                if accumulation is not None and not accumulation.is_array_element:
                    accumulation = replace(accumulation, members=accumulation.members | {first.id})
            if accumulation is None and statement.id in copies:
                copy, value = copies[statement.id]
                accumulation = _accumulation(replace(statement, value=value))
                if accumulation is not None:
                    accumulation = replace(accumulation, members=accumulation.members | {copy})
        if accumulation is not None:
            taken.add(accumulation.statement)
            found.append(accumulation)
    return tuple(sorted(found, key=lambda fold: fold.statement))


def _lists_in(statement: Statement) -> tuple[tuple[Statement, ...], ...]:
    match statement:
        case Loop(body=body):
            return (body,)
        case If(then=then, otherwise=otherwise):
            return then, otherwise
        case _:
            return ()


def _is_index_only(statement: NodeId, body: tuple[Statement, ...]) -> bool:
    """Whether the one variable that the condition sets is a place: `if (x[i] > x[at]) at = i`."""
    for branch in walk_statements(body):
        if isinstance(branch, If) and len(branch.then) == 1 and branch.then[0].id == statement:
            return _guarded_extreme(branch) is None
    return False


def _through_temporaries(body: tuple[Statement, ...], passing: set[str]) -> dict[NodeId, Assign]:
    """`t = s + e` by the id of the `s = t` that follows it directly, where nothing else reads t."""
    readers: dict[str, int] = {}
    for statement in walk_statements(body):
        for expression in expressions_of(statement):
            for node in walk(expression):
                if isinstance(node, ScalarRef) and node.name in passing:
                    readers[node.name] = readers.get(node.name, 0) + 1
    found: dict[NodeId, Assign] = {}
    for statements in (body, *(inner for s in walk_statements(body) for inner in _lists_in(s))):
        for first, second in pairwise(statements):
            if not isinstance(first, Assign) or not isinstance(second, Assign) or first.operator or second.operator:
                continue
            passed, target = without_casts(second.value), first.target
            if (
                isinstance(target, ScalarRef)
                and isinstance(passed, ScalarRef)
                and passed.name == target.name
                and readers.get(target.name) == 1
                and target.type == second.target.type
            ):
                found[second.id] = first
    return found


def _from_copies(body: tuple[Statement, ...], passing: set[str]) -> dict[NodeId, tuple[NodeId, Expression]]:
    """`s = t + e` by its id, after `t = s` in the same list where nothing else reads t: the copy's id, and `s + e`.

    `MAX(s, e)` with a statement expression is one of them.
    """
    every = list(walk_statements(body))
    reads = Counter(n.name for s in every for e in expressions_of(s) for n in walk(e) if isinstance(n, ScalarRef))
    written = Counter(_assigned(s) for s in every)
    found: dict[NodeId, tuple[NodeId, Expression]] = {}
    for statements in (body, *(inner for s in every for inner in _lists_in(s))):
        standing: dict[str, Assign] = {}
        for statement in statements:
            names = {_assigned(s) for s in walk_statements((statement,))}
            if isinstance(statement, Assign) and isinstance(statement.target, ScalarRef) and not statement.operator:
                target, copy = statement.target, standing.get(statement.target.name)
                if copy is not None and isinstance(copy.target, ScalarRef):
                    name = copy.target.name
                    own = sum(isinstance(n, ScalarRef) and n.name == name for n in walk(statement.value))
                    value = _renamed(statement.value, name, target)
                    is_left = any(isinstance(n, ScalarRef) and n.name == name for n in walk(value))
                    if own == reads[name] and written[name] == 1 and not is_left:
                        found[statement.id] = (copy.id, value)
                standing = {of: a for of, a in standing.items() if of not in names}
                value = statement.value
                if isinstance(value, ScalarRef) and target.name in passing and value.type == target.type:
                    standing[value.name] = statement
            else:
                standing = {of: a for of, a in standing.items() if of not in names}
    return found


def _assigned(statement: Statement) -> str:
    """The scalar that the statement itself sets, empty if none."""
    match statement:
        case Assign(target=ScalarRef(name)):
            return name
        case Loop(iterator=name):
            return name
        case _:
            return ""


def _renamed(expression: Expression, name: str, to: ScalarRef) -> Expression:
    match expression:
        case ScalarRef():
            return to if expression.name == name else expression
        case Binary():
            left, right = (_renamed(part, name, to) for part in (expression.left, expression.right))
            return replace(expression, left=left, right=right)
        case Cast():
            return replace(expression, operand=_renamed(expression.operand, name, to))
        case Conditional():
            parts = (expression.condition, expression.then, expression.otherwise)
            condition, then, otherwise = (_renamed(part, name, to) for part in parts)
            return replace(expression, condition=condition, then=then, otherwise=otherwise)
        case Call():
            return replace(expression, arguments=tuple(_renamed(a, name, to) for a in expression.arguments))
        case _:
            return expression


def _accumulation(statement: Assign) -> Accumulation | None:
    key = target_key(statement.target)
    if _is_integer(statement.target) and not _is_integer(statement.value):
        return None  # each step rounds: `int s; s += 0.5`
    if statement.operator:
        operator = _COMPOUND.get(statement.operator)
        if operator is None or mentions(statement.value, key) or _is_cut(operator, statement.target.type):
            return None
        return _made(statement, operator, ())
    if any(_rounds(node, key, statement.target.type) for node in walk(statement.value)):
        return None
    value = without_casts(statement.value)
    found = _extreme(value, key, statement.target.type) or _fold(value, key)
    if found is None or _is_cut(found[0], statement.target.type):
        return None
    operator, own = found
    return _made(statement, operator, own)


def _rounds(node: Expression, key: Key, target: CType) -> bool:
    """Whether a conversion loses some of the accumulated value on its way: `s = (int)(s + 0.5)`, by char too."""
    if not isinstance(node, Cast) or not mentions(node, key):
        return False
    if not isinstance(target, Scalar) or not isinstance(node.type, Scalar) or target.kind != node.type.kind:
        return True
    return target.kind == "int" and node.type.size_bytes < target.size_bytes


def _is_cut(operator: ReductionOperator, target: CType) -> bool:
    """Whether sums of partial sums differ: a `_Bool` keeps only that something was not zero."""
    return isinstance(target, Scalar) and target.name in {"_Bool", "bool"} and operator in {"+", "^"}


def _made(statement: Assign, operator: ReductionOperator, own: tuple[Expression, ...], *more: NodeId) -> Accumulation:
    target = statement.target
    if isinstance(target, ScalarRef):
        return Accumulation(target.name, operator, statement.id, frozenset((statement.id, *more)), False)
    ids = {node.access.id for node in own if isinstance(node, Load)}
    return Accumulation(target.array, operator, statement.id, frozenset((target.id, *ids)), True)


def _fold(value: Expression, key: Key) -> tuple[ReductionOperator, tuple[Expression, ...]] | None:
    """`x op a op b` in any order with x once; a subtrahend must not be x."""
    if not isinstance(value, Binary) or value.operator not in {"+", "-", "*", "&", "|", "^", "&&", "||"}:
        return None
    family = {"+", "-"} if value.operator in {"+", "-"} else {value.operator}
    own: list[Expression] = []
    stack: list[tuple[Expression, bool]] = [(value, True)]
    while stack:
        node, positive = stack.pop()
        node = without_casts(node)
        if isinstance(node, Binary) and node.operator in family:
            stack.append((node.left, positive))
            stack.append((node.right, positive != (node.operator == "-")))
        elif expression_key(node) == key and positive:
            own.append(node)
        elif mentions(node, key):
            return None
    operator = cast("ReductionOperator", "+" if value.operator == "-" else value.operator)
    return (operator, tuple(own)) if len(own) == 1 else None


def _extreme(value: Expression, key: Key, target: CType) -> tuple[ReductionOperator, tuple[Expression, ...]] | None:
    """`a < b ? a : b` and `fmin(a, b)` where one of them is x."""
    if isinstance(value, Call):
        name = value.function.removeprefix("__builtin_").rstrip("fl")
        if name not in _EXTREME or len(value.arguments) != 2:
            return None
        own = [a for a in value.arguments if expression_key(a) == key]
        other = [a for a in value.arguments if expression_key(a) != key]
        return (_EXTREME[name], tuple(own)) if len(own) == 1 and not mentions(other[0], key) else None
    if not isinstance(value, Conditional):
        return None
    order = _smaller_and_larger(value.condition)
    if order is None:
        return None
    smaller, larger = expression_key(order[0]), expression_key(order[1])
    chosen = (expression_key(value.then), expression_key(value.otherwise))
    if (smaller == key) == (larger == key) or set(chosen) != {smaller, larger}:
        return None
    given = order[1] if smaller == key else order[0]
    if mentions(given, key) or not is_repeatable(given):
        return None
    if not keeps_order(target, (*order, value.then, value.otherwise)):
        return None
    own = [node for node in (*order, value.then, value.otherwise) if expression_key(node) == key]
    return "min" if chosen[0] == smaller else "max", tuple(without_casts(node) for node in own)


def _guarded_extreme(branch: If) -> Accumulation | None:
    """`if (e > x) x = e;`, perhaps with `&&` and a condition without x, and perhaps asked twice."""
    branch, before = asked_again(branch)
    if len(branch.then) != 1 or not isinstance(branch.then[0], Assign):
        return None
    own_key = target_key(branch.then[0].target)
    conjuncts = [c for c in conjuncts_of(branch.condition) if mentions(c, own_key)]
    order = _smaller_and_larger(conjuncts[0]) if len(conjuncts) == 1 else None
    if order is None or len(branch.then) != 1 or branch.otherwise:
        return None
    statement = branch.then[0]
    if not isinstance(statement, Assign) or statement.operator:
        return None
    key, value = target_key(statement.target), expression_key(statement.value)
    smaller, larger = expression_key(order[0]), expression_key(order[1])
    if {key, value} != {smaller, larger} or key == value or mentions(statement.value, key):
        return None
    if not is_repeatable(statement.value) or not keeps_order(statement.target.type, (*order, statement.value)):
        return None
    own = order[0] if smaller == key else order[1]
    asked = [load for around in before for load in walk(around.condition) if expression_key(load) == key]
    members = (branch.id, *(around.id for around in before))
    return _made(statement, "max" if smaller == key else "min", (without_casts(own), *asked), *members)


def _smaller_and_larger(condition: Expression) -> tuple[Expression, Expression] | None:
    condition = without_casts(condition)
    if not isinstance(condition, Binary):
        return None
    if condition.operator in {"<", "<="}:
        return condition.left, condition.right
    if condition.operator in {">", ">="}:
        return condition.right, condition.left
    return None


def _is_integer(node: ScalarRef | Access | Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "int"
