"""Memory that a loop hands to functions of other files to work in, the same in each iteration.

Whoever vouches for such a function says that its calls meet in no memory; with one work array for all of them that
can only be true where each iteration could have had an array of its own.
"""

from __future__ import annotations

from warplens.analysis.facts.moving_pointers import is_read_alone, moving_objects, written_objects
from warplens.analysis.ir.accesses import accesses_of, expressions_of
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
    """Names of the function's own variables and arrays, used in this nest only, that iterations hand on as they are.

    Also of those into which pointers lead that are others in other iterations.
    """
    inside = {s.id for s in walk_statements((loop,)) if isinstance(s, Loop)}
    made_inside = {stated_name(array.name) for array in nest.arrays if array.declared_in in inside}
    made_inside |= {stated_name(scalar.name) for scalar in nest.scalars if scalar.declared_in in inside}
    moving = {loop.iterator} | {
        s.target.name for s in walk_statements(loop.body) if isinstance(s, Assign) and isinstance(s.target, ScalarRef)
    }
    arrays = {array.name: array.lies_in for array in nest.arrays}
    found = [
        arrays.get(handed.name) or stated_name(handed.name)
        for statement in walk_statements(loop.body)
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call) and part.effects == "unseen"
        for handed in part.handed
        if handed.symbols.isdisjoint(moving)
    ]
    written = written_objects(loop)
    accessed = {access.array for statement in walk_statements((loop,)) for access in accesses_of(statement)}
    found += [
        array.lies_in
        for array in moving_objects(nest, loop)
        if array.name in accessed and not is_read_alone(array, nest, loop, written)
    ]
    return tuple(name for name in dict.fromkeys(found) if name in nest.scratch and name not in made_inside)
