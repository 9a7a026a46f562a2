"""Where the largest or smallest value stands: `if (x[i] > m) { m = x[i]; at = i; }` and its other spellings.

Every variable of the branch is part of one reduction: the extreme value and what goes with it. Of equal values the
first in the loop's order wins where the comparison is strict, else the last: whoever runs the loop in another order
has to compare positions too.

Not modelled: comparisons with NaN.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from warplens.analysis.dependence.scalars.value_order import is_repeatable, keeps_order
from warplens.analysis.dependence.subscripts.affine_condition import access_key, expression_key, without_casts
from warplens.analysis.ir.expression import Access, Binary, Conditional, Expression, Load, ScalarRef, loads, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Statement

_FLIPPED = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}

Key = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ExtremePosition:
    """`members` are, by variable, the ids of its own reads and writes; `statements` its assignment."""

    operator: Literal["argmin", "argmax"]
    ties: Literal["first", "last"]
    members: tuple[tuple[str, frozenset[NodeId]], ...]
    statements: tuple[tuple[str, NodeId], ...]
    elements: frozenset[str]
    """Those variables that are memory."""


@dataclass(frozen=True, slots=True)
class _Update:
    """What happens when the condition holds; `readers` are the ids of the statements that evaluate it.

    `asked_before` are branches around that ask the same.
    """

    condition: Expression
    operator_flipped: bool
    assigns: tuple[Assign, ...]
    values: tuple[Expression, ...]
    readers: frozenset[NodeId]
    asked_before: tuple[If, ...] = ()


def extreme_positions(body: tuple[Statement, ...]) -> tuple[ExtremePosition, ...]:
    """Those that stand directly in this list of statements."""
    found = (_position(update) for update in _updates(body))
    return tuple(position for position in found if position is not None)


def _updates(body: tuple[Statement, ...]) -> Iterator[_Update]:
    at = 0
    while at < len(body):
        statement = body[at]
        at += 1
        if isinstance(statement, If) and not statement.otherwise:
            statement, before = asked_again(statement)
            assigns = tuple(s for s in statement.then if isinstance(s, Assign) and not s.operator)
            if assigns and len(assigns) == len(statement.then):
                values = tuple(s.value for s in assigns)
                yield _Update(statement.condition, False, assigns, values, frozenset((statement.id,)), before)
            continue
        first = _selected(statement)
        if first is None:
            continue
        run = [(statement, first)]
        while at < len(body) and (following := _selected(body[at])) is not None and _alike(first, following):
            run.append((body[at], following))
            at += 1
        chosen = tuple(s for s, _ in run if isinstance(s, Assign))
        yield _Update(
            first[0], first[1], chosen, tuple(value for _, (_, _, value) in run), frozenset(s.id for s, _ in run)
        )


def asked_again(branch: If) -> tuple[If, tuple[If, ...]]:
    """The innermost of branches that hold nothing but one which asks the same, as before and in a critical section.

    With those around it.
    """
    around: list[If] = []
    while len(branch.then) == 1 and isinstance(inner := branch.then[0], If) and not branch.otherwise:
        asked = {expression_key(part) for part in conjuncts_of(inner.condition)}
        if inner.otherwise or not is_repeatable(branch.condition):
            break
        if not asked.issuperset(map(expression_key, conjuncts_of(branch.condition))):
            break
        around.append(branch)
        branch = inner
    return branch, tuple(around)


def _selected(statement: Statement) -> tuple[Expression, bool, Expression] | None:
    """(condition, whether it is negated, value) of `x = condition ? value : x` or `x = condition ? x : value`."""
    if not isinstance(statement, Assign) or statement.operator:
        return None
    value = without_casts(statement.value)
    if not isinstance(value, Conditional):
        return None
    own = target_key(statement.target)
    if expression_key(value.otherwise) == own:
        return value.condition, False, value.then
    if expression_key(value.then) == own:
        return value.condition, True, value.otherwise
    return None


def _alike(first: tuple[Expression, bool, Expression], other: tuple[Expression, bool, Expression]) -> bool:
    return first[1] == other[1] and expression_key(first[0]) == expression_key(other[0])


def _position(update: _Update) -> ExtremePosition | None:
    targets = {target_key(s.target): s for s in update.assigns}
    if len(targets) != len(update.assigns):
        return None
    conjuncts = [update.condition] if update.operator_flipped else list(conjuncts_of(update.condition))
    deciding = [c for c in conjuncts if any(mentions(c, key) for key in targets)]
    if len(deciding) != 1:
        return None
    comparison = without_casts(deciding[0])
    if not isinstance(comparison, Binary) or comparison.operator not in _FLIPPED:
        return None
    operator = _FLIPPED[comparison.operator] if update.operator_flipped else comparison.operator
    if any(mentions(value, key) for value in update.values for key in targets):
        return None
    greater = operator in {">", ">="}
    for new, old, takes_larger in (
        (comparison.left, comparison.right, greater),
        (comparison.right, comparison.left, not greater),
    ):
        if _is_current(new, old, update, targets):
            return ExtremePosition(
                "argmax" if takes_larger else "argmin",
                "last" if operator in {"<=", ">="} else "first",
                tuple((_name(s.target), _members(s, update)) for s in update.assigns),
                tuple((_name(s.target), s.id) for s in update.assigns),
                frozenset(s.target.array for s in update.assigns if isinstance(s.target, Access)),
            )
    return None


def _is_current(new: Expression, old: Expression, update: _Update, targets: dict[Key, Assign]) -> bool:
    """Whether `old` is the kept value, or the element at the kept place, that `new` would replace."""
    if any(mentions(new, key) for key in targets) or not is_repeatable(new):
        return False
    old = without_casts(old)
    kept = targets.get(expression_key(old))
    values: dict[Key, Expression] = dict(
        zip((target_key(s.target) for s in update.assigns), update.values, strict=True)
    )
    if kept is not None:
        taken = values[expression_key(old)]
        # In a run of selections each evaluates the condition anew: the one that changes it has to be the last.
        in_order = len(update.readers) == 1 or update.assigns[-1] is kept
        return (
            in_order
            and expression_key(taken) == expression_key(new)
            and keeps_order(kept.target.type, (new, old, taken))
        )
    if not isinstance(old, Load) or len(update.readers) != 1:
        return False
    replaced: list[object] = []
    for label in expression_key(old):
        value = values.get((label,))
        replaced += (label,) if value is None else expression_key(value)
    # The subscript must hold what it is given: a narrow position could name another element.
    kept_types = [s.target.type for s in update.assigns if mentions(old, target_key(s.target))]
    given = [v for s, v in zip(update.assigns, update.values, strict=True) if mentions(old, target_key(s.target))]
    return tuple(replaced) == expression_key(new) and all(
        keeps_order(kind, (value,)) for kind, value in zip(kept_types, given, strict=True)
    )


def _members(statement: Assign, update: _Update) -> frozenset[NodeId]:
    target = statement.target
    if isinstance(target, ScalarRef):
        return update.readers | {statement.id, *(branch.id for branch in update.asked_before)}
    own = access_key(target)
    asked = (update.condition, *(branch.condition for branch in update.asked_before))
    read = [
        *(a for c in asked for a in loads(c)),
        *(a for s in update.assigns for a in loads(s.value) if len(update.readers) > 1),
    ]
    return frozenset((target.id, *(a.id for a in read if access_key(a) == own)))


def conjuncts_of(condition: Expression) -> Iterator[Expression]:
    """What `&&` joins."""
    stack = [condition]
    while stack:
        node = without_casts(stack.pop())
        if isinstance(node, Binary) and node.operator == "&&":
            stack += [node.right, node.left]
        else:
            yield node


def _name(target: ScalarRef | Access) -> str:
    return target.name if isinstance(target, ScalarRef) else target.array


def target_key(target: ScalarRef | Access) -> Key:
    """Key of a read of the target."""
    return expression_key(target) if isinstance(target, ScalarRef) else access_key(target)


def mentions(expression: Expression, key: Key) -> bool:
    """Whether the scalar or the array element of the key is read in the expression."""
    label = key[-1]
    if isinstance(label, tuple) and label[0] == "scalar":
        return any(isinstance(node, ScalarRef) and node.name == label[1] for node in walk(expression))
    return any(access_key(access) == key for access in loads(expression))
