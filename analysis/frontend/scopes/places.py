"""A place in memory while its expression is being lowered: object, subscripts so far, member, what is there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd

from warplens.analysis.c.arithmetic import binary
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.c.symbols import Symbol
from warplens.analysis.c.unsupported import UnsupportedError
from warplens.analysis.ir.expression import Constant, Expression
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import INT, ArrayOf, CType, PointerTo, Scalar, StructOf, as_volatile

UNKNOWN_ELEMENT_BYTES = 1
"""Size of an element of unknown type (`void`, an incomplete struct), as GNU C counts; noted as inexact."""


@dataclass(frozen=True, slots=True)
class Dimension:
    """One subscript: as written, as a polynomial (None if it is none), and the dimension's extent if known."""

    subscript: Expression
    index: Polynomial | None
    extent: Polynomial | None


@dataclass(frozen=True, slots=True)
class Place:
    """`array[dimensions].member`; `type` is what is there, an array when dimensions are still missing."""

    array: str
    dimensions: tuple[Dimension, ...]
    type: CType
    element_bytes: int
    member: str = ""
    member_offset_bytes: int = 0
    variable: Symbol | None = None
    """The scalar variable that this is, for a pointer to it."""
    narrow: Scalar | None = None
    """What the elements are that `type`, a vector, covers here."""
    is_in_member: bool = False
    """Whether subscripts of the member are among the dimensions."""
    is_walkable: bool = True
    """Whether what is there is an element of an array, as far as a member of a struct is one."""

    @property
    def is_start(self) -> bool:
        """Whether it is where the pointer leads that the object is named for."""
        return not self.member and all(d.index is not None and not d.index.terms for d in self.dimensions)

    def as_vector(self, ctype: Scalar) -> Place:
        """The elements from here on that a vector covers; raises UnsupportedError where it is not whole ones."""
        element = self.type
        if not isinstance(element, Scalar) or element.lanes > 1 or ctype.size_bytes % element.size_bytes:
            raise UnsupportedError("a pointer cast to a type of another size")
        return replace(self, type=ctype, narrow=element)

    def lanes(self) -> tuple[Place, ...]:
        """The elements that are read or written together here: one, unless a vector lies over several."""
        if self.narrow is None:
            return (self,)
        first = self.as_element(self.narrow)
        count = size_bytes(self.type) or 0
        return tuple(
            first.shifted(Constant(lane, INT), Polynomial.constant(lane))
            for lane in range(count // self.narrow.size_bytes)
        )

    def as_element(self, element: CType) -> Place:
        """The first of the elements that a vector covers."""
        return replace(self, type=element, narrow=None)

    def indexed(self, subscript: Expression, index: Polynomial | None) -> Place:
        """Element of the array at this place."""
        if not isinstance(self.type, ArrayOf):
            raise UnsupportedError("a subscript on something that is no array")
        element, extent = self.type.element, self.type.extent
        if not self.member:
            dimension = Dimension(subscript, index, extent)
            return replace(self, dimensions=(*self.dimensions, dimension), type=element)
        step_bytes = size_bytes(element)
        if not step_bytes:
            raise UnsupportedError(f"the layout of member `{self.member}` is not known")
        if self.is_folded:
            return self._folded(subscript, index, element, step_bytes)
        if index is not None and index.is_constant and not self.is_in_member:
            at = index.constant_term
            offset_bytes = self.member_offset_bytes + at * step_bytes
            return replace(
                self, type=element, member=f"{self.member}[{at}]", member_offset_bytes=offset_bytes, is_walkable=True
            )
        is_one = all(d.index is not None and not d.index.terms for d in self.dimensions)
        if self.element_bytes % step_bytes and (self.is_in_member or not is_one):
            return self._folded(subscript, index, element, step_bytes)
        inner = Polynomial.constant(-(-self.element_bytes // step_bytes))  # of one struct no other one is reached
        dimension = Dimension(subscript, index, inner)
        return replace(
            self, dimensions=(*self.dimensions, dimension), type=element, element_bytes=step_bytes, is_in_member=True,
            is_walkable=True,
        )  # fmt: skip

    @property
    def is_folded(self) -> bool:
        """Whether the last subscript counts parts of what is there: more of them belong into it."""
        size = size_bytes(self.type)
        return self.is_in_member and size is not None and size > self.element_bytes

    def _folded(self, subscript: Expression, index: Polynomial | None, element: CType, step_bytes: int) -> Place:
        """Element of a member in structs that its rows don't divide: one subscript counts what divides both."""
        unit = gcd(self.element_bytes, step_bytes)
        step, whole = step_bytes // unit, self.element_bytes // unit
        outer, scaled = self.dimensions, _times(subscript, step)
        total = None if index is None else index * step
        inner = Polynomial.constant(whole)
        if self.is_folded:
            *rest, last = self.dimensions
            outer = tuple(rest)
            scaled = binary("+", _times(last.subscript, whole), scaled)
            total = None if total is None or last.index is None else last.index * whole + total
            inner = inner if last.extent is None else last.extent * whole
        dimension = Dimension(scaled, total, inner)
        return replace(
            self, dimensions=(*outer, dimension), type=element, element_bytes=unit, is_in_member=True, is_walkable=True
        )

    def shifted(self, subscript: Expression, index: Polynomial | None) -> Place:
        """Place of `*(p + subscript)` for the place of `*p`."""
        if index is not None and not index.terms:
            return self
        if self.narrow is not None and isinstance(self.type, Scalar):
            width = self.type.size_bytes // self.narrow.size_bytes
            written = binary("*", Constant(width, INT), subscript)
            first = self.as_element(self.narrow).shifted(written, None if index is None else index * width)
            return first.as_vector(self.type)
        if self.member.endswith("]") and not self.is_in_member:
            return self._moved_in_member(subscript, index)
        size = size_bytes(self.type) if self.is_in_member else None
        if not self.dimensions or (self.member and not (self.is_walkable and size)):
            raise UnsupportedError("arithmetic on the address of a single object")
        if size is not None:  # a subscript of a member may count parts of its elements
            parts = size // self.element_bytes
            subscript, index = _times(subscript, parts), None if index is None else index * parts
        last = self.dimensions[-1]
        total = None if index is None or last.index is None else last.index + index
        is_start = isinstance(last.subscript, Constant) and last.subscript.value == 0
        written = subscript if is_start else binary("+", last.subscript, subscript)
        return replace(self, dimensions=(*self.dimensions[:-1], Dimension(written, total, last.extent)))

    def _moved_in_member(self, subscript: Expression, index: Polynomial | None) -> Place:
        """Place of `*(s.v + subscript)` for that of `s.v[2]`."""
        name, _, at = self.member.removesuffix("]").rpartition("[")
        step_bytes = size_bytes(self.type)
        if not step_bytes or not at.isdecimal():
            raise UnsupportedError("arithmetic on the address of a single object")
        start = Constant(int(at), INT)
        array = replace(
            self,
            member=name,
            type=ArrayOf(self.type, None),
            member_offset_bytes=self.member_offset_bytes - int(at) * step_bytes,
        )
        return array.indexed(binary("+", start, subscript), None if index is None else index + int(at))

    def field(self, name: str) -> Place:
        """Member of the struct at this place."""
        if isinstance(self.type, StructOf):
            for field in self.type.fields:
                if field.name == name:
                    return replace(
                        self,
                        type=as_volatile(field.type) if self.type.volatile else field.type,
                        member=f"{self.member}.{name}" if self.member else name,
                        member_offset_bytes=self.member_offset_bytes + field.offset_bytes,
                        is_walkable=False,
                    )
        raise UnsupportedError(f"member `{name}` of a type that is not known")

    def unindexed(self) -> Place:
        """Forget the subscripts' values (the pointer moves)."""
        return replace(self, dimensions=tuple(replace(d, index=None) for d in self.dimensions))


def _times(subscript: Expression, factor: int) -> Expression:
    return subscript if factor == 1 else binary("*", subscript, Constant(factor, INT))


def innermost_element(ctype: CType) -> CType:
    """Element type of an array of any number of dimensions."""
    while isinstance(ctype, ArrayOf):
        ctype = ctype.element
    return ctype


def element_bytes_of(ctype: CType) -> tuple[int, bool]:
    """Size of the innermost element and whether it is really known."""
    known = size_bytes(innermost_element(ctype))
    return (known, True) if known else (UNKNOWN_ELEMENT_BYTES, False)


def is_pointer_like(ctype: CType) -> bool:
    """Whether a value of this type is an address."""
    return isinstance(ctype, (PointerTo, ArrayOf))
