"""The accesses of `volatile` and atomic objects in a loop: each happens, in the order of the source.

A variable of the function whose address goes nowhere is none of them: `volatile double t` makes the compiler round,
nothing but the function could see in which order. Of others somebody may know that nothing else reads or changes them.

Source: ISO C17 6.7.3 paragraph 7, 5.1.2.3 paragraph 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from warplens.analysis.dependence.pointers.moving_pointers import known_as
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.expression import Expression, Load, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, Statement, walk_statements
from warplens.analysis.ir.types import is_volatile


@dataclass(frozen=True, slots=True)
class VolatileAccess:
    """What is read or written, in C syntax, and its statement; reads in the headers of loops are the loops' own.

    `name` is that of the object for somebody who knows more of it, empty where a comment at the loop has none.
    """

    written: str
    statement: NodeId
    name: str


def volatile_accesses(nest: LoopNest, loop: Loop) -> Iterator[VolatileAccess]:
    """All of them, in source order; a loop that counts with a `volatile` variable can't count otherwise."""
    iterators = {s.iterator for s in walk_statements((loop,)) if isinstance(s, Loop)}
    own = {s.name for s in nest.scalars if s.scope != "global" and not s.address_taken and s.name not in iterators}
    names = {array.name: known_as(array) for array in nest.arrays}
    for statement in walk_statements((loop,)):
        for part in _parts(statement):
            for node in walk(part):
                match node:
                    case ScalarRef(name, ctype) if is_volatile(ctype) and name not in own:
                        yield VolatileAccess(name, statement.id, "" if name in iterators else name)
                    case Load(access) if is_volatile(access.type):
                        yield VolatileAccess(access.written, statement.id, names.get(access.array, ""))
                    case _:
                        pass


def names_of_volatile(nest: LoopNest, loop: Loop) -> tuple[str, ...]:
    """What somebody has to say of all of them to take them out of the way; with an empty name nobody can."""
    return tuple(dict.fromkeys(access.name for access in volatile_accesses(nest, loop)))


def _parts(statement: Statement) -> tuple[Expression, ...]:
    parts = expressions_of(statement)
    match statement:
        case Loop():
            starts = () if statement.start_read is None else (statement.start_read,)
            iterator = ScalarRef(statement.iterator, statement.iterator_type)
            return (*parts, *starts, *(read for read, _ in statement.limit_reads), iterator)
        case Assign(_, target):
            return (*parts, target if isinstance(target, ScalarRef) else Load(target))
        case _:
            return parts
