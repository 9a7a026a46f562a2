"""How many elements of an array a set of iterations touches: the bounding box of the index ranges.

The hull is exact for dense boxes with unit steps; a strided or diagonal access counts the elements between as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.ir.formula import ONE, Formula
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.derived_symbols import formula_of
from warplens.analysis.workload.loops.ranges import highest, lowest, polynomial_bounds


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


def _capped(width: Formula | None, extent: Polynomial | None, derived: Mapping[str, Formula]) -> Formula | None:
    if extent is None:
        return width
    whole = formula_of(extent, derived)
    if width is None:
        return whole
    return width if width == whole.at_least(0) else width.at_most(whole)
