"""How many elements of an array a set of iterations touches: the bounding box of the index ranges.

The hull is exact for dense boxes with unit steps; a strided or diagonal access counts the elements between as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.derived_symbols import formula_of
from warplens.analysis.workload.loops.ranges import highest, lowest, polynomial_bounds


def touched_bytes(sites: Sequence[AccessSite], element_bytes: int, derived: Mapping[str, Formula]) -> Formula | None:
    """Bytes in the bounding boxes of all sites of one array; None where one is not known.

    Elements count whole: `b[i].x[k]` touches as many of them as there are values of i. Of the only element of an array
    each member is a box of its own, and of one that is a structure in memory. Sites of another shape are measured
    apart, the largest is taken.
    """
    shapes: dict[tuple[int, int], list[AccessSite]] = {}
    for site in sites:
        shapes.setdefault((len(site.access.extents), site.access.element_bytes), []).append(site)
    largest: Formula | None = None
    for (_, unit_bytes), group in shapes.items():
        size = _bytes_of_shape(group, unit_bytes, element_bytes, derived)
        if size is None:
            return None
        largest = size if largest is None else largest.at_least(size)
    return largest


def _bytes_of_shape(
    sites: Sequence[AccessSite], unit_bytes: int, element_bytes: int, derived: Mapping[str, Formula]
) -> Formula | None:
    """The same for sites whose last subscript counts units, several of which may be in an element of the array."""
    outer = subscripts_of_elements(sites[0].access, element_bytes)
    if unit_bytes >= element_bytes or (outer == len(sites[0].access.extents)):
        elements = hull_elements(sites, derived)
        return None if elements is None else elements * unit_bytes
    if len({site.access.indices[:outer] for site in sites}) == 1 and not _moves(sites[0].access, outer):
        total: Formula = ZERO
        for member in dict.fromkeys(site.access.member for site in sites):
            elements = hull_elements([site for site in sites if site.access.member == member], derived)
            if elements is None:
                return None
            total = total + elements * unit_bytes
        return total.at_most(element_bytes)
    elements = hull_elements([_with_outer(site, outer) for site in sites], derived)
    return None if elements is None else elements * element_bytes


def subscripts_of_elements(access: Access, element_bytes: int) -> int:
    """How many of the subscripts, outer ones first, count whole elements of the array; the others lead into one."""
    step_bytes = access.element_bytes
    for at in range(len(access.extents) - 1, -1, -1):
        if step_bytes >= element_bytes:
            return at + 1
        extent = access.extents[at]
        if extent is None or not extent.is_constant:
            return at
        step_bytes *= extent.constant_term
    return 0


def _moves(access: Access, outer: int) -> bool:
    return any(index is None or not index.is_constant for index in access.indices[:outer])


def _with_outer(site: AccessSite, outer: int) -> AccessSite:
    access = site.access
    cut = replace(
        access, subscripts=access.subscripts[:outer], indices=access.indices[:outer], extents=access.extents[:outer]
    )
    return replace(site, access=cut)


def hull_elements(sites: Sequence[AccessSite], derived: Mapping[str, Formula]) -> Formula | None:
    """Elements in the bounding box of all sites of one array over the whole nest; None when it is not known.

    Units: elements. Capped by the declared extents; zero for an empty range.
    """
    box = ONE
    for dimension, extent in enumerate(sites[0].access.extents):
        capped = _capped(_hull_width(sites, dimension, derived), extent, derived)
        if capped is None:
            return None
        box = box * capped
    return box


def _hull_width(sites: Sequence[AccessSite], dimension: int, derived: Mapping[str, Formula]) -> Formula | None:
    lows: list[Polynomial] = []
    highs: list[Polynomial] = []
    low: Formula | None = None
    high: Formula | None = None
    seen: set[tuple[object, ...]] = set()
    for site in sites:
        index = site.access.indices[dimension]
        if index is None:
            return None
        key = (index, tuple((loop.id, loop.start, loop.limits) for loop in site.loops))
        if key in seen:
            continue
        seen.add(key)
        bounds = polynomial_bounds(index, site.loops)
        if bounds is not None:
            _keep_lowest(lows, bounds[0])
            _keep_lowest(highs, -bounds[1])
            continue
        first, last = lowest(index, site.loops, derived), highest(index, site.loops, derived)
        if first is None or last is None:
            return None
        low = first if low is None else low.at_most(first)
        high = last if high is None else high.at_least(last)
    if len(lows) == len(highs) == 1 and low is None:
        return formula_of(1 - highs[0] - lows[0], derived).at_least(0)
    for polynomial in lows:
        low = formula_of(polynomial, derived) if low is None else low.at_most(formula_of(polynomial, derived))
    for polynomial in highs:
        high = formula_of(-polynomial, derived) if high is None else high.at_least(formula_of(-polynomial, derived))
    if low is None or high is None:
        return None
    return (high - low + 1).at_least(0)


def _keep_lowest(bounds: list[Polynomial], new: Polynomial) -> None:
    """Add a bound unless it differs from one that is there by a constant: then the lower of the two stays."""
    for at, old in enumerate(bounds):
        difference = new - old
        if difference.is_constant:
            if difference.constant_term < 0:
                bounds[at] = new
            return
    bounds.append(new)


def _capped(width: Formula | None, extent: Polynomial | None, derived: Mapping[str, Formula]) -> Formula | None:
    if extent is None:
        return width
    whole = formula_of(extent, derived)
    if width is None:
        return whole
    return width if width == whole.at_least(0) else width.at_most(whole)
