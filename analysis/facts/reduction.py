"""Statements that accumulate: `s += e`, `s = s + e`, minimum and maximum in their usual spellings.

Not modelled: rounding (floating-point sums are taken as associative), argmin and argmax.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from warplens.analysis.facts.affine_condition import access_key, expression_key, without_casts
from warplens.analysis.facts.verdict import ReductionOperator
from warplens.analysis.ir.expression import (
    Access,
    Binary,
    Call,
    Cast,
    Conditional,
    Constant,
    Expression,
    Load,
    ScalarRef,
    loads,
    walk,
)
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Statement, walk_statements
from warplens.analysis.ir.types import CType, Scalar, holds_all_of

_COMPOUND: dict[str, ReductionOperator] = {"+": "+", "-": "+", "*": "*", "&": "&", "|": "|", "^": "^"}
_EXTREME: dict[str, ReductionOperator] = {"fmin": "min", "fmax": "max"}

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Accumulation:
    """A statement that folds a value into `variable`; `members` are the ids of its own reads and write of it."""

    variable: str
    operator: ReductionOperator
    statement: NodeId
    members: frozenset[NodeId]
    is_array_element: bool


def accumulations(body: tuple[Statement, ...]) -> tuple[Accumulation, ...]:
    """All accumulating statements of a body, inner loops included, in source order."""
    found: list[Accumulation] = []
    taken: set[NodeId] = set()
    for statement in walk_statements(body):
        accumulation: Accumulation | None = None
        if isinstance(statement, If):
            accumulation = _guarded_extreme(statement)
        elif isinstance(statement, Assign) and statement.id not in taken:
            accumulation = _accumulation(statement)
        if accumulation is not None:
            taken.add(accumulation.statement)
            found.append(accumulation)
    return tuple(found)


def _accumulation(statement: Assign) -> Accumulation | None:
    key = _target_key(statement.target)
    if _is_integer(statement.target) and not _is_integer(statement.value):
        return None  # each step rounds: `int s; s += 0.5`
    if statement.operator:
        operator = _COMPOUND.get(statement.operator)
        if operator is None or _mentions(statement.value, key) or _is_cut(operator, statement.target.type):
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
    if not isinstance(node, Cast) or not _mentions(node, key):
        return False
    if not isinstance(target, Scalar) or not isinstance(node.type, Scalar) or target.kind != node.type.kind:
        return True
    return target.kind == "int" and node.type.size_bytes < target.size_bytes


def _is_cut(operator: ReductionOperator, target: CType) -> bool:
    """Whether sums of partial sums differ: a `_Bool` keeps only that something was not zero."""
    return isinstance(target, Scalar) and target.name in {"_Bool", "bool"} and operator in {"+", "^"}


def _keeps_order(target: CType, compared: tuple[Expression, ...]) -> bool:
    """Whether values compare as they do once they are in the target: a `char` may hold another number than it got."""
    return all(_is_kept(target, without_casts(part)) and _casts_keep(part) for part in compared)


def _casts_keep(part: Expression) -> bool:
    while isinstance(part, Cast):
        if not _is_kept(part.type, part.operand):
            return False
        part = part.operand
    return True


def _is_kept(target: CType, value: Expression) -> bool:
    """Whether a conversion keeps the order of all values (rounding to another floating type does)."""
    if not isinstance(target, Scalar) or not isinstance(value.type, Scalar):
        return False
    if target.kind != "int":
        return True
    if isinstance(value, Constant) and isinstance(value.value, int):
        return 0 <= value.value < 128
    return value.type.kind == "int" and holds_all_of(target, value.type)


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
        elif _mentions(node, key):
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
        return (_EXTREME[name], tuple(own)) if len(own) == 1 and not _mentions(other[0], key) else None
    if not isinstance(value, Conditional):
        return None
    order = _smaller_and_larger(value.condition)
    if order is None:
        return None
    smaller, larger = expression_key(order[0]), expression_key(order[1])
    chosen = (expression_key(value.then), expression_key(value.otherwise))
    if (smaller == key) == (larger == key) or set(chosen) != {smaller, larger}:
        return None
    if _mentions(order[1] if smaller == key else order[0], key):
        return None
    if not _keeps_order(target, (*order, value.then, value.otherwise)):
        return None
    own = [node for node in (*order, value.then, value.otherwise) if expression_key(node) == key]
    return "min" if chosen[0] == smaller else "max", tuple(without_casts(node) for node in own)


def _guarded_extreme(branch: If) -> Accumulation | None:
    """`if (e > x) x = e;`."""
    order = _smaller_and_larger(branch.condition)
    if order is None or len(branch.then) != 1 or branch.otherwise:
        return None
    statement = branch.then[0]
    if not isinstance(statement, Assign) or statement.operator:
        return None
    key, value = _target_key(statement.target), expression_key(statement.value)
    smaller, larger = expression_key(order[0]), expression_key(order[1])
    if {key, value} != {smaller, larger} or key == value or _mentions(statement.value, key):
        return None
    if not _keeps_order(statement.target.type, (*order, statement.value)):
        return None
    own = order[0] if smaller == key else order[1]
    return _made(statement, "max" if smaller == key else "min", (without_casts(own),), branch.id)


def _smaller_and_larger(condition: Expression) -> tuple[Expression, Expression] | None:
    condition = without_casts(condition)
    if not isinstance(condition, Binary):
        return None
    if condition.operator in {"<", "<="}:
        return condition.left, condition.right
    if condition.operator in {">", ">="}:
        return condition.right, condition.left
    return None


def _target_key(target: ScalarRef | Access) -> Key:
    return expression_key(target) if isinstance(target, ScalarRef) else access_key(target)


def _mentions(expression: Expression, key: Key) -> bool:
    """Whether the scalar or the array of the key is read in the expression."""
    label = key[-1]
    if isinstance(label, tuple) and label[0] == "scalar":
        return any(isinstance(node, ScalarRef) and node.name == label[1] for node in walk(expression))
    return any(access_key(access) == key for access in loads(expression))


def _is_integer(node: ScalarRef | Access | Expression) -> bool:
    return isinstance(node.type, Scalar) and node.type.kind == "int"
