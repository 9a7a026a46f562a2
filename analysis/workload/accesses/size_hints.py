"""Values of parameters that the source implies: the largest for which no declared array is left, zero for a start."""

from __future__ import annotations

from warplens.analysis.ir.nest import LoopNest, loops_of
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.workload.accesses.sites import AccessSite
from warplens.analysis.workload.loops.ranges import polynomial_bounds


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


def zero_hints(nest: LoopNest, sites: tuple[AccessSite, ...]) -> tuple[tuple[str, str], ...]:
    """Parameters that only take iterations away, sorted by name, each with what it is in the words of a message.

    `lo` of `for (i = lo; i < hi; i++)` is one: its default must not be that of `hi`, or the loop has no work. One that
    also adds iterations somewhere is none (`n` of `for (i = n; ...)` beside `for (j = 0; j < n; ...)`), nor is one
    that arrays are laid out by (an extent, a stride) or that a derived symbol is computed from.
    """
    distances: list[Polynomial] = []
    starts: set[str] = set()
    for loop in loops_of(nest):
        if loop.start is not None:
            sign = 1 if loop.step > 0 else -1
            distances += ((limit - loop.start) * sign for limit in loop.limits)
            starts |= loop.start.symbols
    others = {name for symbol in nest.derived if symbol.formula is not None for name in symbol.formula.parameters}
    for site in sites:
        others |= {name for extent in site.access.extents if extent is not None for name in extent.symbols}
        for index in site.access.indices:
            others |= {name for monomial, _ in (index.terms if index else ()) if len(monomial) > 1 for name in monomial}
    parts = [distance.added_and_taken for distance in distances]
    added = {name for part, _ in parts for name in part.symbols}
    taken = {name for _, part in parts for name in part.symbols}
    names = sorted((taken - added - others) & set(nest.parameters))
    return tuple((name, "a start" if name in starts else "it only shortens a loop") for name in names)
