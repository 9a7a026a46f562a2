"""The part of an array that a clause names, as C text with names that are in scope above the nest."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product

from warplens.analysis.advice.naming import access_text
from warplens.analysis.c.c_types import size_bytes
from warplens.analysis.dependence.subscripts.iteration_domain import constant_symbols
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.memory_path import MemoryPath
from warplens.analysis.ir.nest import ArrayObject, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.c_sizes import NotInScopeError, SizeText
from warplens.analysis.ports.sections.hull import Touched
from warplens.analysis.ports.sections.size_order import SizeOrder
from warplens.analysis.ports.sections.touched_elements import TouchedElement
from warplens.analysis.ports.sections.touched_range import (
    HostValues,
    NeverTouchedError,
    RangeUnknownError,
    TouchedRange,
    touched_range,
)

_MOST_SIZES = 4
"""Sizes that are tried one by one."""

_MOST_CASES = 8
"""Combinations of alternatives of an access's conditions; one with more is refused."""


class SectionRefusedError(Exception):
    """The section can't be named; the message says why in the source's terms."""


class _NeverUsedError(Exception):
    """No access of the array ever happens."""


@dataclass(frozen=True, slots=True)
class MapSection:
    """`text` for the clause, how many elements it has, and whether something in it may not be touched at all.

    `is_taken_for_granted`: data decides whether the loop goes as far as the section. `has_start`: it begins with the
    element that the pointer leads to, or is the array itself.
    """

    text: str
    elements: Polynomial
    is_taken_for_granted: bool = False
    has_start: bool = True


def map_section(
    nest: LoopNest, array: ArrayObject, elements: Sequence[TouchedElement], order: SizeOrder
) -> MapSection | None:
    """`a[0:n*m]` for a pointer, `A` for a declared array (mapped whole), `A[1:n-2][0:m]` for a pointer to rows.

    From the first to the last element that the accesses reach; of a pointer to rows whole rows. What must hold for the
    section to be right is in `order.conditions` afterwards. None where none of the accesses ever happens.
    Raises SectionRefusedError when the ends are not polynomials of names known above the nest.
    """
    if MemoryPath.of(array.name).is_in_structure:
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
    if is_granted and not order.are_not_negative([lower.value]):
        raise SectionRefusedError(f"whether `{name}` is used below its start is decided by a condition")
    length = upper.value - lower.value + 1
    for condition in sorted(lower.conditions | upper.conditions, key=str):
        if not _is_empty_without(condition, length, order):
            order.require(condition)
    is_wide = any(_is_wide(element.access) for element in elements)
    section = _text(sizes, name, lower.value, length, inner, is_wide=is_wide)
    return MapSection(section.text, section.elements, is_granted, not lower.value.terms)


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
) -> tuple[Touched, Touched, bool]:
    """Least and largest index, and whether data decides if these are reached."""
    certain: list[TouchedRange] = []
    uncertain: list[TouchedRange] = []
    lossy: list[TouchedRange] = []
    for element in elements:
        loops = [loop.iterator for loop in element.loops]
        is_certain = not element.is_uncertain and not _is_guarded_by_constant(element, loops)
        kind = lossy if element.is_lossy else certain if is_certain else uncertain
        kind.extend(_ranges(nest, index_of(array, element.access), element))
    if not certain and not uncertain and not lossy:
        raise _NeverUsedError
    found: list[Touched] = []
    is_granted = False
    for which in ("smallest", "largest"):
        sure, followed, every = (
            [Touched(end, each.conditions) for each in ranges for end in _ends(each, which)]
            for ranges in (certain, certain + uncertain, certain + uncertain + lossy)
        )
        found.append(_decisive(nest, array, list(dict.fromkeys(every)), order, which))
        if found[-1] not in followed:
            raise SectionRefusedError(
                f"how far `{c_name(array.name)}` is used is decided by a condition that is not followed"
            )
        is_granted |= found[-1] not in sure
    return found[0], found[1], is_granted


def _ranges(nest: LoopNest, index: Polynomial | None, element: TouchedElement) -> Iterator[TouchedRange]:
    """One range for each way in which the conditions around an access may hold, both ends of it polynomials of sizes.

    Raises SectionRefusedError where the loops may not lead to an end.
    """
    text = f"how far `{access_text(nest, element.access)}` reaches"
    if index is None:
        raise SectionRefusedError(f"{text} is decided at run time")
    cases = list(product(*element.guards))
    if len(cases) > _MOST_CASES:
        raise SectionRefusedError(f"{text} is decided by too many conditions")
    known = constant_symbols(nest)
    for case in cases:
        try:
            found = touched_range(index, element.loops, case, known, HostValues())
        except NeverTouchedError:
            continue
        except RangeUnknownError as error:
            bounds = f"the bounds of `{c_name(error.iterator)}`"
            raise SectionRefusedError(f"{text} is not known from {bounds}") from error
        if found.is_guarded:
            raise SectionRefusedError(f"{text} depends on a condition that is not followed")
        ends = (*found.firsts, *found.lasts, *found.conditions)
        if not found.is_exact or not all(end.symbols <= known for end in ends):
            moving = " or ".join(f"`{c_name(loop.iterator)}`" for loop in element.loops)
            why = f"more than one bound, or the step, may end the loop over {moving}"
            raise SectionRefusedError(f"{text} is not known: {why}")
        yield found


def _ends(found: TouchedRange, which: str) -> tuple[Polynomial, ...]:
    return found.firsts if which == "smallest" else found.lasts


def _decisive(
    nest: LoopNest, array: ArrayObject, candidates: Sequence[Touched], order: SizeOrder, which: str
) -> Touched:
    """The candidate that is the smallest (largest) of all; raises SectionRefusedError."""
    sign = 1 if which == "largest" else -1
    for candidate in candidates:
        if order.are_not_negative([(candidate.value - other.value) * sign for other in candidates]):
            return candidate
    sizes = SizeText(nest)
    try:
        shown = ", ".join(f"`{sizes.text(value)}`" for value in dict.fromkeys(c.value for c in candidates))
    except NotInScopeError as error:
        raise SectionRefusedError(f"how far `{c_name(array.name)}` is used depends on `{error}`") from error
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
    total = Polynomial.constant(1)
    for factor in factors:
        total = total * factor
    return total
