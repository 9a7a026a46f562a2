"""The part of an array that a map clause names, as C text with names that are in scope above the nest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from warplens.analysis.advice.naming import access_text
from warplens.analysis.facts.sites import access_sites
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.nest import ArrayObject, Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.size_order import is_at_least, least_sizes


class SectionRefusedError(Exception):
    """The section can't be named; the message says why in the source's terms."""


@dataclass(frozen=True, slots=True)
class MapSection:
    """`text` for the clause, and how many elements it has."""

    text: str
    elements: Polynomial


def map_section(nest: LoopNest, array: ArrayObject, accesses: Sequence[Access]) -> MapSection:
    """`a[0:n*m]` for a pointer, `A` for a declared array (mapped whole), `A[1:n-2][0:m]` for a pointer to rows.

    Rows (of the outermost dimension) are those that the accesses reach, inner dimensions are whole.
    Assumes: every loop runs at least once.
    Raises SectionRefusedError when the rows are not a polynomial of names known above the nest.
    """
    if "." in array.name or "->" in array.name:
        raise SectionRefusedError(f"`{array.name}` is reached through a structure: mapping it needs a deep copy")
    name = c_name(array.name)
    if not array.is_pointer and None not in array.extents:
        return MapSection(name, _product([e for e in array.extents if e is not None]))
    inner = [_known(nest, array, extent) for extent in _row_extents(array, accesses[0])]
    if any(list(_row_extents(array, access)) != inner for access in accesses):
        raise SectionRefusedError(f"`{name}` is indexed with different row lengths")
    for access in accesses:
        if access.conditions:
            raise SectionRefusedError(
                f"it is not proved that `{access_text(nest, access)}` stays in its row: {access.conditions[0]}"
            )
    lower, upper = reached_rows(nest, array, accesses)
    rows = upper - lower + 1
    row = _product(inner)
    if len(array.extents) > 1:
        return MapSection(
            f"{name}[{_c(lower)}:{_c(rows)}]" + "".join(f"[0:{_c(extent)}]" for extent in inner), rows * row
        )
    return MapSection(f"{name}[{_c(lower * row)}:{_c(rows * row)}]", rows * row)


def reached_rows(nest: LoopNest, array: ArrayObject, accesses: Sequence[Access]) -> tuple[Polynomial, Polynomial]:
    """First and last index in the outermost dimension that the accesses reach, in names known above the nest.

    Assumes and raises as `map_section`.
    """
    lower = _decisive(nest, array, [_extreme(nest, access, largest=False) for access in accesses], largest=False)
    upper = _decisive(nest, array, [_extreme(nest, access, largest=True) for access in accesses], largest=True)
    if lower.is_constant and lower.constant_term < 0:
        raise SectionRefusedError(f"`{c_name(array.name)}` is used below its start")
    return lower, upper


def _row_extents(array: ArrayObject, access: Access) -> tuple[Polynomial | None, ...]:
    """Inner dimensions in elements of the array: those of a member that is an array itself belong to the element."""
    is_member_array = access.element_bytes != array.element_bytes
    return access.extents[1 : len(array.extents)] if is_member_array else access.extents[1:]


def _decisive(nest: LoopNest, array: ArrayObject, candidates: Sequence[Polynomial], *, largest: bool) -> Polynomial:
    """The candidate that is certainly the largest (smallest) of them."""
    least = least_sizes(nest)
    for candidate in candidates:
        distances = [candidate - other if largest else other - candidate for other in candidates]
        if all(is_at_least(distance, 0, least) for distance in distances):
            return candidate
    shown = ", ".join(f"`{_c(candidate)}`" for candidate in dict.fromkeys(candidates))
    which = "largest" if largest else "smallest"
    raise SectionRefusedError(f"which subscript of `{c_name(array.name)}` is the {which} is not known: {shown}")


def _extreme(nest: LoopNest, access: Access, *, largest: bool) -> Polynomial:
    """Largest or smallest outermost index over the iteration space, in names known above the nest."""
    index = access.indices[0]
    text = access_text(nest, access)
    if index is None:
        raise SectionRefusedError(f"how far `{text}` reaches is decided at run time")
    for loop in reversed(_loops_around(nest, access)):
        slope = index.coefficient(loop.iterator)
        if not slope.terms:
            continue
        last = _last_value(loop)
        if loop.start is None or last is None or not slope.is_constant:
            raise SectionRefusedError(
                f"how far `{text}` reaches is not known from the bounds of `{c_name(loop.iterator)}`"
            )
        rises = (slope.constant_term > 0) == (loop.step > 0)
        index = index.substitute({loop.iterator: last if rises == largest else loop.start})
    _require_known(nest, index, f"how far `{text}` reaches")
    return index


def _loops_around(nest: LoopNest, access: Access) -> tuple[Loop, ...]:
    """Outer to inner: two loops of a nest that are not in each other may count with one variable."""
    return next(site.loops for site in access_sites(nest) if site.access.id == access.id)


def _last_value(loop: Loop) -> Polynomial | None:
    """Value of the iterator in the last iteration, None where the step may jump over the limit."""
    if len(loop.limits) != 1 or loop.start is None:
        return None
    limit, step = loop.limits[0], loop.step
    distance = limit - loop.start
    if distance.is_constant:
        iterations = -(-distance.constant_term // step)
        return loop.start + (iterations - 1) * step
    return limit - step if loop.exact_end or abs(step) == 1 else None


def _known(nest: LoopNest, array: ArrayObject, extent: Polynomial | None) -> Polynomial:
    if extent is None:
        raise SectionRefusedError(f"the row length of `{c_name(array.name)}` is not known")
    _require_known(nest, extent, f"the row length of `{c_name(array.name)}`")
    return extent


def _require_known(nest: LoopNest, polynomial: Polynomial, what: str) -> None:
    unknown = polynomial.symbols - (set(nest.parameters) - {derived.name for derived in nest.derived})
    if unknown:
        names = ", ".join(f"`{name}`" for name in sorted(unknown))
        raise SectionRefusedError(f"{what} depends on {names}: copy it to a variable above the loop")


def _product(factors: Sequence[Polynomial]) -> Polynomial:
    product = Polynomial.constant(1)
    for factor in factors:
        product = product * factor
    return product


def _c(polynomial: Polynomial) -> str:
    return "".join(str(polynomial).split())
