"""Memory references of a statement."""

from __future__ import annotations

from warplens.analysis.ir.expression import Access, Expression, loads
from warplens.analysis.ir.nest import Assign, Evaluate, If, Loop, Statement


def expressions_of(statement: Statement) -> tuple[Expression, ...]:
    """Expressions that the statement itself evaluates: an assignment's subscripts and value, a branch's condition."""
    match statement:
        case Assign(_, target, _, value):
            return (*target.subscripts, value) if isinstance(target, Access) else (value,)
        case If(_, condition):
            return (condition,)
        case Evaluate(_, expression):
            return (expression,)
        case Loop():
            return statement.bound_reads
        case _:
            return ()


def accesses_of(statement: Statement) -> tuple[Access, ...]:
    """Accesses of the statement itself, not of statements inside of it; an assignment's target comes first."""
    target = (statement.target,) if isinstance(statement, Assign) and isinstance(statement.target, Access) else ()
    return target + tuple(access for expression in expressions_of(statement) for access in loads(expression))
