"""Members that a loop sets and that lead to what it uses: each load of one is a read that no access of the nest shows.

`s->p = q; z[i] = s->p[0];` leads elsewhere from the next iteration on. `s[i].p = q; s[i].p[j] = 0;` does not, as each
iteration sets the pointer that it follows.
"""

from __future__ import annotations

from collections.abc import Iterator

from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.types import PointerTo, StructOf


def stored_pointers(nest: LoopNest, loop: Loop) -> Iterator[tuple[str, NodeId]]:
    """Objects that are reached through pointers which other iterations may have set, with a statement that sets one."""
    stores = [
        (statement.target, statement.id)
        for statement in walk_statements(loop.body)
        if isinstance(statement, Assign) and isinstance(statement.target, Access) and _holds_pointers(statement.target)
    ]
    if not stores:
        return
    objects = {array.name: array for array in nest.arrays}
    inside = {statement.id for statement in walk_statements((loop,)) if isinstance(statement, Loop)}
    used: dict[str, list[Access]] = {}
    for statement in walk_statements((loop,)):
        for access in accesses_of(statement):
            used.setdefault(access.array, []).append(access)
    for target, identity in stores:
        holder = objects.get(target.array)
        if holder is None or holder.declared_in in inside:
            continue
        for name, accesses in used.items():
            if _leads_through(target, name) and not _is_own(target, name, accesses, loop):
                yield name, identity


def _holds_pointers(target: Access) -> bool:
    return isinstance(target.type, PointerTo | StructOf)


def _leads_through(target: Access, name: str) -> bool:
    """Whether an object is reached through a pointer that the store may set."""
    rest = MemoryPath.of(name).below(MemoryPath.of(target.array))
    if rest is None:
        return False
    if not target.member:
        return isinstance(target.type, StructOf)
    set_members = MemoryPath("").member(target.member).members
    return rest.members[: len(set_members)] == set_members


def _is_own(target: Access, name: str, followed: list[Access], loop: Loop) -> bool:
    """Whether each iteration sets the pointers that it follows, and no other one does."""
    rest = MemoryPath.of(name).below(MemoryPath.of(target.array))
    is_one_for_all = rest is None or not rest.is_of_elements
    places = {access.indices[: len(target.indices)] for access in followed}
    symbols = {symbol for index in target.indices if index is not None for symbol in index.symbols}
    return not is_one_for_all and places == {target.indices} and None not in target.indices and loop.iterator in symbols
