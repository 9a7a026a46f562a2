"""Single places in memory that a loop uses as a variable: `*done`, `state->failed`.

All that the loop reaches by the name of their object lies there or beside it, in other members of the one struct.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from warplens.analysis.dependence.pointers.moving_pointers import known_as, moving_objects
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.memory_path import MemoryPath, member_steps
from warplens.analysis.ir.nest import Loop, LoopNest, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import cell_of
from warplens.analysis.ir.types import PointerTo, Scalar


@dataclass(frozen=True, slots=True)
class MemoryCell:
    """One of them: its object, the accesses of the loop to it, and what a comment calls it."""

    name: str
    array: str
    accesses: frozenset[NodeId]
    is_member: bool

    @property
    def symbol(self) -> str:
        """A name for it among those of variables: none is called so."""
        return cell_of(self.name)


def memory_cells(nest: LoopNest, loop: Loop) -> tuple[MemoryCell, ...]:
    """Those of a loop that hold a number, sorted by name."""
    inside = {loop.id, *(s.id for s in walk_statements(loop.body) if isinstance(s, Loop))}
    moving = {array.name for array in moving_objects(nest, loop)}
    reached: dict[str, list[Access]] = {}
    for statement in walk_statements((loop,)):
        for access in accesses_of(statement):
            reached.setdefault(access.array, []).append(access)
    found = []
    for array in nest.arrays:
        accesses = reached.get(array.name, [])
        name = known_as(array)
        if not accesses or not name or array.name in moving or array.declared_in in inside:
            continue
        if not all(_is_first(access) and _bytes(access) for access in accesses):
            continue
        for member, group in _by_bytes(accesses):
            called = str(MemoryPath.of(name).member(member, is_arrow=array.is_pointer)) if member else name
            found.append(MemoryCell(called, array.name, frozenset(access.id for access in group), bool(member)))
    return tuple(sorted(found, key=lambda cell: cell.name))


def _by_bytes(accesses: Iterable[Access]) -> list[tuple[str, list[Access]]]:
    """Members whose bytes no other access of the object reaches a part of, each with its accesses."""
    groups: dict[tuple[int, int], list[Access]] = {}
    for access in accesses:
        groups.setdefault((access.member_offset_bytes, _bytes(access)), []).append(access)
    return [
        (group[0].member, group)
        for (first, size), group in groups.items()
        if len({(access.member, access.type) for access in group}) == 1
        and isinstance(group[0].type, Scalar)
        and not any(
            other < first + size and first < other + width for other, width in groups if (other, width) != (first, size)
        )
    ]


def _is_first(access: Access) -> bool:
    """Whether it is in the first element of what a pointer leads to, or in what is no array."""
    is_first = all(index == Polynomial(()) for index in access.indices)
    return is_first and not any(step.subscripts for step in member_steps(access.member))


def _bytes(access: Access) -> int:
    """Size of what is reached there, 0 where it is not known."""
    match access.type:
        case Scalar(size_bytes=size):
            return size
        case PointerTo():
            return 8
        case _:
            return 0
