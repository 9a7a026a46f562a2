"""How many elements of an array a set of iterations touches: the bounding box of the index ranges.

The hull is exact for dense boxes with unit steps; a strided or diagonal access counts the elements between as well.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import ONE, ZERO, Formula
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.work.accesses.sites import AccessSite
from warplens.analysis.work.loops.derived_symbols import formula_of
from warplens.analysis.work.loops.ranges import highest, lowest, polynomial_bounds

Range = tuple[Formula, Formula, int]
"""First value, count, and step of an iterator."""


def box_elements(
    accesses: Sequence[Access], ranges: Mapping[str, Range], parameters: Collection[str] = ()
) -> Formula | None:
    """Elements of one array that the accesses touch while the iterators in `ranges` run through their ranges.

    Units: elements. Symbols in `parameters` may occur in the result; any other symbol is held (the counter of a
    loop outside). Accesses whose held parts are equal share one box; different ones are taken as disjoint and
    summed. Capped by the declared extents. None when a subscript is not polynomial and its extent is not known.
    """
    groups: dict[tuple[Polynomial | None, ...], list[Access]] = {}
    for access in accesses:
        key = tuple(_held(index, ranges, parameters) for index in access.indices)
        groups.setdefault(key, []).append(access)
    total = ZERO
    for group in groups.values():
        box = ONE
        for dimension, extent in enumerate(group[0].extents):
            width = _box_width([access.indices[dimension] for access in group], ranges, parameters)
            capped = _capped(width, extent, {})
            if capped is None:
                return None
            box = box * capped
        total = total + box
    return total if len(groups) < 2 else _at_most_whole(total, accesses[0].extents)


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
    seen: set[tuple[Polynomial, tuple[int, ...]]] = set()
    for site in sites:
        index = site.access.indices[dimension]
        if index is None:
            return None
        key = (index, tuple(loop.id for loop in site.loops))
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


def _box_width(
    indices: Sequence[Polynomial | None], ranges: Mapping[str, Range], parameters: Collection[str]
) -> Formula | None:
    low: Formula | None = None
    high: Formula | None = None
    for index in indices:
        if index is None:
            return None
        held = _held(index, ranges, parameters) or Polynomial(())
        bounds = _interval(index - held, ranges)
        if bounds is None:
            return None
        low = bounds[0] if low is None else low.at_most(bounds[0])
        high = bounds[1] if high is None else high.at_least(bounds[1])
    if low is None or high is None:
        return ZERO
    return (high - low + 1).at_least(0)


def _interval(index: Polynomial, ranges: Mapping[str, Range]) -> tuple[Formula, Formula] | None:
    """Bounds of an index that is linear in each iterator of `ranges` on its own."""
    low = high = Formula.from_polynomial(index.without(ranges))
    for name, (start, count, step) in ranges.items():
        slope = index.coefficient(name)
        if not slope.terms:
            continue
        if not slope.symbols.isdisjoint(ranges):
            return None
        factor = Formula.from_polynomial(slope)
        move = factor * step * (count - 1)
        low = low + factor * start + move.at_most(0)
        high = high + factor * start + move.at_least(0)
    return low, high


def _held(index: Polynomial | None, ranges: Mapping[str, Range], parameters: Collection[str]) -> Polynomial | None:
    """Monomials of held symbols only."""
    if index is None:
        return None
    return Polynomial(
        tuple(
            (m, c)
            for m, c in index.terms
            if m and not any(name in ranges for name in m) and any(name not in parameters for name in m)
        )
    )


def _capped(width: Formula | None, extent: Polynomial | None, derived: Mapping[str, Formula]) -> Formula | None:
    if extent is None:
        return width
    whole = formula_of(extent, derived)
    if width is None:
        return whole
    return width if width == whole.at_least(0) else width.at_most(whole)


def _at_most_whole(total: Formula, extents: Sequence[Polynomial | None]) -> Formula:
    whole = ONE
    for extent in extents:
        if extent is None:
            return total
        whole = whole * formula_of(extent, {})
    return total.at_most(whole)
