"""Pointers that lead to other memory in other iterations of a loop: which of them hinder, and which don't.

A pointer that each iteration sets before it uses it carries nothing from one to the next, and what is only read through
it is never in the way of another iteration.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace

from warplens.analysis.dependence.scalars.privatization import is_live_after
from warplens.analysis.dependence.scalars.value_order import is_repeatable
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.accesses import accesses_of, expressions_of
from warplens.analysis.ir.expression import Access, Call, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject, Assign, Loop, LoopNest, walk_statements
from warplens.analysis.ir.source_names import c_name, stated_name


def moving_objects(nest: LoopNest, loop: Loop) -> Iterator[ArrayObject]:
    """Objects of a loop that may be other memory in other iterations, but those that each iteration makes anew."""
    inside = _loops_inside(loop)
    for array in nest.arrays:
        if array.chosen_in in inside and array.declared_in not in inside:
            yield array


def read_alone(arrays: Iterable[ArrayObject], nest: LoopNest, loop: Loop) -> frozenset[str]:
    """Objects that the loop only reads, through pointers that each of its iterations sets before it uses them."""
    written = written_objects(loop)
    return _set_anew([array for array in arrays if array.name not in written], nest, loop, written)


def _set_anew(arrays: Iterable[ArrayObject], nest: LoopNest, loop: Loop, written: Collection[str]) -> frozenset[str]:
    """A structure that holds the pointer is not written either, unless it is of the iteration itself."""
    inside = _loops_inside(loop)
    own = {other.name for other in nest.arrays if other.declared_in in inside}
    shared = [MemoryPath.of(name) for name in written if name not in own]
    return frozenset(
        array.name
        for array in arrays
        if array.set_in in inside and not any(MemoryPath.of(array.name).is_below(holder) for holder in shared)
    )


def own_rows(nest: LoopNest, loop: Loop, unshared: Collection[str]) -> frozenset[str]:
    """Objects that somebody says are each iteration's own: what one writes in them, no other one reaches by that name.

    Only where each iteration sets the pointer before it uses it. One of a called function goes by the name of what that
    function was handed.
    """
    asked = [array for array in moving_objects(nest, loop) if known_as(array) in unshared] if unshared else []
    return _set_anew(asked, nest, loop, written_objects(loop)) if asked else frozenset()


def known_as(array: ArrayObject) -> str:
    """The name by which a comment at the loop speaks of an object, empty if there is none."""
    return array.lies_in if array.is_of_called else c_name(array.name)


def scratch_rows(nest: LoopNest, loop: Loop, private: Collection[str]) -> frozenset[str]:
    """Objects in work arrays of which somebody says that each iteration reads only what it wrote itself.

    Where in the array the pointer leads has to be the iteration's own matter: it sets the pointer before it uses it,
    or its number says how often pointers to parts of the array were exchanged before.
    """
    inside, exchanged = _loops_inside(loop), exchanged_pointers(nest, loop, private)
    return frozenset(
        array.name
        for array in nest.arrays
        if array.lies_in
        and array.lies_in in private
        and (array.chosen_in not in inside or array.set_in in inside or array.reached_by in exchanged)
    )


def scratch_objects(nest: LoopNest, loop: Loop, private: Collection[str]) -> frozenset[str]:
    """Those objects, and the work arrays themselves."""
    arrays = {a.name for a in nest.arrays if stated_name(a.name) in nest.scratch | nest.lent and not a.reached_by}
    return scratch_rows(nest, loop, private) | {name for name in arrays if stated_name(name) in private}


def exchanged_pointers(nest: LoopNest, loop: Loop, private: Collection[str]) -> frozenset[str]:
    """Pointers to parts of such work arrays that the loop exchanges."""
    found = (names for around, names in nest.exchanged if around == loop.id and nest.scratch.intersection(private))
    return frozenset[str]().union(*found)


def possible_rows(nest: LoopNest, loop: Loop, private: Collection[str] = ()) -> frozenset[str]:
    """Pointers to written objects of which that could be said, but those to parts of `private` work arrays."""
    names = {array.name: known_as(array) for array in nest.arrays}
    rows = own_rows(nest, loop, frozenset(names.values()) - {""}) & written_objects(loop)
    return frozenset(names[row] for row in rows - scratch_rows(nest, loop, private))


def written_objects(loop: Loop) -> frozenset[str]:
    """Objects that a statement of the loop writes."""
    return frozenset(
        statement.target.array
        for statement in walk_statements((loop,))
        if isinstance(statement, Assign) and isinstance(statement.target, Access)
    )


def kept_memory(nest: LoopNest, loop: Loop) -> frozenset[str]:
    """Arrays that no iteration of a loop writes, and that are the same ones in all."""
    every = (node for s in walk_statements(loop.body) for part in expressions_of(s) for node in walk(part))
    if any(isinstance(node, Call) and not is_repeatable(node) for node in every):
        return frozenset()
    outer = {array.name for array in nest.arrays if array.declared_in is None}
    return frozenset(outer - written_objects(loop) - {array.name for array in moving_objects(nest, loop)})


def used_after(nest: LoopNest, loop: Loop, names: Iterable[str]) -> frozenset[str]:
    """Those of the scalars whose value that the loop leaves may be used later; a pointer's also by what it leads to."""
    asked = frozenset(names)
    led_to = [array for array in nest.arrays if array.reached_by in asked]
    used = frozenset(name for name in asked if is_live_after(nest, loop.id, name))
    if not led_to:
        return used
    inside = {statement.id for statement in walk_statements((loop,))}
    outside = (s for s in walk_statements((nest.root,)) if s.id not in inside)
    accessed = {access.array for s in outside for access in accesses_of(s)}
    return used.union(array.reached_by for array in led_to if array.name in accessed)


def is_used_after(nest: LoopNest, loop: Loop, name: str) -> bool:
    """Whether the value that the loop leaves in one scalar may be used later."""
    return bool(used_after(nest, loop, (name,)))


def _loops_inside(loop: Loop) -> frozenset[NodeId | None]:
    return frozenset((loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))))


def without_moving_tables(references: Iterable[Reference], moving: Collection[str]) -> list[Reference]:
    """References without subscripts read from objects that are other memory in other iterations.

    The same element of such a table is another value then. One may decide whether a statement runs, or how far a loop
    goes: in another iteration such a value says nothing (`Lookup.around`).
    """
    found = []
    for reference in references:
        if any(lookup.array in moving for lookup in reference.lookups):
            found.append(replace(reference, positions=reference.indices, definitions=()))
        else:
            found.append(reference)
    return found
