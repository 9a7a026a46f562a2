"""Numbers that are the same for all launches beside columns: arithmetic that is as fast on one as on the other."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column, Flags

Number = Column | float
"""The same for all launches, or a column."""

Truth = Flags | bool
"""The same of all launches, or a column."""


def either(condition: Truth, one: Number, other: Number) -> Number:
    """Return one number where the condition holds and the other where it does not."""
    if isinstance(condition, bool | np.bool_):
        return one if condition else other
    return np.where(condition, one, other)


def is_ever(condition: Truth) -> bool:
    """Whether it holds for any launch."""
    return bool(condition) if isinstance(condition, bool | np.bool_) else bool(condition.any())


def larger(one: Number, other: Number) -> Number:
    """Return the larger of two numbers."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.maximum(one, other)
    return max(one, other)


def smaller(one: Number, other: Number) -> Number:
    """Return the smaller of two numbers."""
    if isinstance(one, np.ndarray) or isinstance(other, np.ndarray):
        return np.minimum(one, other)
    return min(one, other)


def as_number(column: Column) -> Number:
    """Return a column of one row as the number that it is."""
    return float(column[0]) if len(column) == 1 else column
