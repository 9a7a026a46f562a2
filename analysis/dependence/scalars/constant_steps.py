"""Integers that a loop moves by constants in every iteration, without a closed form in the nest.

`for (i..) for (j <= i) a[k++] = ..`: k is `i * (i + 1) / 2 + j`. That the loop carries k is how it is written, no
property of what it computes: a loop that is *carried* because of such a variable alone could be another.
"""

from __future__ import annotations

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Access, Constant, ScalarRef, loads, walk
from warplens.analysis.ir.nest import Assign, Exit, Loop, Statement, walk_statements
from warplens.analysis.ir.types import Scalar


def has_constant_steps(loop: Loop, name: str) -> bool:
    """Whether each write of the subscript in the loop adds a constant, under no condition but counted loops."""
    if any(isinstance(statement, Exit) for statement in walk_statements(loop.body)):
        return False
    every = {s.id for s in walk_statements(loop.body) if isinstance(s, Assign) and _is_to(s, name)}
    steps = _steps(loop.body, name)
    return bool(every) and every == set(steps) and _is_place(loop, name)


def _is_place(loop: Loop, name: str) -> bool:
    """Whether the integer is a subscript; as a value, such as a function's own counter, the loop does carry it."""
    subscripts = [
        subscript
        for statement in walk_statements(loop.body)
        for access in (
            *((statement.target,) if isinstance(statement, Assign) and isinstance(statement.target, Access) else ()),
            *(found for expression in expressions_of(statement) for found in loads(expression)),
        )
        for subscript in access.subscripts
    ]
    return any(isinstance(node, ScalarRef) and node.name == name for s in subscripts for node in walk(s))


def _steps(body: tuple[Statement, ...], name: str) -> list[int]:
    found: list[int] = []
    for statement in body:
        if isinstance(statement, Assign) and _is_to(statement, name):
            kind = statement.target.type
            is_step = statement.operator in {"+", "-"} and isinstance(statement.value, Constant)
            if is_step and isinstance(kind, Scalar) and kind.kind == "int":
                found.append(statement.id)
        elif isinstance(statement, Loop) and statement.start is not None and statement.limits:
            is_read = any(
                isinstance(node, ScalarRef) and node.name == name
                for expression in expressions_of(statement)
                for node in walk(expression)
            )
            if statement.iterator != name and not is_read and not statement.bound_reads:
                found += _steps(statement.body, name)
    return found


def _is_to(statement: Assign, name: str) -> bool:
    return isinstance(statement.target, ScalarRef) and statement.target.name == name
