"""Numbers of predictions, rounded to what is known of them."""

from __future__ import annotations

from math import floor, log10

from warplens.analysis.text.quantities import count_text, time_text

_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
"""Round numbers a fourth apart: nearer than the mean error of the models."""

_DIGITS = 2


def round_ratio(ratio: float) -> float:
    """The nearest round number of a ratio above 0, by its logarithm.

    >>> [round_ratio(each) for each in (1.04, 1.13, 14.2, 2.7, 91.0, 12345.0)]
    [1.0, 1.2, 15.0, 2.5, 100.0, 12000.0]
    """
    scale = 10.0 ** floor(log10(ratio))
    mantissa = ratio / scale
    nearest = min(_STEPS, key=lambda step: abs(log10(step / mantissa)))
    return float(f"{nearest * scale:.2g}")


def times_text(ratio: float) -> str:
    """How many times: of a ratio from 1 on.

    >>> times_text(14.2), times_text(1.27), times_text(3100.0)
    ('15x', '1.2x', '3000x')
    """
    rounded = round_ratio(ratio)
    return f"{count_text(rounded) if rounded.is_integer() else f'{rounded:g}'}x"


def speed_text(ratio: float) -> str:
    """Faster or slower, in round numbers.

    >>> speed_text(14.2), speed_text(0.32), speed_text(1.05)
    ('15x faster', '3x slower', 'as fast')
    """
    if round_ratio(ratio) == 1:
        return "as fast"
    return f"{times_text(ratio)} faster" if ratio > 1 else f"{times_text(1 / ratio)} slower"


def compared_text(ratio: float, than: str) -> str:
    """`speed_text` of something against something else.

    >>> compared_text(14.2, "one core"), compared_text(1.05, "one core")
    ('about 15x faster than one core', 'about as fast as one core')
    """
    text = speed_text(ratio)
    return f"about as fast as {than}" if round_ratio(ratio) == 1 else f"about {text} than {than}"


def about_time_text(seconds: float) -> str:
    """A predicted time: two digits.

    >>> about_time_text(0.0002013), about_time_text(0.0), about_time_text(33.2)
    ('200 µs', '0 s', '33 s')
    """
    if seconds <= 0:
        return "0 s"
    return time_text(float(f"{seconds:.{_DIGITS}g}"))


def size_text(size: int, current: int) -> str:
    """A size to two digits, or as many more as keep it on its side of the size in force."""
    for dropped in range(max(0, len(str(size)) - _DIGITS), 0, -1):
        shown = round(size, -dropped)
        if (size > current) == (shown > current):
            return count_text(shown)
    return count_text(size)
