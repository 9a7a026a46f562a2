"""In which share of the iterations of the loops around a condition holds that only iterators and sizes decide.

The range of an iterator is cut where a comparison changes; what lies between two cuts is looked at once, or at a few
points where the outcome may still differ (an inner loop, a remainder). So borders, diagonals and parities are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from math import lcm
from types import MappingProxyType

from warplens.analysis.ir.expression import (
    Binary,
    BinaryOperator,
    Cast,
    Constant,
    Expression,
    ScalarRef,
    Unary,
    walk,
)
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.types import Scalar
from warplens.analysis.workload.loops.integer_value import integer_value
from warplens.analysis.workload.loops.turns import first_turn, turn_of

LARGE_PARAMETER = 1 << 20
"""Every parameter's value where a share is taken for large problems: a guard of a boundary is then near 0 or 1."""
_COMPARISONS = frozenset({"<", "<=", ">", ">=", "==", "!="})
_MOST_LOOPS = 3
_MOST_PARTS = 12
"""Operands of a condition that are counted together: more would cut its ranges too often."""
_LONGEST_PERIOD = 60
_FEW = 14
"""Iterations that are all looked at."""
_POINTS = 5
"""Looked at in a stretch of iterations whose outcomes may differ, where no period says how many."""
_SPREAD = 0.6180339887498949
"""Source: Knuth, The Art of Computer Programming, volume 3, section 6.4: multiples of it fill the unit evenly."""


@dataclass(frozen=True, slots=True)
class Share:
    """How often a condition holds; `unknown` are its parts that data decides, each of which counts as half."""

    share: Fraction
    unknown: tuple[Expression, ...] = ()


@dataclass(frozen=True, slots=True)
class _Case:
    """The loops around, outer first, what parameters are, and what variables of the body stand for."""

    loops: tuple[Loop, ...]
    numbers: Mapping[str, int]
    values: Mapping[str, Expression]
    known: frozenset[str] = frozenset()
    """Names whose numbers are those in force, not those of any large problem."""

    def iterators_in(self, expression: Expression) -> frozenset[str]:
        """Iterators that an expression depends on, through variables and bounds of loops too."""
        names = {loop.iterator for loop in self.loops}
        found: set[str] = set()
        todo, seen = [expression], set[str]()
        while todo:
            for part in walk(todo.pop()):
                if isinstance(part, ScalarRef) and part.name in names:
                    found.add(part.name)
                elif isinstance(part, ScalarRef) and part.name in self.values and part.name not in seen:
                    seen.add(part.name)
                    todo.append(self.values[part.name])
        for loop in reversed(self.loops):
            if loop.iterator in found:
                found |= names & {s for b in (loop.start, *loop.limits) if b is not None for s in b.symbols}
        return frozenset(found)


def condition_share(
    condition: Expression,
    loops: Sequence[Loop],
    derived: Mapping[str, Formula],
    values: Mapping[str, Expression],
    changing: Collection[str],
    sizes: Mapping[str, int] = MappingProxyType({}),
) -> Share | None:
    """Share of the iterations in which a condition holds; None where it says nothing of iterators or known sizes.

    `loops` are around it, outer first, `values` are what variables of the body are computed as, `changing` are all that
    the nest sets. Parameters that are not in `sizes` count as large. Assumes: what data decides holds half the time and
    has nothing to do with the rest.
    """
    numbers = _Numbers(derived, sizes)
    for loop in loops:
        for bound in (loop.start, *loop.limits):
            numbers.know(bound.symbols if bound is not None else ())
    for expression in (condition, *values.values()):
        numbers.know(part.name for part in walk(expression) if isinstance(part, ScalarRef) and _is_integer(part))
    fixed = {name: number for name, number in numbers.found.items() if name not in changing}
    known = frozenset(name for name in fixed if derived.get(name, Formula(name=name)).parameters <= sizes.keys())
    return _share(condition, _Case(tuple(loops), fixed, values, known if sizes else frozenset()), 0)


