"""Flags by which a loop gives up: once one is set the iterations to come do nothing more (`if (failed) continue;`)."""

from __future__ import annotations

from warplens.analysis.ir.expression import Binary, Cast, Constant, Expression, ScalarRef, Unary, walk
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, Statement, walk_statements


def only_gives_up(loop: Loop, name: str) -> bool:
    """Whether a scalar is set to one constant, beside no other work, and all work it decides is left out once it is.

    So it says that work failed. One set beside other work says that a first one was found, and what runs only once it
    is set wants to know of the iterations before: neither is for threads to ignore.
    """
    branches = [loop.body, *(b for s in walk_statements(loop.body) if isinstance(s, If) for b in (s.then, s.otherwise))]
    setting = [branch for branch in branches if any(_sets(statement, name) for statement in branch)]
    values = {_constant(s.value) for s in walk_statements(loop.body) if _sets(s, name) and isinstance(s, Assign)}
    value = next(iter(values)) if len(values) == 1 else None
    copied = any(name in _scalars(s.value) for s in walk_statements(loop.body) if isinstance(s, Assign))
    if value is None or copied or any(_works(branch, name) for branch in setting):
        return False
    return not any(
        _works(branch, name)
        for s in walk_statements(loop.body)
        if isinstance(s, If) and name in _scalars(s.condition)
        for branch in _branches_taken(s, name, value)
    )


def _branches_taken(choice: If, name: str, value: float) -> tuple[tuple[Statement, ...], ...]:
    """What may run of a choice once the scalar has the value."""
    holds = _truth(choice.condition, name, value)
    return (choice.then, choice.otherwise) if holds is None else (choice.then if holds else choice.otherwise,)


def _truth(condition: Expression, name: str, value: float) -> bool | None:
    """Whether a condition holds where the scalar has the value, None where that is not all it asks for."""
    match condition:
        case Unary(operator="!", operand=operand):
            inner = _truth(operand, name, value)
            return None if inner is None else not inner
        case Binary(operator="&&" | "||" as operator, left=left, right=right):
            sides = (_truth(left, name, value), _truth(right, name, value))
            decides = operator == "||"
            return decides if decides in sides else None if None in sides else not decides
        case Binary(operator="==" | "!=" as operator, left=left, right=right):
            one, other = _number(left, name, value), _number(right, name, value)
            return None if one is None or other is None else (one == other) == (operator == "==")
        case _:
            number = _number(condition, name, value)
            return None if number is None else bool(number)


def _number(expression: Expression, name: str, value: float) -> float | None:
    while isinstance(expression, Cast):
        expression = expression.operand
    return value if isinstance(expression, ScalarRef) and expression.name == name else _constant(expression)


def _constant(expression: Expression) -> float | None:
    while isinstance(expression, Cast):
        expression = expression.operand
    return expression.value if isinstance(expression, Constant) else None


def _scalars(expression: Expression) -> frozenset[str]:
    return frozenset(part.name for part in walk(expression) if isinstance(part, ScalarRef))


def _sets(statement: Statement, name: str) -> bool:
    return (
        isinstance(statement, Assign)
        and isinstance(statement.target, ScalarRef)
        and statement.target.name == name
        and not statement.operator
    )


def _works(branch: tuple[Statement, ...], name: str) -> bool:
    """Whether statements do anything but set the scalar."""
    return any(
        isinstance(s, Evaluate) or (isinstance(s, Assign) and not _sets(s, name)) for s in walk_statements(branch)
    )
