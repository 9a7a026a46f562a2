"""Elements of arrays as subscripts in CUDA C++: rows are laid out by hand, members of structures named.

A pointer parameter has one dimension on the device, so `a[i][k]` with rows of n becomes `a[i * n + k]`. Where C made
that product in `int` it can't have overflowed and stays `int`; elsewhere it is made in `long`, as pointers move. A
private array and an array inside a structure keep their dimensions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.expression import Access, Binary, Cast, Constant, Expression, ScalarRef, Unknown, c_text, walk
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ir.types import INT, LONG, ArrayOf, CType, PointerTo, Scalar, StructOf
from warplens.analysis.ports.cuda.counter_room import is_within_room
from warplens.analysis.ports.cuda.expression_text import PRIMARY, PRODUCT, SUM, UNARY, Text
from warplens.analysis.ports.cuda.plan import PortRefusedError
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText

_WORD = re.compile(r"[A-Za-z_]\w*")
_UNCUT = 10**6
_NO_TEXT = re.compile(r"[\s()]")
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

    def offset(self, access: Access, indices: Sequence[str], *, wide: bool) -> str:
        """Number of the element with these indices (sums) in the array of an access; `wide`: in `long` anyway."""
        return self._flat(access, [Text(index, SUM if " " in index else PRIMARY) for index in indices], wide=wide)

    def _flat(self, access: Access, indices: Sequence[Text], *, wide: bool = False) -> str:
        wide = wide or self._is_wide(access, self.arrays[access.array], len(indices))
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
            kind, linear = access.subscripts[0].type, access.linear_index
            is_int = isinstance(kind, Scalar) and kind.size_bytes <= 4 and kind.signed
            return not is_int or linear is None or not linear.symbols <= _words(access)
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
        is_closed = _is_closed(subscript)
        if index is not None and (is_taken_apart or is_closed) and self._has_names(index):
            is_wide = is_closed or self._is_wide(access, array, len(access.subscripts))
            return self.polynomials.piece(index, wide=is_wide and not is_within_room(index))
        return self.expression(subscript if is_as_written(access, subscript) else widened(subscript))

    def _has_names(self, index: Polynomial) -> bool:
        return all(symbol in self.polynomials.types or symbol in self.polynomials.derived for symbol in index.symbols)


def is_as_written(access: Access, subscript: Expression) -> bool:
    """Whether C itself made the number, and not a pointer's movement of 64 bits beside another subscript."""
    if not access.text:  # a macro's, or the bound of a loop
        (index, *_) = (i for s, i in zip(access.subscripts, access.indices, strict=True) if s is subscript)
        return index is not None and is_within_room(index)
    wanted, text = (_NO_TEXT.sub("", one) for one in (c_text(subscript, _UNCUT), access.text))
    if wanted in text:
        return True
    names = {node.name for node in walk(subscript) if isinstance(node, ScalarRef)}
    words, array = _words(access), c_name(access.array)
    has_macro = bool(words - names - {array})  # a constant of another name
    return access.text.startswith(array) and names <= words and has_macro


def widened(subscript: Expression) -> Expression:
    """The same number with sums and products of `int` made in `long`."""
    if not isinstance(subscript, Binary) or subscript.operator not in {"+", "-", "*"}:
        return subscript
    if not isinstance(subscript.type, Scalar) or not subscript.type.signed:
        return subscript
    left, right = widened(subscript.left), widened(subscript.right)
    if left.type == right.type == INT:
        left = Constant(left.value, LONG) if isinstance(left, Constant) else Cast(left, LONG)
    return Binary(subscript.operator, left, right, LONG)


def _words(access: Access) -> frozenset[str]:
    return frozenset(_WORD.findall(access.text))


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
