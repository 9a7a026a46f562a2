"""How many cache lines a set of loops touches through one array reference, from its byte strides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Walk:
    """References to one array that differ by constants only, as a box over the loops' strides.

    `strides` are positive bytes per iteration, one per loop that moves the reference. `extra[k]` is how many steps of
    `strides[k]` the references lie apart (2 for `a[i-1]`, `a[i+1]`), `span_bytes` what they touch at one place.
    """

    strides: tuple[float, ...]
    extra: tuple[float, ...]
    span_bytes: float


def walk_of(strides: Sequence[float], offsets: Iterable[float], element_bytes: int) -> Walk:
    """Build from the byte offsets of the references, each written as steps of the strides, largest stride first."""
    steps = [abs(stride) for stride in strides]
    quotients: list[list[float]] = [[] for _ in steps]
    rests: list[float] = []
    for offset in offsets:
        rest = offset
        for k in sorted(range(len(steps)), key=steps.__getitem__, reverse=True):
            quotient = float(round(rest / steps[k]))
            quotients[k].append(quotient)
            rest -= quotient * steps[k]
        rests.append(rest)
    extra = tuple(max(q, default=0.0) - min(q, default=0.0) for q in quotients)
    span = max(rests, default=0.0) - min(rests, default=0.0) + element_bytes
    return Walk(tuple(steps), extra, span)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Stretches of `stretch_lines` lines each, one per combination of the `steps` (stride in bytes, count)."""

    stretch_lines: float
    steps: tuple[tuple[float, float], ...]

    @property
    def lines(self) -> float:
        """Distinct lines in all."""
        total = self.stretch_lines
        for _, count in self.steps:
            total *= count
        return total


def footprint(walk: Walk, trips: Sequence[float], line_bytes: int) -> Footprint:
    """Distinct cache lines when the loop of stride k makes `trips[k]` iterations (1 for a loop that stands still).

    Strides shorter than a line fill it; larger ones touch a line per step, unless they continue what an inner loop
    left off (`i*n + j` over i and j is one stretch).

    Assumes: an array starts anywhere in a line (the average over alignments is returned).
    """
    span = walk.span_bytes
    element = span
    pieces: list[tuple[float, float]] = []
    for stride, count in sorted(
        (stride, trip + extra) for stride, trip, extra in zip(walk.strides, trips, walk.extra, strict=True)
    ):
        if count <= 1.0:
            continue
        if not pieces and stride < span + line_bytes:
            span += stride * (count - 1.0)
        elif pieces and stride <= pieces[-1][0] * pieces[-1][1]:
            last_stride, last_count = pieces[-1]
            pieces[-1] = (last_stride, last_count + stride / last_stride * (count - 1.0))
        else:
            pieces.append((stride, count))
    return Footprint((span - min(element, line_bytes)) / line_bytes + 1.0, tuple(pieces))
