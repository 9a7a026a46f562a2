"""Objects of a nest that may be the same memory, because a pointer of the function was set from one or both of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import combinations

from warplens.analysis.frontend.pointers.pointer_path import ANYWHERE, PointerPath, Step, steps_to
from warplens.analysis.frontend.pointers.pointer_sources import PointerSources
from warplens.analysis.frontend.values.context import Origin
from warplens.analysis.ir.memory_path import MemoryPath, member_steps
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.source_names import c_name

_DEEPEST = 8
"""Calls in each other through which what a parameter stands for is followed."""


def with_shared_memory(
    arrays: Iterable[ArrayObject], origins: Mapping[str, Origin], sources: PointerSources, variables: Iterable[str] = ()
) -> tuple[ArrayObject, ...]:
    """The objects, each with those of the others that it may share memory with by the function's own assignments.

    And with those of the `variables`, whose addresses are taken, that its pointer was set to.
    """
    objects = tuple(arrays)
    declared = frozenset(a.name for a in objects if not a.is_pointer and a.name not in origins)
    finder = _Finder(origins, sources, declared)
    shared: dict[str, list[str]] = {array.name: [] for array in objects}
    for left, right in combinations(objects, 2):
        if not finder.are_apart(left, right) and finder.may_meet(left.name, right.name):
            shared[left.name].append(right.name)
            shared[right.name].append(left.name)
    for variable in variables:
        for array in objects:
            if array.is_pointer and not array.is_allocated and finder.leads_to(array.name, c_name(variable)):
                shared[array.name].append(variable)
    marked = (replace(a, may_point_into=tuple(shared[a.name])) if shared[a.name] else a for a in objects)
    return tuple(replace(a, rows_from=finder.rows_from(a.name)) if is_row_table(a) else a for a in marked)


def roots_by_name(
    names: Iterable[str], origins: Mapping[str, Origin], sources: PointerSources
) -> dict[str, frozenset[PointerPath]]:
    """What objects of these names may have been set from, as paths of this function and of those that it calls."""
    finder = _Finder(origins, sources)
    return {name: finder.roots_of(name) for name in names}


def is_row_table(array: ArrayObject) -> bool:
    """Whether an object stands for rows that pointers in it lead to."""
    return any(extent is None for extent in array.extents[1:])


class _Finder:
    def __init__(
        self, origins: Mapping[str, Origin], sources: PointerSources, declared: frozenset[str] = frozenset()
    ) -> None:
        self._origins = origins
        self._sources = sources
        # what is stored in an array doesn't move it, whatever that leads to
        self._roots = {name: frozenset((PointerPath(c_name(name)),)) for name in declared}

    def may_meet(self, left: str, right: str) -> bool:
        """Whether something leads to both."""
        if _may_be_one_pointer(left, right):
            return True
        one, other = self.roots_of(left), self.roots_of(right)
        if ANYWHERE in one or ANYWHERE in other:
            return True
        return not one.isdisjoint(other) and not self._are_exchanged(left, right)

    def are_apart(self, left: ArrayObject, right: ArrayObject) -> bool:
        """Whether they are two objects for sure: nothing but a pointer set from it reaches allocated memory."""
        if not (left.is_pointer or right.is_pointer):
            return True
        return (left.is_allocated and not self.leads_to(right.name, c_name(left.name))) or (
            right.is_allocated and not self.leads_to(left.name, c_name(right.name))
        )

    def leads_to(self, name: str, variable: str) -> bool:
        """Whether a pointer was set from the address of a variable."""
        return PointerPath(variable) in self.roots_of(name)

    def rows_from(self, name: str) -> str:
        """What rows start in that certainly overlap."""
        origin = self._origins.get(MemoryPath.of(name).base)
        if origin is not None and (origin.call is not None or origin.called is not None):
            return ""
        return self._sources.overlapping_rows(self._variable_path(name))

    def roots_of(self, name: str) -> frozenset[PointerPath]:
        """Paths that an object may have been set from."""
        if name not in self._roots:
            self._roots[name] = self._found(name, (), _DEEPEST)
        return self._roots[name]

    def _found(self, name: str, rest: tuple[Step, ...], depth: int) -> frozenset[PointerPath]:
        base, inner = steps_to(name)
        origin, steps = self._origins.get(base), (*inner, *rest)
        if origin is None or (origin.call is None and origin.called is None):
            variable = base if origin is None else origin.variable
            return self._sources.roots(PointerPath(c_name(variable)).then(*steps))
        if origin.called is None:
            call = self._sources.of_call(origin.call)
            return frozenset(((PointerPath(base) if call is None else call).then(*steps),))
        found: set[PointerPath] = set()
        for root in origin.called:
            if root.kind != "object":
                found.add(ANYWHERE if root == ANYWHERE else root.then(*steps))
            elif depth:
                found |= self._found(root.base, (*root.steps, *steps), depth - 1)
            else:
                found.add(ANYWHERE)
        return frozenset(found)

    def _variable_path(self, name: str) -> PointerPath:
        """The path of the pointer that an object of a name is led to by."""
        base, steps = steps_to(name)
        origin = self._origins.get(name) or self._origins.get(base)
        return PointerPath(c_name(base if origin is None else origin.variable)).then(*steps)

    def _are_exchanged(self, left: str, right: str) -> bool:
        """Whether both are values that pointers had at one moment which only ever swap them."""
        one, other = (self._origins.get(name, Origin(name)) for name in (left, right))
        names = tuple(self._variable_path(name) for name in (left, right))
        is_plain = one.called is None and other.called is None and one.call is None and other.call is None
        if not is_plain or one.point != other.point or not self._sources.are_exchanged(*names):
            return False
        return self._sources.roots(names[0], own=True).isdisjoint(self._sources.roots(names[1], own=True))


def _may_be_one_pointer(left: str, right: str) -> bool:
    """Whether one name leaves open which of several pointers in a struct is meant, and the other may be one of them.

    >>> [_may_be_one_pointer("p.rows[2]", name) for name in ("p[].rows", "p.rows[1]", "p.columns")]
    [True, False, False]
    """
    path, beside = MemoryPath.of(left), MemoryPath.of(right)
    one, other = (member_steps(".".join(each.members)) for each in (path, beside))
    if path.base != beside.base or [step.name for step in one] != [step.name for step in other]:
        return False
    both = [(a.subscripts, b.subscripts) for a, b in zip(one, other, strict=True)]
    return one != other and all(a == b for a, b in both if len(a) == len(b))
