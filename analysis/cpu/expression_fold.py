"""A value of an expression from those of its operands, without recursion: its depth is no limit."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from warplens.analysis.ir.expression import Expression, children

T = TypeVar("T")


def folded(expression: Expression, combine: Callable[[Expression, list[T]], T]) -> T:
    """Combine each node with the values of its operands, operands first."""
    values: list[T] = []
    stack: list[tuple[Expression, bool]] = [(expression, False)]
    while stack:
        node, expanded = stack.pop()
        operands = children(node)
        if operands and not expanded:
            stack.append((node, True))
            stack.extend((child, False) for child in reversed(operands))
            continue
        first = len(values) - len(operands)
        arguments = values[first:]
        del values[first:]
        values.append(combine(node, arguments))
    return values[0]
