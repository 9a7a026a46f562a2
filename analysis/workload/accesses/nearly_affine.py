"""A computed subscript as what it nearly is: steps along loops, found by looking at some iterations of each.

`i / n * m + i % n` goes on element by element and from row to row, `i < 0 ? 0 : i` is i but for a border, `(int)(0.4f *
i)` moves along by its average. That is what caches and requests see. It holds for most iterations and not for all, so
that counts alone use it: what is proved, and what is written into ports, reads the access itself.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from warplens.analysis.facts.computed_index import LanePart, Level
from warplens.analysis.facts.nest_facts import AccessFacts, GridLoop
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.symbol import computed
from warplens.analysis.workload.accesses.lane_numbers import NoNumberError
from warplens.analysis.workload.accesses.samples import Integers, Samples

_MOSTLY = 0.75
"""Share of the iterations from which on the others are left out of account."""
_UNEVEN = 0.25
"""By how much of the way an average may be off on it: threads stay in order, and about as far apart."""
_NEAR = 4.0
"""Elements: that near, it makes no difference to a warp."""
_HALF = 0.5
_PARTS = 128
"""An average step is told to that part of an element."""


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
        samples = Samples(index, facts.access.extents, sizes, trips)
    except (NoNumberError, OverflowError):
        return facts
    steps: dict[NodeId, tuple[_Step, ...]] = {}
    for loop in samples.loops:
        found = _steps(samples, loop.id, reads_data=index.reads_data)
        if found is None:
            return facts
        steps[loop.id] = found
    return _with_steps(facts, samples, steps, {loop.loop: loop for loop in grid}, sizes)


def _steps(samples: Samples, loop: NodeId, *, reads_data: bool) -> tuple[_Step, ...] | None:
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
    samples: Samples,
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
        strides.append(
            (
                loop.id,
                Polynomial.constant(_level(only, element_bytes).stride_bytes if only.every == 1 or only.per > 1 else 0),
            )
        )
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
        levels=tuple(
            (loop, of_loop) for loop, of_loop in levels if len(of_loop) > 1 or of_loop[0].every > 1 or of_loop[0].until
        ),
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