def _is_integer(variable: ScalarRef) -> bool:
    return isinstance(variable.type, Scalar) and variable.type.kind == "int"


class _Numbers:
    """Values of parameters and of what is derived from them, in a large problem where they are not given."""

    def __init__(self, derived: Mapping[str, Formula], sizes: Mapping[str, int]) -> None:
        self._derived = derived
        self._sizes = sizes
        self.found: dict[str, int] = {}

    def know(self, names: Iterable[str]) -> None:
        for name in names:
            if name in self.found:
                continue
            formula = self._derived.get(name)
            self.found[name] = self._sizes.get(name, LARGE_PARAMETER)
            if formula is not None:
                try:
                    self.found[name] = int(
                        formula.evaluate(dict.fromkeys(formula.parameters, LARGE_PARAMETER) | dict(self._sizes))
                    )
                except ZeroDivisionError:
                    self.found[name] = 0


def _share(condition: Expression, case: _Case, depth: int) -> Share | None:
    while isinstance(condition, Cast):
        condition = condition.operand
    if isinstance(condition, Unary) and condition.operator == "!":
        inner = _share(condition.operand, case, depth + 1)
        return None if inner is None else Share(1 - inner.share, inner.unknown)
    if isinstance(condition, Binary) and condition.operator in {"&&", "||"}:
        return _joined(condition.operator, _operands(condition, condition.operator), case, depth)
    return _counted(condition, case)


def _operands(condition: Expression, operator: BinaryOperator) -> list[Expression]:
    """Operands of a chain of one logical operator."""
    found: list[Expression] = []
    stack = [condition]
    while stack:
        part = stack.pop()
        while isinstance(part, Cast):
            part = part.operand
        if isinstance(part, Binary) and part.operator == operator:
            stack += [part.right, part.left]
        else:
            found.append(part)
    return found


def _joined(operator: BinaryOperator, parts: Sequence[Expression], case: _Case, depth: int) -> Share | None:
    """Parts with iterators in common are counted together, the others are independent."""
    groups: list[tuple[frozenset[str], list[Expression]]] = []
    unknown: list[Expression] = []
    for part in parts:
        if depth < _MOST_LOOPS and _is_partly_known(part):
            inner = _share(part, case, depth + 1)
            if inner is not None and inner.unknown:
                groups.append((frozenset(), [part]))
                continue
        if _counted(part, case) is None:
            unknown.append(part)
            continue
        names = case.iterators_in(part)
        together = [group for group in groups if names and group[0] & names]
        groups = [group for group in groups if group not in together]
        groups.append(
            (names.union(*(group[0] for group in together)), [p for group in together for p in group[1]] + [part])
        )
    if not groups:
        return None
    fails = Fraction(1)  # that all parts of `||` fail; or that all of `&&` hold
    for names, members in groups:
        whole = members[0]
        for member in members[1:]:
            whole = Binary(operator, whole, member, member.type)
        found = _counted(whole, case) if names or len(members) > 1 else _share(whole, case, depth + 1)
        if found is None:
            return None
        unknown += found.unknown
        fails *= found.share if operator == "&&" else 1 - found.share
    for part in unknown:
        if part not in (other for _, members in groups for other in members):
            fails *= Fraction(1, 2)
    return Share(fails if operator == "&&" else 1 - fails, tuple(unknown))


def _is_partly_known(part: Expression) -> bool:
    return isinstance(part, Binary) and part.operator in {"&&", "||"}


def _counted(condition: Expression, case: _Case) -> Share | None:
    names = case.iterators_in(condition)
    relevant = [loop for loop in case.loops if loop.iterator in names]
    condition = _with_remainders(condition, case)
    comparisons = [part for part in walk(condition) if isinstance(part, Binary) and part.operator in _COMPARISONS]
    if len(relevant) > _MOST_LOOPS or len(comparisons) > _MOST_PARTS:
        return None
    if not relevant:
        value = integer_value(condition, case.numbers, case.values)
        # What sizes decide is not known where they are not given, a flag least of all.
        is_known = value is not None and all(part in case.known for part in _names_behind(condition, case.values))
        return Share(Fraction(int(bool(value)))) if is_known else None
    found = _count(condition, comparisons, relevant, dict(case.numbers), case.values)
    if found is None or not found[1]:
        return None
    return Share(Fraction(found[0]) / found[1])


