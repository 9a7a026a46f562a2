"""Where a computed subscript leads in some iterations of the loops around it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import ceil

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.computed_index import ComputedIndex
from warplens.analysis.ir.expression import Binary, Expression, ScalarRef, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.types import Scalar
from warplens.analysis.workload.accesses.lane_numbers import NoNumberError, Numbers, lane_numbers

Integers = NDArray[np.int64]

SPREAD = 0.6180339887498949
"""Source: Knuth, The Art of Computer Programming, volume 3, section 6.4: multiples of it fill the unit evenly."""
_BASES = 12
"""Iterations around which the others are looked at."""
_AHEAD = np.array([0, 1, 2, 3, 5, 8, 13, 21, 31, 45, 63, 90, 127])
"""How far: as far as warps of a block go."""
_ANY_FACTOR = 1.0
"""Assumed of a floating-point number that is not known: what scales a subscript leaves neighbours near each other."""
_MOST_PERIODS = 6
_LARGEST_PERIOD_BITS = 40


class Samples:
    """Iterations of the loops around an access, and where it is in them: for each loop as that alone goes on."""

    def __init__(
        self,
        index: ComputedIndex,
        extents: Sequence[Polynomial | None],
        sizes: Mapping[str, int],
        trips: Mapping[NodeId, float],
    ) -> None:
        self.loops = index.loops
        self._sizes = sizes
        known: dict[str, Numbers] = {name: np.asarray(value, dtype=np.int64) for name, value in sizes.items()}
        counts = loop_counts(index.loops, sizes, trips)
        self.periods = {
            loop.id: _chain(_periods(index, known), count) for loop, count in zip(self.loops, counts, strict=True)
        }
        self.columns: dict[tuple[NodeId, int], int] = {}
        self._start: dict[NodeId, int] = {}
        self.counters = self._iterations(counts)
        with np.errstate(all="ignore"):
            enter_loops(self.loops, self.counters, known)
            known |= dict.fromkeys(_factors(index) - known.keys(), np.asarray(_ANY_FACTOR))
            for name, value in index.values:
                known[name] = lane_numbers(value, known)
            total: Numbers = np.zeros((1, 1), dtype=np.int64)
            for place, (subscript, extent) in enumerate(zip(index.subscripts, extents, strict=True)):
                if place:
                    total = total * self._size(extent)
                total = total + lane_numbers(subscript, known)
            self.elements: Integers = np.broadcast_to(total, self.counters[0].shape).astype(np.int64)
            self.is_made = np.ones(self.elements.shape, dtype=np.bool_)
            for guard in index.guards:
                with suppress(NoNumberError):
                    self.is_made &= lane_numbers(guard, known) != 0

    def moved(self, loop: NodeId, ahead: int) -> Integers:
        """Elements that the access moves in so many iterations from the start of a period, for each base at both."""
        start, end = self._start[loop], self.columns[loop, ahead]
        moved: Integers = self.elements[:, end] - self.elements[:, start]
        return moved[self.is_made[:, end] & self.is_made[:, start]]

    def _size(self, extent: Polynomial | None) -> int:
        if extent is None or not extent.symbols <= self._sizes.keys():
            raise NoNumberError
        return int(extent.evaluate(self._sizes))

    def _iterations(self, counts: Sequence[int]) -> list[Integers]:
        """Of each loop the iterations, numbered from 0: rows are bases, columns what is looked at from there."""
        shares = (np.arange(_BASES) + 0.5) * SPREAD
        bases = [
            ((shares * (number + 1) % 1) * max(0, count - _AHEAD[-1])).astype(np.int64)
            for number, count in enumerate(counts)
        ]
        columns: list[tuple[int, Integers]] = [(-1, bases[0] if bases else np.zeros(_BASES, dtype=np.int64))]
        for number, (loop, count) in enumerate(zip(self.loops, counts, strict=True)):
            periods = self.periods[loop.id]
            last = periods[-1] if periods else 1
            aligned = (shares * (number + 2) % 1 * max(1, count - last)).astype(np.int64) // last * last
            self._start[loop.id] = len(columns)
            columns.append((number, aligned))
            for ahead in (1, *periods):
                self.columns[loop.id, ahead] = len(columns)
                columns.append((number, aligned + ahead))
            columns += [(number, bases[number] + min(int(ahead), count - 1)) for ahead in _AHEAD]
        table = [np.repeat(base[:, None], len(columns), axis=1) for base in bases]
        for column, (moving, iterations) in enumerate(columns):
            if moving >= 0:
                table[moving][:, column] = iterations
        return table

    def of_warps(self, loop: NodeId) -> tuple[Integers, Integers, NDArray[np.bool_]]:
        """Iterations of a loop ahead of a base, the elements there, and whether the access is made there."""
        first = self._start[loop] + 2 + len(self.periods[loop])
        number = next(n for n, each in enumerate(self.loops) if each.id == loop)
        span = slice(first, first + len(_AHEAD))
        return self.counters[number][:, span], self.elements[:, span], self.is_made[:, span]


def _factors(index: ComputedIndex) -> set[str]:
    """Floating-point numbers that come from outside of the nest."""
    made = {name for name, _ in index.values}
    parts = (part for e in (*index.subscripts, *(value for _, value in index.values)) for part in walk(e))
    return {
        part.name
        for part in parts
        if isinstance(part, ScalarRef) and isinstance(part.type, Scalar) and part.type.kind == "float"
    } - made


def polynomial_numbers(polynomial: Polynomial, known: Mapping[str, Numbers]) -> Numbers:
    """Value of a polynomial for each iteration; raises NoNumberError."""
    total: Numbers = np.zeros((1, 1), dtype=np.int64)
    for monomial, coefficient in polynomial.terms:
        product: Numbers = np.asarray(coefficient, dtype=np.int64)
        for name in monomial:
            if name not in known:
                raise NoNumberError
            product = product * known[name]
        total = total + product
    return total


def loop_counts(loops: Sequence[Loop], sizes: Mapping[str, int], trips: Mapping[NodeId, float]) -> list[int]:
    """Iterations of each loop, in the middle of those around it; `trips` are those that are known otherwise."""
    numbers = dict(sizes)
    counts: list[int] = []
    for loop in loops:
        count = trips.get(loop.id, 0.0)
        if loop.start is None:
            raise NoNumberError
        if not count:
            bounds = (loop.start, *loop.limits)
            if not loop.limits or any(not bound.symbols <= numbers.keys() for bound in bounds):
                raise NoNumberError
            first, ends = loop.start.evaluate(numbers), [limit.evaluate(numbers) for limit in loop.limits]
            count = (min(ends) - first if loop.step > 0 else first - max(ends)) / abs(loop.step)
        counts.append(max(1, ceil(count)))
        if loop.start.symbols <= numbers.keys():
            numbers[loop.iterator] = loop.start.evaluate(numbers) + loop.step * (counts[-1] // 2)
    return counts


def enter_loops(loops: Sequence[Loop], counters: Sequence[Integers], known: dict[str, Numbers]) -> None:
    """Give iterators their values in iterations that are numbered from 0."""
    for loop, counter in zip(loops, counters, strict=True):
        if loop.start is None:
            raise NoNumberError
        known[loop.iterator] = polynomial_numbers(loop.start, known) + loop.step * counter


def _periods(index: ComputedIndex, known: Mapping[str, Numbers]) -> set[int]:
    """Numbers by which something is divided, shifted or masked: where a step may begin anew."""
    found: set[int] = set()
    values = dict(known)
    for name, value in index.values:
        try:
            values[name] = lane_numbers(value, values)
        except NoNumberError:
            continue
    for expression in (*index.subscripts, *(value for _, value in index.values)):
        for part in walk(expression):
            if isinstance(part, Binary) and part.operator in {"/", "%", ">>", "&", "^", "<<"}:
                for side in (part.left, part.right) if part.operator in {"&", "^"} else (part.right,):
                    found |= _period_of(part.operator, side, values)
    return {period for period in found if period > 1}


def _period_of(operator: str, side: Expression, values: Mapping[str, Numbers]) -> set[int]:
    try:
        number = int(lane_numbers(side, values))
    except (NoNumberError, TypeError):
        return set()
    if operator in {">>", "<<"}:
        return {1 << number} if 0 < number <= _LARGEST_PERIOD_BITS else set()
    if operator == "&":
        mask = ~number if number < 0 else number
        return {1 << bit for bit in _edges(mask)}
    if operator == "^":
        return {1 << bit for bit in _edges(number)} if number > 0 else set()
    return {number}


def _edges(mask: int) -> set[int]:
    """Bits at which a run of bits begins or ends."""
    return {
        bit
        for bit in range(1, min(mask.bit_length(), _LARGEST_PERIOD_BITS) + 1)
        if (mask >> bit ^ mask >> (bit - 1)) & 1
    }


def _chain(periods: set[int], count: int) -> tuple[int, ...]:
    """Periods of a loop of so many iterations, each a multiple of the one before; products of two are among them."""
    products = {one * other for one in periods for other in periods if one < other and one * other < count}
    chain: list[int] = []
    for period in sorted(products | periods):
        if period < count and len(chain) < _MOST_PERIODS and (not chain or period % chain[-1] == 0):
            chain.append(period)
    return tuple(chain)
