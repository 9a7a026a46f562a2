"""Memory that a loop hands to functions of other files to work in, the same in each iteration.

Whoever vouches for such a function says that its calls meet in no memory; with one work array for all of them that
can only be true where each iteration could have had an array of its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from warplens.analysis.dependence.conflicts.dependence import Finding
from warplens.analysis.dependence.pointers.moving_pointers import moving_objects, read_alone
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Call, Handed, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import stated_name


def filling_calls(loop: Loop, name: str) -> tuple[NodeId, ...]:
    """Statements of a loop that hand an object to functions of other files, which may fill it."""
    return tuple(statement for statement, handed in _handed(loop) if handed.name == name)


def may_be_lent(nest: LoopNest, loop: Loop, finding: Finding, group: Iterable[Reference]) -> bool:
    """Whether a parameter may be work memory that the caller lends: functions of other files fill what a loop reads.

    They do so at the same place in each iteration, or iterations meet in it for sure. What is left in it is the
    caller's, so that only somebody who knows the caller can say that it may be lost. So is what a function of another
    file gave, however the loop uses it.
    """
    name = finding.variable
    if stated_name(name) in nest.lent:
        return True
    if not any(a.name == name and a.scope == "parameter" and a.is_pointer for a in nest.arrays):
        return False
    moving, filled = _moving(loop), [handed for _, handed in _handed(loop) if handed.name == name]
    is_one_place = any(handed.symbols.isdisjoint(moving) for handed in filled)
    is_shared = is_one_place or (finding.kind == "carried" and bool(filled))
    return is_shared and any(not r.is_write for r in group)


def if_unwanted(finding: Finding, copies: Finding, lent: Collection[str]) -> Finding:
    """What a loop comes to by such memory, whose `copies` would do if nobody wants what is left in it."""
    if copies.kind != "private":
        return copies
    who = "anybody" if finding.variable in lent else "the caller"
    reason = f"iterations share `{finding.variable}`, and whether {who} wants what is left in it is not known"
    return replace(finding, kind="unknown", reason=reason, may_be_private=True)


def handed_scratch(nest: LoopNest, loop: Loop) -> tuple[str, ...]:
    """Names of the function's own variables and arrays, used in this nest only, that iterations hand on as they are.

    Also of those into which pointers lead that are others in other iterations.
    """
    inside = {s.id for s in walk_statements((loop,)) if isinstance(s, Loop)}
    made_inside = {stated_name(array.name) for array in nest.arrays if array.declared_in in inside}
    made_inside |= {stated_name(scalar.name) for scalar in nest.scalars if scalar.declared_in in inside}
    moving = _moving(loop)
    arrays = {array.name: array.lies_in for array in nest.arrays}
    found = [
        arrays.get(handed.name) or stated_name(handed.name)
        for _, handed in _handed(loop)
        if handed.symbols.isdisjoint(moving)
    ]
    accessed = {access.array for statement in walk_statements((loop,)) for access in accesses_of(statement)}
    moved = [array for array in moving_objects(nest, loop) if array.name in accessed]
    read = read_alone(moved, nest, loop)
    found += [array.lies_in for array in moved if array.name not in read]
    return tuple(name for name in dict.fromkeys(found) if name in nest.scratch and name not in made_inside)


def _handed(loop: Loop) -> Iterator[tuple[NodeId, Handed]]:
    """Memory that functions of other files get, each with the statement that hands it to them."""
    for statement in walk_statements(loop.body):
        for expression in expressions_of(statement):
            for part in walk(expression):
                if isinstance(part, Call) and part.effects == "unseen":
                    yield from ((statement.id, handed) for handed in part.handed)


def _moving(loop: Loop) -> frozenset[str]:
    """Variables that are not the same in all of a loop's iterations, but the iterators of loops inside."""
    statements = walk_statements(loop.body)
    assigned = (s.target.name for s in statements if isinstance(s, Assign) and isinstance(s.target, ScalarRef))
    return frozenset((loop.iterator, *assigned))
