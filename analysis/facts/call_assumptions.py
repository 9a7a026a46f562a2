"""What is taken for granted of the functions that a loop calls."""

from __future__ import annotations

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Call, walk
from warplens.analysis.ir.nest import Loop, walk_statements


def call_assumptions(loop: Loop) -> tuple[Assumption, ...]:
    """One assumption per function whose calls in the loop are taken to do nothing but give a value."""
    found = [
        Assumption("call", part.function, part.note, origin="inferred")
        for statement in walk_statements((loop,))
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call) and part.effects == "assumed"
    ]
    return tuple(dict.fromkeys(found))
