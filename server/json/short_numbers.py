"""JSON values with numbers as long as anybody reads them: half of a page's data was digits that nothing shows."""

from __future__ import annotations

from math import isfinite
from typing import Any

_DIGITS = 6
"""Views show three of a prediction."""


def short_numbers(value: Any) -> Any:
    """The value with its fractions rounded to six digits; whole numbers stay.

    >>> short_numbers({"time_s": [0.000123456789, 123456789, 2.0]})
    {'time_s': [0.000123457, 123456789, 2.0]}
    """
    if isinstance(value, float):
        return float(f"{value:.{_DIGITS}g}") if isfinite(value) else value
    if isinstance(value, dict):
        return {name: short_numbers(each) for name, each in value.items()}
    return [short_numbers(each) for each in value] if isinstance(value, list | tuple) else value
