"""Least and largest value of a subscript over the iterations that make an access: exact, or refused.

Loops are eliminated from the inside out, as Fourier and Motzkin do it. That stays exact over the integers because only
slopes of one are let through where bounds or conditions join two iterators.

Source: Schrijver, Theory of linear and integer programming, 1986, 12.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.directives.touched_elements import TouchedElement
from warplens.analysis.ports.sections.size_order import SizeOrder

_MOST_CASES = 8
"""Combinations of alternatives of an access's conditions; one with more is refused."""


class RangeUnknownError(Exception):
    """The end of a range is not known; the message says why: a clause about the subscript."""


@dataclass(frozen=True, slots=True)
class IndexEnd:
    """A value over the constants of the nest, which is reached where all `conditions` are >= 0."""

    value: Polynomial
    conditions: tuple[Polynomial, ...] = ()


def largest_of(index: Polynomial, element: TouchedElement, order: SizeOrder) -> list[IndexEnd]:
    """Candidates for the largest value, one per case of the conditions; the largest of them is it.

    Empty where the access never happens. Raises RangeUnknownError.
    """
    cases = list(product(*element.guards))
    if len(cases) > _MOST_CASES:
        raise RangeUnknownError("is decided by too many conditions")
    found = (_largest(index, element.loops, [part for each in case for part in each], order) for case in cases)
    return [end for end in found if end is not None]


def smallest_of(index: Polynomial, element: TouchedElement, order: SizeOrder) -> list[IndexEnd]:
    """The same for the smallest value."""
    return [IndexEnd(-end.value, end.conditions) for end in largest_of(-index, element, order)]


def _largest(
    index: Polynomial, loops: Sequence[Loop], conditions: list[Polynomial], order: SizeOrder
) -> IndexEnd | None:
    """None where the case never happens."""
    for loop in reversed(loops):
        name = loop.iterator
        about = [condition for condition in conditions if name in condition.symbols]
        conditions = [condition for condition in conditions if name not in condition.symbols]
        is_asked = name in index.symbols
        ends = _ends(loop)
        if ends is None:
            if is_asked or about:
                raise RangeUnknownError(f"is not known from the bounds of `{c_name(name)}`")
            continue
        low, high = [ends[0]], [ends[1]]
        for condition in about:
            slope = condition.coefficient(name)
            rest = condition.without((name,))
            if slope == Polynomial.constant(1):
                low.append(-rest)
            elif slope == Polynomial.constant(-1):
                high.append(rest)
            else:
                raise RangeUnknownError(f"depends on a condition on `{c_name(name)}` that is not followed")
        conditions += [above - below for below, above in product(low, high)]
        if not is_asked:
            continue
        slope = index.coefficient(name)
        sign = order.sign(slope)
        if not sign or name in slope.symbols:
            raise RangeUnknownError(f"is not known: the sign of `{slope}` is not")
        bounds, own = (high, ends[1]) if sign > 0 else (low, ends[0])
        end = _decisive(bounds, order, is_least=sign > 0)
        if end is None or (end != own and abs(loop.step) != 1):
            raise RangeUnknownError(f"is not known: more than one bound of `{c_name(name)}` may end it")
        index = index.without((name,)) + slope * end
    for condition in conditions:
        if condition.is_constant and condition.constant_term < 0:
            return None
    return IndexEnd(index, tuple(dict.fromkeys(conditions)))


def _ends(loop: Loop) -> tuple[Polynomial, Polynomial] | None:
    """Least and largest value of the iterator, None where the step may jump over the limit."""
    if len(loop.limits) != 1 or loop.start is None or loop.bound_reads:
        return None
    limit, step = loop.limits[0], loop.step
    distance = limit - loop.start
    if distance.is_constant:
        last = loop.start + (-(-distance.constant_term // step) - 1) * step
    elif loop.exact_end or abs(step) == 1:
        last = limit - step
    else:
        return None
    return (loop.start, last) if step > 0 else (last, loop.start)


def _decisive(candidates: Sequence[Polynomial], order: SizeOrder, *, is_least: bool) -> Polynomial | None:
    """The candidate that is the least (the largest) of them wherever there is an iteration at all."""
    every = tuple(dict.fromkeys(candidates))
    for candidate in every:
        distances = [(other - candidate) if is_least else (candidate - other) for other in every]
        if order.are_not_negative(distances):
            return candidate
    return None
