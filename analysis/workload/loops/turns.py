"""Where remainders by sizes start anew: `i % w` does so every w iterations, and goes on evenly in between."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from math import lcm

from warplens.analysis.ir.expression import Binary, Expression, ScalarRef, children
from warplens.analysis.workload.loops.integer_value import integer_value

_DEEPEST = 30


def first_turn(difference: Callable[[int], int | None], turns: int) -> int | None:
    """The first iteration from which a difference goes on in another way than from the first of all."""
    zero, one = difference(0), difference(1)
    if zero is None or one is None:
        return None
    low, high = 1, turns
    if difference(high) == zero + (one - zero) * high:
        return None
    while high - low > 1:
        middle = (low + high) // 2
        if difference(middle) == zero + (one - zero) * middle:
            low = middle
        else:
            high = middle
    return high


def turn_of(
    part: Expression,
    numbers: Mapping[str, int],
    iterators: Collection[str],
    values: Mapping[str, Expression],
    depth: int = 0,
) -> int:
    """After how many steps of one the remainders by sizes are the same again."""
    if depth > _DEEPEST:
        return 1
    if isinstance(part, ScalarRef) and part.name in values:
        return turn_of(values[part.name], numbers, iterators, values, depth + 1)
    if isinstance(part, Binary) and part.operator in {"%", "/"}:
        fixed = {name: number for name, number in numbers.items() if name not in iterators}
        inside = turn_of(part.left, numbers, iterators, values, depth + 1)
        return inside * abs(integer_value(part.right, fixed, values) or 1)
    turn = 1
    for inner in children(part):
        turn = lcm(turn, turn_of(inner, numbers, iterators, values, depth + 1))
    return turn
