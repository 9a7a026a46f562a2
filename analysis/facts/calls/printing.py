"""What a loop prints: its prints stand in each other's way by nothing but the order of the output."""

from __future__ import annotations

from warplens.analysis.ir.expression import Call, Expression
from warplens.analysis.ir.nest import Evaluate, If, Loop, Statement, walk_statements


def only_print(body: tuple[Statement, ...]) -> bool:
    """Whether statements do nothing but print."""
    inside = tuple(walk_statements(body))
    return all(isinstance(s, If | Loop) or (isinstance(s, Evaluate) and _is_print(s.expression)) for s in inside)


def _is_print(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.effects == "prints"
