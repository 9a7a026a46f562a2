"""The calls in statements, and the functions of a loop by what is known of their effects."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import Loop, Statement, walk_statements


def calls_in(body: tuple[Statement, ...]) -> Iterator[Call]:
    """Every call, in source order."""
    return (
        part
        for statement in walk_statements(body)
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call)
    )


def unseen_functions(loop: Loop) -> tuple[str, ...]:
    """Functions called in the loop, of which the file doesn't tell what they touch, in source order."""
    return _functions(loop, "unseen")


def printing_functions(loop: Loop) -> tuple[str, ...]:
    """Functions called in the loop that print and do nothing else that stands against another order."""
    return _functions(loop, "prints")


def leaving_functions(loop: Loop) -> tuple[str, ...]:
    """Functions called in the loop by which the program goes on elsewhere."""
    return _functions(loop, "leaves")


def _functions(loop: Loop, effects: Literal["unseen", "prints", "leaves"]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(call.function for call in calls_in((loop,)) if call.effects == effects))
