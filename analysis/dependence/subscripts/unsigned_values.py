"""Unsigned arithmetic that leaves its type: below zero it goes on from the top, past the top from zero.

Polynomials are plain numbers. One that stands for an unsigned value below zero stays negative here, which is right
where only its low bits count; to a comparison it is larger than all that are not. Where a product with a large constant
may have passed 2^32, as in a hash, nothing that depends on its high bits has a value.

Assumes: parameters are not negative, and what is made of them alone is not; other values stay below 2^31 (of 8 bytes:
2^63). In sums and in products of two variables: as in wrapping.py.

Source: ISO C17 6.2.5 paragraph 9 (unsigned arithmetic), 6.3.1.8 (usual arithmetic conversions).
"""

from __future__ import annotations

from warplens.analysis.c.arithmetic import common_type
from warplens.analysis.dependence.subscripts.quasi_affine import Choice, Definitions
from warplens.analysis.ir.expression import Expression
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar

_MOST_CHOICES = 4


def is_unsigned_comparison(left: Expression, right: Expression) -> bool:
    """Whether the usual conversions make both sides unsigned."""
    common = common_type(left.type, right.type)
    return isinstance(common, Scalar) and common.kind == "int" and not common.signed


def may_be_negative(
    value: Polynomial, loops: tuple[Loop, ...], define: Definitions | None, choices: int = _MOST_CHOICES
) -> bool:
    """Whether some iteration of the loops (outer first) makes the number negative, as far as their bounds tell."""
    chosen = [] if define is None else [define.known.get(name) for name in sorted(value.symbols)]
    choice = next((one for one in chosen if isinstance(one, Choice)), None)
    if choice is not None:
        sides = (value.substitute({choice.name: side}) for side in (choice.then, choice.otherwise))
        return not choices or any(may_be_negative(side, loops, define, choices - 1) for side in sides)
    if not loops:
        return value.signs == {-1}
    least = _least(value, loops[-1])
    return all(may_be_negative(one, loops[:-1], define, choices) for one in least)


def _least(value: Polynomial, loop: Loop) -> list[Polynomial]:
    """The value where the loop makes it least; of several it is none of them or larger, of none it is not known."""
    slope = value.coefficient(loop.iterator)
    if not slope.terms:
        return [value]
    if len(slope.signs) > 1:
        return []
    if (slope.signs == {-1}) == (loop.step < 0):
        return [] if loop.start is None else [value.substitute({loop.iterator: loop.start})]
    return [value.substitute({loop.iterator: limit - (1 if loop.step > 0 else -1)}) for limit in loop.limits]


def unsigned_order(
    left: Polynomial, right: Polynomial, is_left_open: bool, is_right_open: bool, slack: int
) -> tuple[tuple[Polynomial, ...], ...]:
    """`left < right` (`slack` 1) or `left <= right` (0) as a disjunction of what is >= 0.

    A side that is open may be negative and is then larger than any that is not; the other one is not.
    """
    below, first, second = right - left - slack, -left - 1, -right - 1
    match is_left_open, is_right_open:
        case False, False:
            return ((below,),)
        case True, False:
            return ((left, below),)
        case False, True:
            return ((below,), (second,))
        case _:
            return ((left, right, below), (left, second), (first, second, below))
