"""Types of the members that a name may mean, among all structures that a function knows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf


class MembersOfStructures:
    """Types of members by name of each structure that was asked for, with those that it holds; found once for each."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[StructOf, Mapping[str, Sequence[CType]]]] = {}

    def of(self, structure: StructOf) -> Mapping[str, Sequence[CType]]:
        """Types of its members and of those of what it holds."""
        if id(structure) not in self._found:
            self._found[id(structure)] = structure, _members(structure)
        return self._found[id(structure)][1]


class MemberTypes:
    """Types of the members of a name in some types and in what they point to.

    `around` has those that need not be looked at again.
    """

    def __init__(self, types: Iterable[CType], members: MembersOfStructures, around: MemberTypes | None = None) -> None:
        self._around = around
        self._structures: dict[int, StructOf] = {}
        for ctype in types:
            structure = _structure(ctype)
            if structure is not None and not self.knows(structure):
                self._structures[id(structure)] = structure
        self._members = [members.of(structure) for structure in self._structures.values()]
        self._known: dict[str, list[CType]] = {}
        self._ways: dict[str, frozenset[str]] = {}
        self._shared: frozenset[str] | None = None

    def knows(self, structure: StructOf) -> bool:
        """Whether the members of this very type are among them."""
        return id(structure) in self._structures or (self._around is not None and self._around.knows(structure))

    def of(self, name: str) -> list[CType]:
        """Types of all members of a name."""
        if name not in self._known:
            found = [] if self._around is None else self._around.of(name)
            self._known[name] = [*found, *(ctype for members in self._members for ctype in members.get(name, ()))]
        return self._known[name]

    def ways_of(self, name: str) -> frozenset[str]:
        """Ways through the types of all members of a name."""
        if name not in self._ways:
            self._ways[name] = frozenset(map(way_through, self.of(name)))
        return self._ways[name]

    def shares_memory(self, name: str) -> bool:
        """Whether a member of a name lies over others, in a union."""
        if self._shared is None:
            self._shared = frozenset[str]().union(*map(members_over_others, self._structures.values()))
        return name in self._shared or (self._around is not None and self._around.shares_memory(name))


def _structure(ctype: CType) -> StructOf | None:
    """What a type is or leads to, where its members are known."""
    while isinstance(ctype, ArrayOf | PointerTo):
        ctype = ctype.element if isinstance(ctype, ArrayOf) else ctype.target
    return ctype if isinstance(ctype, StructOf) and ctype.fields else None


def way_through(ctype: CType) -> str:
    """What lies behind each step through a type: all that tells an address, a number and a structure from each other.

    >>> way_through(PointerTo(PointerTo(StructOf("struct s", (), 8))))
    '**s'
    """
    way = ""
    while isinstance(ctype, ArrayOf | PointerTo):
        way += "[" if isinstance(ctype, ArrayOf) else "*"
        ctype = ctype.element if isinstance(ctype, ArrayOf) else ctype.target
    return way + ("n" if isinstance(ctype, Scalar) else "s" if isinstance(ctype, StructOf) else "?")


def _members(structure: StructOf) -> Mapping[str, Sequence[CType]]:
    found: dict[str, list[CType]] = {}
    stack = [structure]
    while stack:
        for field in stack.pop().fields:
            found.setdefault(field.name, []).append(field.type)
            inner = None if isinstance(field.type, PointerTo) else _structure(field.type)
            if inner is not None:
                stack.append(inner)
    return found


def members_over_others(ctype: CType) -> frozenset[str]:
    """Names of members that lie where another one of the same structure does, in a type and in what it holds."""
    found: set[str] = set()
    structure = _structure(ctype)
    stack = [] if structure is None else [structure]
    while stack:
        end, last = 0, ""
        for field in sorted(stack.pop().fields, key=lambda field: field.offset_bytes):
            found |= {field.name, last} if field.offset_bytes < end else set()
            if field.offset_bytes + (size_bytes(field.type) or 0) > end:
                end, last = field.offset_bytes + (size_bytes(field.type) or 0), field.name
            inner = None if isinstance(field.type, PointerTo) else _structure(field.type)
            if inner is not None:
                stack.append(inner)
    return frozenset(found)
