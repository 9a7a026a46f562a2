"""Numbers as a `float` of C holds them, and their shortest spelling.

Source: IEEE 754-2019 3.4 (binary32); nine significant digits tell any two of them apart.
"""

from __future__ import annotations

from math import inf, isfinite
from struct import pack, unpack

_MOST_DIGITS = 9


def in_single_precision(value: float) -> float:
    """The `float` nearest to a number.

    >>> in_single_precision(0.5), in_single_precision(0.1), in_single_precision(1e39)
    (0.5, 0.10000000149011612, inf)
    """
    try:
        return float(unpack("f", pack("f", value))[0])
    except OverflowError:
        return inf if value > 0 else -inf


def shortest_text(value: float) -> str:
    """Fewest digits that give the same `float` again, with a point or an exponent.

    >>> shortest_text(in_single_precision(0.1)), shortest_text(2.0), shortest_text(in_single_precision(1e-20))
    ('0.1', '2.0', '1e-20')
    """
    if not isfinite(value) or in_single_precision(value) != value:
        return repr(value)
    for digits in range(1, _MOST_DIGITS + 1):
        rounded = float(f"{value:.{digits}g}")
        if in_single_precision(rounded) == value:
            return repr(rounded)
    return repr(value)
