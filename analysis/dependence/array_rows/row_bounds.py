"""Whether a subscript stays in its row, `0 <= index < extent`: proved, or what is left to assume of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from warplens.analysis.dependence.integer_sets.bounded_sets import TooComplexError
from warplens.analysis.dependence.integer_sets.isl_conflict import ConflictSolver
from warplens.analysis.dependence.subscripts.iteration_domain import Place
from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Definition
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import kind_of


def in_row(
    index: Polynomial,
    extent: Polynomial,
    place: Place,
    solver: ConflictSolver,
    definitions: Iterable[Definition] = (),
) -> bool:
    """Whether the subscript is proved to stay in its row; `definitions` are those of its symbols."""
    lowest, highest = extreme(index, place, -1), extreme(index, place, 1)
    if lowest is not None and highest is not None:
        ends = (lowest, extent - 1 - highest)
        if all(end.is_constant and end.constant_term >= 0 for end in ends):
            return True
    place = replace(place, definitions=tuple(dict.fromkeys((*place.definitions, *definitions))))
    try:
        return all(solver.holds(place, end) for end in (index, extent - 1 - index))
    except TooComplexError:
        return False


def row_conditions(index: Polynomial, extent: Polynomial, place: Place) -> list[str] | None:
    """`0 <= index < extent` over the whole domain in C syntax; None when it fails once the sizes are large."""
    lowest, highest = extreme(index, place, -1), extreme(index, place, 1)
    if lowest is None or highest is None:
        if _is_stretched(index, place):
            return None
        return [f"0 <= {index} && {index} < {extent}"]
    rows, _ = divmod(highest + 1, extent)
    if rows.degree and rows.signs == {1}:
        return None  # it walks over that many rows
    found = []
    for difference in (lowest, extent - 1 - highest):
        if not difference.is_constant:
            if (difference - difference.constant_term).signs == {-1}:
                return None
            found.append(at_least_zero(difference))
        elif difference.constant_term < 0:
            return None
    return found


def _is_stretched(index: Polynomial, place: Place) -> bool:
    """Whether a loop runs to the larger of two ends: then one of them is hardly ever within the row."""
    larger = {d.name: d.sign for d in place.definitions if isinstance(d, Choice)}
    return any(
        larger[name] * coefficient.constant_term * loop.step > 0
        for loop in place.loops
        if loop.iterator in index.symbols
        for limit in loop.limits
        for name in limit.symbols & larger.keys()
        if (coefficient := limit.coefficient(name)).is_constant
    )


def extreme(index: Polynomial, place: Place, sign: int) -> Polynomial | None:
    """Largest (`sign` 1) or smallest (-1) value over the loops' own bounds; None where a bound isn't known."""
    for loop in reversed(place.loops):
        slope = index.coefficient(loop.iterator)
        if slope.is_constant and not slope.constant_term:
            continue
        bound = _bound(loop, at_end=(slope.constant_term * sign > 0) == (loop.step > 0))
        if bound is None or not slope.is_constant or any(kind_of(name) == "computed" for name in bound.symbols):
            return None
        index = index.substitute({loop.iterator: bound})
    return index


def _bound(loop: Loop, *, at_end: bool) -> Polynomial | None:
    if not at_end:
        return loop.start
    if not loop.limits:
        return None
    return loop.limits[0] - (1 if loop.step > 0 else -1)


def at_least_zero(polynomial: Polynomial) -> str:
    """`polynomial >= 0` in C syntax."""
    added, taken = polynomial.added_and_taken
    return f"{taken} <= {added}"
