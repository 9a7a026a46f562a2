"""Rows that are reached through pointers, `a[i][j]` of a `double **a`: where they lie in memory, as far as costs go.

Programs allocate such rows in one piece or one after the other, as long as they are used. By the rules of C they may
lie anywhere, so that verdicts don't ask here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.ranges import polynomial_bounds


def with_rows_in_memory(sites: Sequence[AccessSite]) -> tuple[AccessSite, ...]:
    """The sites with rows of unknown length taken to be as long as the nest uses them, and next to each other.

    Rows of several arrays that are as long but for a constant are assumed to be equally long. Left as they are where no
    loop walks along them, or where the length is no polynomial in the parameters.
    """
    lengths: dict[tuple[str, int], Polynomial | None] = {}
    walked: set[tuple[str, int]] = set()
    for site in sites:
        for dimension in _unknown_rows(site.access):
            key = site.access.array, dimension
            used = _used(site, dimension)
            lengths[key] = _longer(lengths[key], used) if key in lengths else used
            index = site.access.indices[dimension]
            if index is not None and any(loop.iterator in index.symbols for loop in site.loops):
                walked.add(key)
    known = {key: length for key, length in lengths.items() if key in walked and length is not None}
    longest = {
        key: reduce(lambda one, other: _longer(one, other) or one, known.values(), length)
        for key, length in known.items()
    }
    return tuple(_with_extents(site, longest) for site in sites) if longest else tuple(sites)


def row_assumptions(sites: Sequence[AccessSite], laid_out: Sequence[AccessSite]) -> tuple[Assumption, ...]:
    """One for each array whose rows were laid out so."""
    pairs = zip(sites, laid_out, strict=True)
    names = {c_name(site.access.array) for site, new in pairs if site.access.extents != new.access.extents}
    return tuple(
        Assumption("layout", name, f"The rows of `{name}` are assumed to lie one after the other in memory.")
        for name in sorted(names)
    )


def _unknown_rows(access: Access) -> tuple[int, ...]:
    return tuple(dimension for dimension, extent in enumerate(access.extents) if dimension and extent is None)


def _used(site: AccessSite, dimension: int) -> Polynomial | None:
    """One more than the last element that is touched in a row."""
    index = site.access.indices[dimension]
    bounds = None if index is None else polynomial_bounds(index, site.loops)
    if bounds is None or any(loop.iterator in bounds[1].symbols for loop in site.loops):
        return None
    return bounds[1] + 1


def _longer(one: Polynomial | None, other: Polynomial | None) -> Polynomial | None:
    if one is None or other is None or not (one - other).is_constant:
        return None
    return one if (one - other).constant_term > 0 else other


def _with_extents(site: AccessSite, lengths: Mapping[tuple[str, int], Polynomial]) -> AccessSite:
    access = site.access
    extents = tuple(lengths.get((access.array, at), extent) for at, extent in enumerate(access.extents))
    return replace(site, access=replace(access, extents=extents)) if extents != access.extents else site