def _names_behind(expression: Expression, values: Mapping[str, Expression]) -> frozenset[str]:
    """Variables that decide a value, those that stand for an expression left out."""
    found: set[str] = set()
    todo = [expression]
    while todo:
        for part in walk(todo.pop()):
            if isinstance(part, ScalarRef) and part.name not in found:
                found.add(part.name)
                todo += [values[part.name]] if part.name in values else []
    return frozenset(found - values.keys())


def _with_remainders(condition: Expression, case: _Case) -> Expression:
    """`i % 2 == colour` with any colour: a size that is compared with a remainder is one."""
    if not isinstance(condition, Binary):
        return condition
    if condition.operator in {"&&", "||"}:
        left, right = _with_remainders(condition.left, case), _with_remainders(condition.right, case)
        return replace(condition, left=left, right=right)
    if condition.operator in {"==", "!="}:
        for side, other in ((condition.left, condition.right), (condition.right, condition.left)):
            period = _period(side, case.values)
            is_size = not case.iterators_in(other) and any(isinstance(part, ScalarRef) for part in walk(other))
            if 1 < period <= _LONGEST_PERIOD and is_size:
                size = Binary("%", other, Constant(period, other.type), other.type)
                return replace(condition, left=side, right=size)
    return condition


def _count(
    condition: Expression,
    comparisons: Sequence[Binary],
    loops: Sequence[Loop],
    numbers: dict[str, int],
    values: Mapping[str, Expression],
) -> tuple[Fraction, Fraction] | None:
    """Iterations in which the condition holds, and all; None where something is not known."""
    loop, inner = loops[0], loops[1:]
    bounds = _range(loop, numbers)
    if bounds is None:
        return None
    first, count = bounds
    held = total = Fraction(0)

    def at(iteration: int) -> None:
        numbers[loop.iterator] = first + iteration * loop.step

    for iteration, weight in _looked_at(count, comparisons, inner, at, numbers, values):
        at(iteration)
        if inner:
            found = _count(condition, comparisons, inner, numbers, values)
            if found is None:
                return None
            held, total = held + found[0] * weight, total + found[1] * weight
        else:
            value = integer_value(condition, numbers, values)
            if value is None:
                return None
            held, total = held + (weight if value else 0), total + weight
    numbers.pop(loop.iterator, None)
    return held, total


