"""Elements of arrays as subscripts in CUDA C++: rows are laid out by hand, members of structures named.

A pointer parameter has one dimension on the device, so `a[i][k]` with rows of n becomes `a[i * n + k]`. Where C made
that product in `int` it can't have overflowed and stays `int`; elsewhere it is made in `long`. A private array and an
array inside a structure keep their dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.expression import Access, Expression, Unknown, walk
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import ArrayOf, CType, PointerTo, Scalar, StructOf
from warplens.analysis.ports.cuda.expression_text import PRIMARY, PRODUCT, SUM, UNARY, Text
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText

_COMPONENT = re.compile(r"(\w+)((?:\[\d+\])*)")


@dataclass(frozen=True, slots=True)
class AccessText:
    """Prints accesses; `private` are the arrays that each thread has of its own."""

    arrays: Mapping[str, ArrayObject]
    name: Callable[[str], str]
    private: frozenset[str]
    polynomials: PolynomialText
    expression: Callable[[Expression], Text]

    def text(self, access: Access) -> Text:
        """The element; raises PortRefusedError where its place can't be said."""
        array = self.arrays[access.array]
        names, inner_dimensions = _members(access.member, array.element, access)
        outer = len(access.subscripts) - inner_dimensions
        if outer < len(array.extents) and (names or outer != 1):
            raise PortRefusedError(f"how `{access.written}` reaches its member is not understood")
        base = self.name(access.array)
        index = self._index(access, array, outer)
        if outer == 0:
            element = base
        elif array.name not in self.private and index == "0" and array.is_pointer and names:
            return Text(f"{base}->{self._path(names, access, outer)}")
        else:
            element = f"{base}{index}" if array.name in self.private else f"{base}[{index}]"
        return Text(f"{element}.{self._path(names, access, outer)}" if names else element)

    def _path(self, names: tuple[tuple[str, int], ...], access: Access, outer: int) -> str:
        parts: list[str] = []
        dimension = outer
        for name, count in names:
            subscripts = "".join(f"[{self._subscript(access, d).text}]" for d in range(dimension, dimension + count))
            parts.append(name + subscripts)
            dimension += count
        return ".".join(parts)

    def _index(self, access: Access, array: ArrayObject, outer: int) -> str:
        if array.name in self.private:
            if outer != len(array.extents):
                raise PortRefusedError(f"`{access.written}` walks over the rows of an array that each thread has")
            return "".join(f"[{self._subscript(access, d).text}]" for d in range(outer))
        if outer == 1:
            return self._subscript(access, 0).text
        return self._flat(access, [self._subscript(access, dimension) for dimension in range(outer)])

    def offset(self, access: Access, indices: Sequence[str]) -> str:
        """Number of the element with these indices (sums) in the array of an access."""
        return self._flat(access, [Text(index, SUM if " " in index else PRIMARY) for index in indices])

    def _flat(self, access: Access, indices: Sequence[Text]) -> str:
        wide = self._is_wide(access, self.arrays[access.array], len(indices))
        total: Text | None = None
        for dimension, index in enumerate(indices):
            if total is None:
                total = None if index.text == "0" else index
                continue
            extent = access.extents[dimension]
            if extent is None:
                raise PortRefusedError(f"the row length of `{c_name(access.array)}` is not known")
            rows = self.polynomials.piece(extent).within(PRODUCT + 1)
            if wide and not total.text.startswith("(long)"):
                total = Text(f"(long){total.within(UNARY)}", UNARY)
            product = Text(f"{total.within(PRODUCT)} * {rows}", PRODUCT)
            total = product if index.text == "0" else Text(f"{product.text} + {index.within(SUM)}", SUM)
        return "0" if total is None else total.text

    def _is_wide(self, access: Access, array: ArrayObject, outer: int) -> bool:
        """Whether the product of row and row length may need 64 bits: not where C itself made it in 32."""
        if len(array.extents) < outer:  # `a[i * n + k]` taken apart
            kind = access.subscripts[0].type
            return not (isinstance(kind, Scalar) and kind.size_bytes <= 4 and kind.signed)
        if array.scope == "parameter":  # a pointer to rows: there may be more than are declared
            return True
        elements = 1
        for extent in array.extents:
            if extent is None or not extent.is_constant:
                return True
            elements *= extent.constant_term
        return elements >= 2**31

    def _subscript(self, access: Access, dimension: int) -> Text:
        """As the source has it where that is an expression, or else from the polynomial."""
        subscript, index = access.subscripts[dimension], access.indices[dimension]
        array = self.arrays[access.array]
        is_taken_apart = len(access.subscripts) > len(array.extents) and not access.member
        if index is not None and (is_taken_apart or _is_closed(subscript)) and self._has_names(index):
            return self.polynomials.piece(index)
        return self.expression(subscript)

    def _has_names(self, index: Polynomial) -> bool:
        return all(symbol in self.polynomials.types or symbol in self.polynomials.derived for symbol in index.symbols)


def _is_closed(subscript: Expression) -> bool:
    """Whether the expression is no more than what a pointer's movement came to."""
    return any(isinstance(node, Unknown) for node in walk(subscript))


def _members(path: str, element: CType, access: Access) -> tuple[tuple[tuple[str, int], ...], int]:
    """Members on the way to what is read, each with how many of the access's subscripts stand behind it."""
    found: list[tuple[str, int]] = []
    current = element
    for component in path.split(".") if path else ():
        match = _COMPONENT.fullmatch(component)
        if match is None or not isinstance(current, StructOf):
            raise PortRefusedError(f"how `{access.written}` reaches its member is not understood")
        one = next((field for field in current.fields if field.name == match[1]), None)
        if one is None:
            raise PortRefusedError(f"`{access.written}` reads a member that its type does not have")
        current, given = one.type, match[2].count("[")
        for _ in range(given):
            current = _element(current, access)
        count = 0
        while isinstance(current, ArrayOf):
            current, count = current.element, count + 1
        found.append((component, count))
    if isinstance(current, PointerTo):
        raise PortRefusedError(f"`{access.written}` is a pointer, which means nothing on the device")
    if not _is_alike(current, access.type):
        raise PortRefusedError(f"`{access.written}` reads the bytes of its element as another type")
    return tuple(found), sum(count for _, count in found)


def _element(ctype: CType, access: Access) -> CType:
    if not isinstance(ctype, ArrayOf):
        raise PortRefusedError(f"how `{access.written}` reaches its member is not understood")
    return ctype.element


def _is_alike(one: CType, other: CType) -> bool:
    if isinstance(one, Scalar) and isinstance(other, Scalar):
        return (one.kind, one.size_bytes, one.signed) == (other.kind, other.size_bytes, other.signed)
    return one == other
