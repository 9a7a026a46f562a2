"""The part of an array that a clause names, as C text with names that are in scope above the nest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from warplens.analysis.advice.naming import access_text
from warplens.analysis.frontend.c_types import size_bytes
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.c_sizes import NotInScopeError, SizeText
from warplens.analysis.ports.directives.index_range import (
    IndexEnd,
    RangeUnknownError,
    largest_of,
    smallest_of,
)
from warplens.analysis.ports.directives.touched_elements import TouchedElement
from warplens.analysis.ports.sections.size_order import SizeOrder

_MOST_SIZES = 4
"""Sizes that are tried one by one."""

_Ends = Callable[[Polynomial, TouchedElement, SizeOrder], list[IndexEnd]]


class SectionRefusedError(Exception):
    """The section can't be named; the message says why in the source's terms."""


class _NeverUsedError(Exception):
    """No access of the array ever happens."""


@dataclass(frozen=True, slots=True)
class MapSection:
    """`text` for the clause, how many elements it has, and whether something in it may not be touched at all.

    `is_taken_for_granted`: data decides whether the loop goes as far as the section.
    """

    text: str
    elements: Polynomial
    is_taken_for_granted: bool = False


def map_section(
    nest: LoopNest, array: ArrayObject, elements: Sequence[TouchedElement], order: SizeOrder
) -> MapSection | None:
    """`a[0:n*m]` for a pointer, `A` for a declared array (mapped whole), `A[1:n-2][0:m]` for a pointer to rows.

    From the first to the last element that the accesses reach; of a pointer to rows whole rows. What must hold for the
    section to be right is in `order.conditions` afterwards. None where none of the accesses ever happens.
    Raises SectionRefusedError when the ends are not polynomials of names known above the nest.
    """
    if "." in array.name or "->" in array.name:
        raise SectionRefusedError(f"`{array.name}` is reached through a structure: mapping it needs a deep copy")
    name, sizes = c_name(array.name), SizeText(nest)
    if not array.is_pointer and None not in array.extents:
        return MapSection(name, _product([e for e in array.extents if e is not None]))
    rows = _declared_rows(array)
    if rows is not None and any(None in element.access.indices[:1] for element in elements):
        order.require(rows - 1)
        return _text(sizes, name, Polynomial(()), rows, _inner(array, elements, name), is_wide=False)
    inner = _inner(array, elements, name)
    try:
        lower, upper, is_granted = _hull(nest, array, elements, order, _outermost if inner else _linear)
    except _NeverUsedError:
        return None
    if lower.value.is_constant and lower.value.constant_term < 0:
        raise SectionRefusedError(f"`{name}` is used below its start")
    length = upper.value - lower.value + 1
    for condition in (*lower.conditions, *upper.conditions):
        if not _is_empty_without(condition, length, order):
            order.require(condition)
    is_wide = any(_is_wide(element.access) for element in elements)
    section = _text(sizes, name, lower.value, length, inner, is_wide=is_wide)
    return MapSection(section.text, section.elements, is_granted)


def _is_empty_without(condition: Polynomial, length: Polynomial, order: SizeOrder) -> bool:
    """Whether a section has no element anyway where the condition (>= 0) of its ends doesn't hold: `n - 1` of `n*m`.

    A section with elements would be copied then although the loops touch none of them.
    """
    if len(condition.symbols) != 1 or condition.degree != 1:
        return False
    (name,) = condition.symbols
    is_counted = order.is_surely_at_least(Polynomial.symbol(name), 0) and order.is_surely_at_least(length, 0)
    if condition.coefficient(name) != Polynomial.constant(1) or not is_counted:
        return False
    fails = range(min(-condition.constant_term, _MOST_SIZES))
    if len(fails) < -condition.constant_term:
        return False
    return all(order.is_surely_at_least(-length.substitute({name: size}), 0) for size in fails)


def _text(
    sizes: SizeText, name: str, lower: Polynomial, length: Polynomial, inner: Sequence[Polynomial], *, is_wide: bool
) -> MapSection:
    try:
        ends = f"{name}[{sizes.text(lower, is_wide=is_wide)}:{sizes.text(length, is_wide=is_wide)}]"
        text = ends + "".join(f"[0:{sizes.text(extent)}]" for extent in inner)
    except NotInScopeError as error:
        what = f"how far `{name}` is used depends on `{error}`"
        raise SectionRefusedError(f"{what}: copy it to a variable above the loop") from error
    return MapSection(text, length * _product(inner))


def _declared_rows(array: ArrayObject) -> Polynomial | None:
    """Outermost extent of a parameter that is declared with one: `double x[4096]`."""
    return array.extents[0] if array.extents else None


def _inner(array: ArrayObject, elements: Sequence[TouchedElement], name: str) -> list[Polynomial]:
    """Row lengths of a pointer to rows, outer to inner: what its type says, none of a pointer to elements."""
    extents = array.extents[1:]
    for element in elements:
        if element.access.extents[1 : len(array.extents)] != extents:
            raise SectionRefusedError(f"`{name}` is indexed with different row lengths")
    found = [extent for extent in extents if extent is not None]
    if len(found) < len(extents):
        raise SectionRefusedError(f"the row length of `{name}` is not known")
    return found


def _outermost(array: ArrayObject, access: Access) -> Polynomial | None:
    del array
    return access.indices[0]


def _linear(array: ArrayObject, access: Access) -> Polynomial | None:
    """Index in elements of the array: the subscripts of a member that is an array itself are inside of one."""
    if access.element_bytes != array.element_bytes:
        return access.indices[0] if access.indices else None
    return access.linear_index


def _hull(
    nest: LoopNest,
    array: ArrayObject,
    elements: Sequence[TouchedElement],
    order: SizeOrder,
    index_of: Callable[[ArrayObject, Access], Polynomial | None],
) -> tuple[IndexEnd, IndexEnd, bool]:
    """Least and largest index, and whether data decides if these are reached."""
    lower, is_lower_granted = _end(nest, array, elements, order, index_of, smallest_of, -1)
    upper, is_upper_granted = _end(nest, array, elements, order, index_of, largest_of, 1)
    return lower, upper, is_lower_granted or is_upper_granted


def _end(
    nest: LoopNest,
    array: ArrayObject,
    elements: Sequence[TouchedElement],
    order: SizeOrder,
    index_of: Callable[[ArrayObject, Access], Polynomial | None],
    ends_of: _Ends,
    sign: int,
) -> tuple[IndexEnd, bool]:
    certain: list[IndexEnd] = []
    uncertain: list[IndexEnd] = []
    for element in elements:
        text = access_text(nest, element.access)
        index = index_of(array, element.access)
        if index is None:
            raise SectionRefusedError(f"how far `{text}` reaches is decided at run time")
        try:
            found = ends_of(index, element, order)
        except RangeUnknownError as error:
            raise SectionRefusedError(f"how far `{text}` reaches {error}") from error
        loops = [loop.iterator for loop in element.loops]
        (uncertain if element.is_uncertain or _is_guarded_by_constant(element, loops) else certain).extend(found)
    candidates = list(dict.fromkeys((*certain, *uncertain)))
    for candidate in candidates:
        if order.are_not_negative([(candidate.value - other.value) * sign for other in candidates]):
            return candidate, candidate not in certain
    if not candidates:
        raise _NeverUsedError
    sizes = SizeText(nest)
    try:
        shown = ", ".join(f"`{sizes.text(value)}`" for value in dict.fromkeys(c.value for c in candidates))
    except NotInScopeError as error:
        raise SectionRefusedError(f"how far `{c_name(array.name)}` is used depends on `{error}`") from error
    which = "largest" if sign > 0 else "smallest"
    raise SectionRefusedError(f"which subscript of `{c_name(array.name)}` is the {which} is not known: {shown}")


def _is_guarded_by_constant(element: TouchedElement, iterators: Sequence[str]) -> bool:
    """Whether a condition on nothing but constants decides if it happens."""
    return any(
        condition.symbols.isdisjoint(iterators)
        for guard in element.guards
        for conjunction in guard
        for condition in conjunction
    )


def _is_wide(access: Access) -> bool:
    return any((size_bytes(subscript.type) or 0) > 4 for subscript in access.subscripts)


def _product(factors: Sequence[Polynomial]) -> Polynomial:
    product = Polynomial.constant(1)
    for factor in factors:
        product = product * factor
    return product