def _range(loop: Loop, numbers: Mapping[str, int]) -> tuple[int, int] | None:
    """First value and number of iterations."""
    if loop.start is None or not loop.limits or not loop.step:
        return None
    bounds = (loop.start, *loop.limits)
    if any(not bound.symbols <= numbers.keys() for bound in bounds):
        return None
    first = loop.start.evaluate(numbers)
    ends = [limit.evaluate(numbers) for limit in loop.limits]
    end = min(ends) if loop.step > 0 else max(ends)
    return first, max(0, -((first - end) // loop.step) if loop.step > 0 else -((end - first) // -loop.step))


def _looked_at(
    count: int,
    comparisons: Sequence[Binary],
    inner: Sequence[Loop],
    at: Callable[[int], None],
    numbers: dict[str, int],
    values: Mapping[str, Expression],
) -> Iterator[tuple[int, Fraction]]:
    """Iterations, each with how many it stands for."""
    if count <= _FEW:
        yield from ((k, Fraction(1)) for k in range(count))
        return
    cuts = {0, count}
    period, is_uneven, has_inner = 1, False, bool(inner)
    turns = 1
    broken: list[tuple[Binary, Mapping[str, int]]] = []
    at(0)
    for part in comparisons:
        for corner in _corners(inner, numbers):
            seen = {**numbers, **corner}
            differences = [_difference(part, at, k, numbers, seen, values) for k in (0, 1, count // 2, count - 1)]
            zero, one, middle, last = (difference or 0 for difference in differences)
            slope = one - zero
            if None in differences:
                continue
            if middle != zero + slope * (count // 2) or last != zero + slope * (count - 1):
                period, is_uneven = lcm(period, _period(part, values)), True
                turns = lcm(turns, turn_of(part, numbers, {loop.iterator for loop in inner}, values))
                broken.append((part, corner))
            elif slope:
                cuts |= {cut for cut in (-zero // slope, -zero // slope + 1) if 0 < cut < count}
    start = None
    if _LONGEST_PERIOD < turns <= count // 2 and len(cuts) <= _FEW:
        first, inside = broken[0]
        start = first_turn(lambda k: _difference(first, at, k, numbers, {**numbers, **inside}, values), turns)
    if start is not None:
        # One turn stands for all of them: what is left over in divisions goes on evenly inside.
        of_turn = _looked_at(turns, comparisons, inner, lambda k: at(start + k), numbers, values)
        yield from ((start + iteration, weight * Fraction(count, turns)) for iteration, weight in of_turn)
        return
    ordered = sorted(cuts)
    for begin, end in pairwise(ordered):
        length = end - begin
        points = _LONGEST_PERIOD if period > _LONGEST_PERIOD else max(period, _POINTS if has_inner else 1)
        if not (is_uneven or has_inner) or length == 1:
            yield begin, Fraction(length)
        elif length <= points:
            yield from ((begin + k, Fraction(1)) for k in range(length))
        elif 1 < period <= _LONGEST_PERIOD:
            middle = begin + (length - period) // 2
            for k in range(period):
                # As often as this remainder comes: a loop that is no multiple of the period has some once more.
                remainder = (middle + k - begin) % period
                yield middle + k, Fraction(-(-(length - remainder) // period))
        else:
            # Middles of equal parts: exact where what an inner loop counts is linear.
            middles = (length * (2 * k + 1) // (2 * points) for k in range(points))
            spread = (int(length * ((k * _SPREAD + 0.5) % 1)) for k in range(points))
            offsets = middles if period == 1 else spread
            yield from ((begin + offset, Fraction(length, points)) for offset in offsets)


def _corners(loops: Sequence[Loop], numbers: Mapping[str, int]) -> list[dict[str, int]]:
    """First and last values of the iterators of loops inside, where they are known, in all combinations."""
    found: list[dict[str, int]] = [{}]
    for loop in loops:
        grown: list[dict[str, int]] = []
        for corner in found:
            bounds = _range(loop, {**numbers, **corner})
            if bounds is None:
                return [{}]
            first, count = bounds
            ends = {first, first + max(0, count - 1) * loop.step}
            grown += ({**corner, loop.iterator: end} for end in sorted(ends))
        found = grown
    return found


def _difference(
    part: Binary,
    at: Callable[[int], None],
    iteration: int,
    numbers: Mapping[str, int],
    seen: dict[str, int],
    values: Mapping[str, Expression],
) -> int | None:
    """How far the sides of a comparison are apart in an iteration; `seen` has the values of inner iterators too."""
    at(iteration)
    seen |= numbers
    left, right = integer_value(part.left, seen, values), integer_value(part.right, seen, values)
    return None if left is None or right is None else left - right


def _period(part: Expression, values: Mapping[str, Expression]) -> int:
    """After how many steps of one the remainders in an expression are the same again, as far as constants say."""
    period = 1
    todo = [part]
    seen: set[str] = set()
    while todo:
        for node in walk(todo.pop()):
            match node:
                case Binary("%" | "/", _, Constant(int() as number)) if number:
                    period = lcm(period, abs(number))
                case Binary("&", _, Constant(int() as number)) if number > 0:
                    period = lcm(period, 1 << number.bit_length())
                case Binary("%" | "/" | "&" | "|" | "^" | ">>"):
                    return _LONGEST_PERIOD + 1
                case ScalarRef(name) if name in values and name not in seen:
                    seen.add(name)
                    todo.append(values[name])
                case _:
                    pass
    return period
