"""Where a model has runs: what is asked for elsewhere is a guess, and is said to be one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from warplens.analysis.counters.predictors import Floats, Scale, quantity_text

MOST_POINTS = 1000
_FAR = 1.5
"""Times the largest gap between neighbours: the middle of a cell of a grid in four dimensions is still near."""
_SLACK = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class TrainedPoints:
    """`points` are the given quantities of the runs, each once, on their scales, at most 1000; `ranges` of all runs.

    Shape: points (points, given). `gap` is the largest distance from a point to its nearest, each quantity as a part of
    its range.
    """

    ranges: tuple[tuple[float, float], ...]
    points: Floats
    gap: float

    def outside(self, scales: Sequence[Scale], known: Floats, where: str = "") -> tuple[str, ...]:
        """Which quantities of one run, shape (given,), are out of their range, in words, with `where` they were run."""
        words = []
        for scale, (low, high), value in zip(scales, self.ranges, known, strict=False):
            slack = _SLACK * max(1.0, abs(high))
            if not low - slack <= value <= high + slack:
                first, last, here = (quantity_text(scale, each) for each in (low, high, value))
                words.append(f"{scale.name} = {here} is outside of {first} to {last}, which were run{where}")
        return tuple(words)

    def is_far(self, known: Floats) -> bool:
        """Whether quantities that are each in their range are together unlike all that was run."""
        if len(self.ranges) < 2:
            return False
        return float(_distances(self.points, known, self.ranges).min()) > _FAR * self.gap


def trained_points(given: Floats) -> TrainedPoints:
    """Of runs; shape (runs, given)."""
    ranges = tuple((float(column.min()), float(column.max())) for column in given.T)
    points = np.unique(given, axis=0)
    points = points[:: -(-len(points) // MOST_POINTS)]
    nearest = [float(np.delete(_distances(points, one, ranges), i).min(initial=np.inf)) for i, one in enumerate(points)]
    known = [each for each in nearest if np.isfinite(each)]
    return TrainedPoints(ranges, points, max(known, default=0.0))


def _distances(points: Floats, known: Floats, ranges: Sequence[tuple[float, float]]) -> Floats:
    spread = np.array([high - low if high > low else 1.0 for low, high in ranges])
    return np.asarray(np.sqrt((((points - known) / spread) ** 2).sum(axis=1)), dtype=np.float64)
