"""Expressions that do something besides giving a value."""

from __future__ import annotations

from pycparser import c_ast
from warplens.analysis.c.math_calls import math_function
from warplens.analysis.frontend.expressions.expression_types import INCREMENTS


def may_emit(node: c_ast.Node) -> bool:
    """Whether an expression may do something besides giving a value: a call that is no operation, an assignment."""
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, (c_ast.Assignment, c_ast.Compound)) or (
            isinstance(item, c_ast.UnaryOp) and item.op in INCREMENTS
        ):
            return True
        if isinstance(item, c_ast.FuncCall):
            name = item.name.name if isinstance(item.name, c_ast.ID) else ""
            if not name or math_function(name) is None:
                return True
        stack.extend(item)
    return False
