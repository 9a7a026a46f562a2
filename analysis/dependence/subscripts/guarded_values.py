"""What a guard says of a variable's value: in `if (bad == 1) flag = bad;` the flag becomes 1."""

from __future__ import annotations

from warplens.analysis.dependence.subscripts.iteration_domain import assigned_scalars
from warplens.analysis.ir.expression import Binary, Constant, Expression, ScalarRef, Unary
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, If, Loop, Statement, walk_statements
from warplens.analysis.ir.types import Scalar, is_volatile

_MOST_STABLE = 128
"""Numbers below are the same in every integer type."""


def guarded_values(body: tuple[Statement, ...]) -> dict[NodeId, Constant]:
    """Assignments of a variable whose value a condition around them says, with that value."""
    found: dict[NodeId, Constant] = {}
    _follow(body, {}, found)
    return found


def _follow(body: tuple[Statement, ...], known: dict[str, Constant], found: dict[NodeId, Constant]) -> None:
    for statement in body:
        match statement:
            case Assign(identity, _, "", ScalarRef(name)) if name in known:
                found[identity] = known[name]
            case If(_, condition, then, otherwise):
                _follow(then, {**known, **_implied(condition, holds=True)}, found)
                _follow(otherwise, {**known, **_implied(condition, holds=False)}, found)
            case Loop():
                _follow(statement.body, _after(known, statement), found)
            case _:
                pass
        known = _after(known, statement)


def _set_by(statement: Statement) -> frozenset[str]:
    """Scalars that a statement may change; a loop's iterator too."""
    iterators = (s.iterator for s in walk_statements((statement,)) if isinstance(s, Loop))
    return assigned_scalars((statement,)).union(iterators)


def _after(known: dict[str, Constant], statement: Statement) -> dict[str, Constant]:
    """What is still known behind a statement; where nothing is, nobody asks what it sets."""
    changed = _set_by(statement) if known else frozenset()
    return {name: value for name, value in known.items() if name not in changed}


def _implied(condition: Expression, *, holds: bool) -> dict[str, Constant]:
    """Values of variables when a condition holds, or does not."""
    match condition:
        case Unary("!", operand):
            return _implied(operand, holds=not holds)
        case Binary("&&" | "||" as operator, left, right) if holds == (operator == "&&"):
            return {**_implied(left, holds=holds), **_implied(right, holds=holds)}
        case ScalarRef() if not holds:
            return _value(condition, Constant(0, condition.type))
        case Binary("==" | "!=" as operator, left, right) if holds == (operator == "=="):
            return _value(left, right) or _value(right, left)
        case _:
            return {}


def _value(variable: Expression, value: Expression) -> dict[str, Constant]:
    if not isinstance(variable, ScalarRef) or not isinstance(value, Constant) or not isinstance(value.value, int):
        return {}
    is_integer = isinstance(variable.type, Scalar) and variable.type.kind == "int" and not is_volatile(variable.type)
    return {variable.name: value} if is_integer and 0 <= value.value < _MOST_STABLE else {}
