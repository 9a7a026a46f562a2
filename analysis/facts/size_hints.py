"""Values of parameters that the source implies: the largest for which no declared array is left."""

from __future__ import annotations

from warplens.analysis.facts.ranges import polynomial_bounds
from warplens.analysis.facts.sites import AccessSite


def size_hints(sites: tuple[AccessSite, ...], parameters: frozenset[str]) -> tuple[tuple[str, int], ...]:
    """Largest value of each parameter that keeps every affine subscript inside its constant extent, sorted by name.

    A hint is given where a subscript's upper bound is `a*n + b` in one parameter: `for (i = 0; i < n; i++) x[i]` with
    `x[1000]` gives n = 1000. Accesses behind a condition give none.
    """
    hints: dict[str, int] = {}
    for site in sites:
        if site.is_conditional:
            continue
        for index, extent in zip(site.access.indices, site.access.extents, strict=True):
            if index is None or extent is None or not extent.is_constant:
                continue
            bounds = polynomial_bounds(index, site.loops)
            if bounds is None or len(bounds[1].symbols) != 1 or bounds[1].degree != 1:
                continue
            (name,) = bounds[1].symbols
            slope = bounds[1].coefficient(name).constant_term
            if name not in parameters or slope <= 0:
                continue
            value = (extent.constant_term - 1 - bounds[1].constant_term) // slope
            if value > 0:
                hints[name] = min(value, hints.get(name, value))
    return tuple(sorted(hints.items()))
