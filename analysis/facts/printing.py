"""What a loop prints: its prints stand in each other's way by nothing but the order of the output."""

from __future__ import annotations

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, Expression, walk
from warplens.analysis.ir.nest import Evaluate, If, Loop, Statement, walk_statements


def printing_functions(loop: Loop) -> tuple[str, ...]:
    """Functions called in the loop that print and do nothing else that stands against another order."""
    return tuple(
        dict.fromkeys(
            part.function
            for statement in walk_statements((loop,))
            for expression in expressions_of(statement)
            for part in walk(expression)
            if isinstance(part, Call) and part.effects == "prints"
        )
    )


def only_print(body: tuple[Statement, ...]) -> bool:
    """Whether statements do nothing but print."""
    inside = tuple(walk_statements(body))
    return all(isinstance(s, If | Loop) or (isinstance(s, Evaluate) and _is_print(s.expression)) for s in inside)


def _is_print(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.effects == "prints"
