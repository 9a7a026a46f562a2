"""Independence without integer programming: ZIV, strong SIV and GCD tests on the polynomials of two subscripts.

They settle most loops at a hundredth of the cost of the exact test, and only ever say "independent" when it is true.
Source: Goff, Kennedy, Tseng, Practical Dependence Testing, PLDI 1991, sections 4.1, 4.2 and 3.3.
"""

from __future__ import annotations

from math import gcd

from warplens.analysis.dependence.subscripts.iteration_domain import Reference, same_layout
from warplens.analysis.ir.polynomial import Polynomial


def never_meet(first: Reference, second: Reference, level: int) -> bool:
    """Whether no two different iterations of loop number `level`, equal in the loops outside, touch one element.

    True is a proof, False is not knowing. Symbols with one factor are integers of any value.
    """
    if members_differ(first, second):
        return True
    if not same_layout(first, second):
        return False
    loop = first.place.loops[level]
    inner = {lp.iterator for lp in (*first.place.loops[level + 1 :], *second.place.loops[level + 1 :])}
    return any(
        _dimension_separates(p, q, loop.iterator, loop.step, inner)
        for p, q in zip(first.indices, second.indices, strict=True)
        if p is not None and q is not None
    )


def members_differ(first: Reference, second: Reference) -> bool:
    """Whether two references touch different bytes of whatever element they touch."""
    if not first.size_bytes or not second.size_bytes or first.access is None or second.access is None:
        return False
    if not same_layout(first, second):
        return False
    return (
        first.first_byte + first.size_bytes <= second.first_byte
        or second.first_byte + second.size_bytes <= first.first_byte
    )


def holds_part(first: Reference, second: Reference) -> bool:
    """Whether the first of two references of one layout touches all bytes of an element that the second touches."""
    one, other = ((r.first_byte, r.size_bytes) for r in (first, second))
    if one == other or first.access is None or second.access is None:
        return True
    return bool(one[1] and other[1]) and one[0] <= other[0] and sum(other) <= sum(one)


def _dimension_separates(p: Polynomial, q: Polynomial, iterator: str, step: int, inner: set[str]) -> bool:
    varying = {iterator, *inner}
    difference = p.without(varying) - q.without(varying)
    has_inner = not inner.isdisjoint(p.symbols | q.symbols)
    slopes = (p.coefficient(iterator), q.coefficient(iterator))
    if not has_inner and slopes[0] == slopes[1] and slopes[0].is_constant:
        slope = slopes[0].constant_term
        if not slope:
            return difference.is_constant and difference.constant_term != 0  # ZIV
        # Strong SIV: the distance is difference / (slope * step) iterations, and zero is the same iteration.
        if difference.is_constant:
            return difference.constant_term == 0 or difference.constant_term % (slope * step) != 0
    terms = [*p.without(()).terms, *q.without(()).terms]
    if any(len(m) > 1 for m, _ in terms):
        return False
    divisor = gcd(*(c for m, c in terms if varying.intersection(m)), *(c for m, c in difference.terms if m), 0)
    return divisor > 0 and difference.constant_term % divisor != 0
