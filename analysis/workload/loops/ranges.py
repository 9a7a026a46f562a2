"""Smallest and largest value of a subscript over a nest's iterations, as formulas in the parameters.

Assumes: parameters that multiply an iterator in a subscript (row lengths) are not negative.
"""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed
from warplens.analysis.workload.loops.derived_symbols import formula_of

_MOST_BOUNDS = 64
"""Bounds of one subscript: each limit of a loop multiplies those of the loops in it."""


def lowest(index: Polynomial, loops: tuple[Loop, ...], derived: Mapping[str, Formula]) -> Formula | None:
    """Lower bound of `index` over the loops (outer first); exact for affine subscripts of rectangular loops."""
    highest_of_negated = highest(-index, loops, derived)
    return None if highest_of_negated is None else highest_of_negated * -1


def highest(index: Polynomial, loops: tuple[Loop, ...], derived: Mapping[str, Formula]) -> Formula | None:
    """Upper bound of `index` over the loops (outer first); None when an iterator's range is not known.

    The loops are assumed to run: for an empty range the bound may lie below the lower one.
    """
    bounds = [index]
    rounded: dict[str, Formula] = dict(derived)
    for position in range(len(loops) - 1, -1, -1):
        loop = loops[position]
        outer = frozenset(around.iterator for around in loops[:position])
        substituted: list[Polynomial] = []
        for bound in bounds:
            ends = _ends(bound, loop, outer, rounded)
            if ends is None:
                return None
            substituted += ends
        bounds = [*dict.fromkeys(substituted)][:_MOST_BOUNDS]  # each of them is one: fewer are a larger smallest
    result: Formula | None = None
    for bound in bounds:
        formula = formula_of(bound, rounded)
        result = formula if result is None else result.at_most(formula)
    return result


def polynomial_bounds(index: Polynomial, loops: tuple[Loop, ...]) -> tuple[Polynomial, Polynomial] | None:
    """Both bounds as polynomials over parameters: loops of step 1 or -1 with one limit only, else None."""
    if any(abs(loop.step) != 1 or len(loop.limits) != 1 for loop in loops if _moves(loop, index, loops)):
        return None
    low, high = -index, index
    for position in range(len(loops) - 1, -1, -1):
        loop = loops[position]
        outer = frozenset(around.iterator for around in loops[:position])
        low_ends, high_ends = _ends(low, loop, outer, {}), _ends(high, loop, outer, {})
        if low_ends is None or high_ends is None:
            return None
        low, high = low_ends[0], high_ends[0]
    return -low, high


def _moves(loop: Loop, index: Polynomial, loops: tuple[Loop, ...]) -> bool:
    """Whether the index depends on the loop, perhaps by the bounds of another loop."""
    if loop.iterator in index.symbols:
        return True
    return any(
        loop.iterator in bound.symbols
        for other in loops
        for bound in (other.start or Polynomial(()), *other.limits)
        if other.iterator in index.symbols
    )


def _ends(bound: Polynomial, loop: Loop, outer: frozenset[str], rounded: dict[str, Formula]) -> list[Polynomial] | None:
    """The bound with the loop's iterator at the end where it is largest; one alternative per limit."""
    slope = bound.coefficient(loop.iterator)
    if not slope.terms:
        return [bound]
    sign = _sign(slope)
    if sign == 0 or loop.start is None:
        return None
    if (loop.step > 0) == (sign < 0):
        return [bound.substitute({loop.iterator: loop.start})]
    if not loop.limits:
        return None
    return [bound.substitute({loop.iterator: _last(loop, limit, outer, rounded)}) for limit in loop.limits]


def _last(loop: Loop, limit: Polynomial, outer: frozenset[str], rounded: dict[str, Formula]) -> Polynomial:
    """Last value of the iterator below one limit; exact unless the step is not 1 and outer iterators occur in it."""
    start = loop.start or Polynomial(())
    if abs(loop.step) == 1:
        return limit - loop.step
    distance = (limit - start) * (1 if loop.step > 0 else -1)
    size = abs(loop.step)
    if size == 0:
        return limit
    if distance.is_constant:
        return start + loop.step * ((distance.constant_term - 1) // size)
    if outer.isdisjoint(distance.symbols):
        name = computed("last", distance, size)
        rounded[name] = ((formula_of(distance, rounded) - 1) / size).floor()
        return start + Polynomial.symbol(name) * loop.step
    return limit - (1 if loop.step > 0 else -1)


def _sign(slope: Polynomial) -> int:
    """Sign of a coefficient whose symbols are not negative; 0 when its terms disagree."""
    return next(iter(slope.signs)) if len(slope.signs) == 1 else 0
