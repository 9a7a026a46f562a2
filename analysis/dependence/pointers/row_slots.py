"""Arrays of pointers whose pointers a loop sets, too: `m[i] = malloc(..); m[i][j] = 0;` touches two kinds of memory.

The pointers are one array, the rows that they lead to are others; who touches an element of a row reads its pointer.
Pointers that a loop only reads (`use(m[i]); m[i][j] = 0;`) are in nobody's way.

Assumes: no row lies where the pointers do (`char` rows may, they are not taken apart).
"""

from __future__ import annotations

from dataclasses import replace

from warplens.analysis.c.c_library import library_call
from warplens.analysis.dependence.subscripts.iteration_domain import Reference
from warplens.analysis.ir.expression import Call
from warplens.analysis.ir.nest import Assign, Loop, walk_statements
from warplens.analysis.ir.types import PointerTo, Scalar


def kinds_of_memory(loop: Loop, group: list[Reference]) -> tuple[list[Reference], ...]:
    """The references to one name: to pointers, and to elements of rows with what each of these reads of the pointers.

    One group where they are not of one kind each, or rows are written and a pointer is set to anything but memory that
    a call gives.
    """
    deepest = max(len(r.positions) for r in group)
    slots = [r for r in group if len(r.positions) < deepest]
    rows = [r for r in group if len(r.positions) == deepest]
    if slots and all(_only_leads_there(slot, rows) for slot in slots):
        return (rows,)
    if not any(r.is_write for r in slots) or not all(_is_in_a_row(r) for r in rows):
        return (group,)
    if any(r.is_write for r in rows) and not _are_given(loop, slots):
        return (group,)
    pattern = slots[0]
    depth = len(pattern.positions)
    if pattern.access is None or any(len(r.positions) != depth or not _is_pointer(r) for r in slots):
        return (group,)
    passed = [_pointer_read(r, pattern, depth) for r in rows]
    return ([*slots, *passed], rows)


def _only_leads_there(slot: Reference, rows: list[Reference]) -> bool:
    """Whether a pointer is read, and elements behind it of more than one byte are all that is written."""
    if slot.is_write or slot.access is None or not _is_pointer(slot):
        return False
    depth = len(slot.access.extents)
    accesses = [(row.access, row.is_write) for row in rows]
    return all(
        access is not None
        and len(access.extents) > depth
        and access.extents[depth] is None
        and not (is_written and access.element_bytes < 2)
        for access, is_written in accesses
    )


def _are_given(loop: Loop, slots: list[Reference]) -> bool:
    """Whether all pointers that the loop sets get memory of an iteration's own: new memory, or as somebody vouches."""
    written = {r.statement for r in slots if r.is_write}
    values = [s.value for s in walk_statements(loop.body) if isinstance(s, Assign) and s.id in written]
    return all(
        isinstance(value, Call) and (value.effects == "unseen" or _is_allocation(value.function)) for value in values
    )


def _is_allocation(function: str) -> bool:
    known = library_call(function)
    return known is not None and known.allocates


def _is_in_a_row(reference: Reference) -> bool:
    """Whether it is an element behind a pointer, of more than one byte."""
    access = reference.access
    if access is None or not isinstance(access.type, Scalar) or access.type.size_bytes < 2:
        return False
    return len(access.extents) > 1 and access.extents[-1] is None


def _is_pointer(reference: Reference) -> bool:
    access = reference.access
    return access is not None and not access.member and isinstance(access.type, PointerTo)


def _pointer_read(row: Reference, pattern: Reference, depth: int) -> Reference:
    """What reading or writing an element of a row reads first."""
    access = pattern.access
    if access is not None and row.access is not None:
        subscripts, indices = row.access.subscripts[:depth], row.access.indices[:depth]
        access = replace(access, id=row.access.id, subscripts=subscripts, indices=indices)
    return replace(
        row,
        is_write=False,
        indices=row.indices[:depth],
        positions=row.positions[:depth],
        first_byte=pattern.first_byte,
        size_bytes=pattern.size_bytes,
        access=access,
    )
