"""A computed subscript as what it nearly is: steps along loops, found by looking at some iterations of each.

`i / n * m + i % n` goes on element by element and from row to row, `i < 0 ? 0 : i` is i but for a border, `(int)(0.4f *
i)` moves along by its average. That is what caches and requests see. It holds for most iterations and not for all, so
that counts alone use it: what is proved, and what is written into ports, reads the access itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.computed_index import ComputedIndex, LanePart, Level
from warplens.analysis.facts.nest_facts import AccessFacts, GridLoop
from warplens.analysis.ir.expression import Binary, Expression, walk
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed
from warplens.analysis.workload.accesses.lane_numbers import NoNumberError, Numbers, lane_numbers

Integers = NDArray[np.int64]

_BASES = 12
"""Iterations around which the others are looked at."""
_AHEAD = np.array([0, 1, 2, 3, 5, 8, 13, 21, 31, 45, 63, 90, 127])
"""How far: as far as warps of a block go."""
_SPREAD = 0.6180339887498949
"""Source: Knuth, The Art of Computer Programming, volume 3, section 6.4: multiples of it fill the unit evenly."""
_MOSTLY = 0.75
"""Share of the iterations from which on the others are left out of account."""
_UNEVEN = 0.25
"""By how much of the way an average may be off on it: threads stay in order, and about as far apart."""
_NEAR = 4.0
"""Elements: that near, it makes no difference to a warp."""
_HALF = 0.5
_PARTS = 128
"""An average step is told to that part of an element."""
_MOST_PERIODS = 6
_LARGEST_PERIOD_BITS = 40


@dataclass(frozen=True, slots=True)
class _Step:
    """Elements by which an access moves every so many iterations, `per` of `every` where it is an average."""

    elements: int
    every: int
    until: int = 0
    per: int = 1

    def at(self, iteration: Integers) -> Integers:
        counted = iteration % self.until if self.until else iteration
        moved: Integers = counted * self.per // self.every * self.elements
        return moved


class _Samples:
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
        counts = self._counts(known, trips)
        self.periods = {
            loop.id: _chain(_periods(index, known), count) for loop, count in zip(self.loops, counts, strict=True)
        }
        self.columns: dict[tuple[NodeId, int], int] = {}
        self._start: dict[NodeId, int] = {}
        self.counters = self._iterations(counts)
        with np.errstate(all="ignore"):
            self._enter(known)
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

    def _counts(self, known: Mapping[str, Numbers], trips: Mapping[NodeId, float]) -> list[int]:
        """Iterations of each loop, in the middle of those around it."""
        numbers = {name: int(value) for name, value in known.items()}
        counts: list[int] = []
        for loop in self.loops:
            count = trips.get(loop.id, 0.0)
            if loop.start is None:
                raise NoNumberError
            if not count:
                bounds = (loop.start, *loop.limits)
                if not loop.limits or any(not bound.symbols <= numbers.keys() for bound in bounds):
                    raise NoNumberError
                first, ends = loop.start.evaluate(numbers), [limit.evaluate(numbers) for limit in loop.limits]
                count = (min(ends) - first if loop.step > 0 else first - max(ends)) / abs(loop.step)
            counts.append(max(1, int(count)))
            if loop.start.symbols <= numbers.keys():
                numbers[loop.iterator] = loop.start.evaluate(numbers) + loop.step * (counts[-1] // 2)
        return counts

    def _iterations(self, counts: Sequence[int]) -> list[Integers]:
        """Of each loop the iterations, numbered from 0: rows are bases, columns what is looked at. The first is a base."""
        shares = (np.arange(_BASES) + 0.5) * _SPREAD
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

    def _enter(self, known: dict[str, Numbers]) -> None:
        for loop, counter in zip(self.loops, self.counters, strict=True):
            if loop.start is None:
                raise NoNumberError
            known[loop.iterator] = _of_polynomial(loop.start, known) + loop.step * counter


def nearly_affine(
    facts: AccessFacts, sizes: Mapping[str, int], grid: Sequence[GridLoop], trips: Mapping[NodeId, float]
) -> AccessFacts:
    """The facts of an access whose subscripts are computed, with the steps that they nearly have at these sizes.

    As they are where there is nothing to compute, where a polynomial has it all, or where no steps are found.
    """
    index = facts.computed
    if index is None:
        return facts
    try:
        samples = _Samples(index, facts.access.extents, sizes, trips)
    except (NoNumberError, OverflowError):
        return facts
    steps: dict[NodeId, tuple[_Step, ...]] = {}
    for loop in samples.loops:
        found = _steps(samples, loop.id, reads_data=index.reads_data)
        if found is None:
            return facts
        steps[loop.id] = found
    return _with_steps(facts, samples, steps, {loop.loop: loop for loop in grid}, sizes)


def _steps(samples: _Samples, loop: NodeId, *, reads_data: bool) -> tuple[_Step, ...] | None:
    found: list[_Step] = []
    for period in (1, *samples.periods[loop]):
        elements, share = _mode(samples.moved(loop, period))
        if not found:
            if not share:
                continue  # no two such iterations make the access
            if share <= _HALF or elements % period:
                break
            found.append(_Step(elements // period, 1))
            continue
        last = found[-1]
        if share <= _HALF:
            if reads_data and last.elements:
                continue  # rows that data leads to are taken to follow each other
            return None
        if elements * last.every != last.elements * period:
            found[-1] = replace(last, until=period)
            found.append(_Step(elements, period))
    iterations, there, is_made = samples.of_warps(loop)
    first = is_made.argmax(axis=1)[:, None]
    way = iterations - np.take_along_axis(iterations, first, axis=1)
    moved = there - np.take_along_axis(there, first, axis=1)
    looked_at = is_made & (way > 0)
    if not looked_at.any():
        return tuple(found) or (_Step(0, 1),)
    if found:
        said = sum((step.at(iterations) for step in found), np.zeros_like(iterations))
        said = said - np.take_along_axis(said, first, axis=1)
        if (said == moved)[looked_at].mean() >= _MOSTLY:
            return tuple(step for step in found if step.elements) or (_Step(0, 1),)
    if reads_data:
        return None
    longest = np.where(looked_at, way, 0).argmax(axis=1)[:, None]
    farthest, end = np.take_along_axis(way, longest, axis=1), np.take_along_axis(moved, longest, axis=1)
    average = float(np.median((end / np.maximum(1, farthest))[farthest > 0]))
    off = np.abs(moved - average * way)
    if (off <= np.maximum(_NEAR, _UNEVEN * abs(average) * farthest))[looked_at].mean() < _MOSTLY:
        return None
    return (_Step(1, _PARTS, per=round(average * _PARTS)),)


def _with_steps(
    facts: AccessFacts,
    samples: _Samples,
    steps: Mapping[NodeId, tuple[_Step, ...]],
    grid: Mapping[NodeId, GridLoop],
    sizes: Mapping[str, int],
) -> AccessFacts:
    element_bytes = facts.access.element_bytes
    index = Polynomial(())
    parts: list[LanePart] = []
    strides: list[tuple[NodeId, Polynomial | None]] = []
    levels: list[tuple[NodeId, tuple[Level, ...]]] = []
    left = samples.elements[:, 0]
    for loop, counter in zip(samples.loops, samples.counters, strict=True):
        of_loop = steps[loop.id]
        left = left - sum(step.at(counter[:, 0]) for step in of_loop)
        only = of_loop[0]
        if len(of_loop) == 1 and only.every == 1 and not only.until and only.elements % loop.step == 0:
            slope = only.elements // loop.step
            index = index + Polynomial.symbol(loop.iterator) * slope
            if loop.id in grid:
                start = grid[loop.id].start
                left = left - slope * start.evaluate({name: sizes.get(name, 0) for name in start.symbols}) * 1
        else:
            for step in of_loop:
                name = computed("steps", loop.iterator, step.every, step.until, step.per)
                parts.append(LanePart(name, loop.id, step.every, step.until, step.per))
                index = index + Polynomial.symbol(name) * step.elements
            levels.append((loop.id, tuple(_level(step, element_bytes) for step in of_loop)))
        strides.append((loop.id, Polynomial.constant(_level(only, element_bytes).stride_bytes if only.every == 1 or only.per > 1 else 0)))
    unknown: tuple[tuple[str, frozenset[NodeId]], ...] = ()
    if facts.computed is not None and facts.computed.reads_data:
        unknown = ((computed("data", facts.access.id), frozenset()),)
        index = index + Polynomial.symbol(unknown[0][0])
    else:
        is_made = samples.is_made[:, 0]
        index = index + int(np.median(left[is_made] if is_made.any() else left))
    counted = replace(facts.address, indices=(index,), extents=(None,))
    return replace(
        facts,
        counted=counted,
        stride_bytes=tuple(strides),
        is_gathered=False,
        unknown=unknown,
        steps=(),
        parts=tuple(parts),
        levels=tuple((loop, of_loop) for loop, of_loop in levels if len(of_loop) > 1 or of_loop[0].every > 1 or of_loop[0].until),
        is_approximate=True,
    )


def _level(step: _Step, element_bytes: int) -> Level:
    """A step in bytes; an average is as good as one of each iteration."""
    if step.per == 1:
        return Level(step.elements * element_bytes, step.every, step.until)
    average = step.per * element_bytes / step.every
    return Level(round(average) or (1 if average > 0 else -1), 1)


def _mode(values: Integers) -> tuple[int, float]:
    """The most frequent of some numbers, and its share; 0 of none."""
    if not values.size:
        return 0, 0.0
    found, counts = np.unique(values, return_counts=True)
    most = int(counts.argmax())
    return int(found[most]), float(counts[most]) / values.size


def _of_polynomial(polynomial: Polynomial, known: Mapping[str, Numbers]) -> Numbers:
    total: Numbers = np.zeros((1, 1), dtype=np.int64)
    for monomial, coefficient in polynomial.terms:
        product: Numbers = np.asarray(coefficient, dtype=np.int64)
        for name in monomial:
            if name not in known:
                raise NoNumberError
            product = product * known[name]
        total = total + product
    return total


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
    return {bit for bit in range(1, min(mask.bit_length(), _LARGEST_PERIOD_BITS) + 1) if (mask >> bit ^ mask >> (bit - 1)) & 1}


def _chain(periods: set[int], count: int) -> tuple[int, ...]:
    """Periods of a loop of so many iterations, each a multiple of the one before; products of two are among them."""
    products = {one * other for one in periods for other in periods if one < other and one * other < count}
    chain: list[int] = []
    for period in sorted(products | periods):
        if period < count and len(chain) < _MOST_PERIODS and (not chain or period % chain[-1] == 0):
            chain.append(period)
    return tuple(chain)
