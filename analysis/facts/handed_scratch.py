"""Memory that a loop hands to functions of other files to work in, the same in each iteration.

Whoever vouches for such a function says that its calls meet in no memory; with one work array for all of them that
can only be true where each iteration could have had an array of its own.
"""

from __future__ import annotations

from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Call, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import stated_name


def filling_calls(loop: Loop, name: str) -> tuple[NodeId, ...]:
    """Statements of a loop that hand an object to functions of other files, which may fill it."""
    return tuple(
        statement.id
        for statement in walk_statements(loop.body)
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call) and part.effects == "unseen" and any(handed.name == name for handed in part.handed)
    )


def handed_scratch(nest: LoopNest, loop: Loop) -> tuple[str, ...]:
    """Names of the function's own variables and arrays, used in this nest only, that iterations hand on as they are."""
    inside = {s.id for s in walk_statements((loop,)) if isinstance(s, Loop)}
    made_inside = {stated_name(array.name) for array in nest.arrays if array.declared_in in inside}
    made_inside |= {stated_name(scalar.name) for scalar in nest.scalars if scalar.declared_in in inside}
    moving = {loop.iterator} | {
        s.target.name for s in walk_statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    }
    found = [
        stated_name(handed.name)
        for statement in walk_statements(loop.body)
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call) and part.effects == "unseen"
        for handed in part.handed
        if handed.symbols.isdisjoint(moving)
    ]
    return tuple(name for name in dict.fromkeys(found) if name in nest.scratch and name not in made_inside)
