"""How many cache lines a set of loops touches through one array reference, from its byte strides."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True)
class Walk:
    """References to one array that differ by constants only, as a box over the loops' strides.

    `strides` are positive bytes per iteration, one per loop that moves the reference. `extra[k]` is how many steps of
    `strides[k]` the references lie apart (2 for `a[i-1]`, `a[i+1]`), `span_bytes` what they touch at one place;
    `offsets` are where each of them starts, in order, and `element_bytes` what one touches.
    """

    strides: tuple[float, ...]
    extra: tuple[float, ...]
    span_bytes: float
    offsets: tuple[float, ...]
    element_bytes: float


def walk_of(strides: Sequence[float], offsets: Iterable[float], element_bytes: int) -> Walk:
    """Build from the byte offsets of the references, each written as steps of the strides, largest stride first."""
    steps = [abs(stride) for stride in strides]
    places = sorted(set(offsets))
    quotients: list[list[float]] = [[] for _ in steps]
    rests: list[float] = []
    for offset in places:
        rest = offset
        for k in sorted(range(len(steps)), key=steps.__getitem__, reverse=True):
            quotient = float(round(rest / steps[k]))
            quotients[k].append(quotient)
            rest -= quotient * steps[k]
        rests.append(rest)
    extra = tuple(max(q, default=0.0) - min(q, default=0.0) for q in quotients)
    span = max(rests, default=0.0) - min(rests, default=0.0) + element_bytes
    return Walk(tuple(steps), extra, span, tuple(places), element_bytes)


@dataclass(frozen=True, slots=True)
class Footprint:
    """Stretches of `stretch_lines` lines each, one per combination of the `steps` (stride in bytes, count).

    All of that in as many `copies`, of references that lie too far apart to meet.
    """

    stretch_lines: float
    steps: tuple[tuple[float, float], ...]
    copies: int = 1

    @property
    def lines(self) -> float:
        """Distinct lines in all."""
        total = self.stretch_lines * self.copies
        for _, count in self.steps:
            total *= count
        return total


def footprint(walk: Walk, trips: Sequence[float], line_bytes: int) -> Footprint:
    """Distinct cache lines when the loop of stride k makes `trips[k]` iterations (1 for a loop that stands still).

    Strides shorter than a line fill it; larger ones touch a line per step, unless they continue what an inner loop
    left off (`i*n + j` over i and j is one stretch). References are one box or, if that is less, each neighbourhood of
    them by itself: `a[i]` and `a[i + n/2]` are two lines in one iteration, not the half of the array between them.

    Assumes: an array starts anywhere in a line (the average over alignments is returned).
    """
    box = _box(walk.strides, trips, walk.extra, walk.span_bytes, line_bytes)
    starts = [at for at, offset in enumerate(walk.offsets) if not at or offset - walk.offsets[at - 1] > line_bytes]
    if len(starts) < 2:
        return box
    ends = [*(start - 1 for start in starts[1:]), len(walk.offsets) - 1]
    widest = max(walk.offsets[end] - walk.offsets[start] for start, end in zip(starts, ends, strict=True))
    alone = _box(walk.strides, trips, [0.0] * len(trips), widest + walk.element_bytes, line_bytes)
    apart = replace(alone, copies=len(starts))
    return apart if apart.lines < box.lines else box


def _box(
    strides: Sequence[float], trips: Sequence[float], extra: Sequence[float], span_bytes: float, line_bytes: int
) -> Footprint:
    span = span_bytes
    pieces: list[tuple[float, float]] = []
    for stride, count in sorted(
        (stride, trip + more) for stride, trip, more in zip(strides, trips, extra, strict=True)
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
    return Footprint((span - min(span_bytes, line_bytes)) / line_bytes + 1.0, tuple(pieces))
