"""Sums of a count that is linear in one outer counter, its clamp at zero included, in closed form."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from warplens.analysis.ir.formula import ZERO, Formula


@dataclass(frozen=True, slots=True)
class Linear:
    """`rest + slope * t`: a count as a function of one counter."""

    rest: Formula
    slope: int


def sum_clamped(line: Linear, low: Formula, high: Formula) -> Formula:
    """`sum(max(0, line(t)) for t in range(low, high))`, for low <= high."""
    if line.slope == 0:
        return line.rest.at_least(0) * (high - low)
    if line.slope > 0:
        first = line.rest * -1 if line.slope == 1 else (line.rest * Fraction(-1, line.slope)).ceil()
        if first.value is None or first.value > 0 or low != ZERO:
            low = _clamp(first, low, high)
    else:
        end = line.rest + 1 if line.slope == -1 else (line.rest * Fraction(1, -line.slope)).floor() + 1
        high = _clamp(end, low, high)
    count = high - low
    return line.rest * count + (high + low - 1) * count * Fraction(line.slope, 2)


def _clamp(value: Formula, low: Formula, high: Formula) -> Formula:
    return value.at_least(low).at_most(high)
