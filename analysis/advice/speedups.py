"""Speedups in words, with the range that the measured errors of the GPU time leave."""

from __future__ import annotations

from dataclasses import replace
from math import sqrt

from warplens.analysis.models.choice.time_range import TimeRange
from warplens.analysis.models.results.offload import Offload
from warplens.analysis.text.quantities import ratio_text

_COPIES = ", with copies "
_ALIKE = 0.05
_NARROW = 1.15
"""Ranges of speedups whose ends are less than this factor apart are shown as one number."""


def speedups_text(cpu_s: float, offload: Offload, kernels: TimeRange | None = None) -> str:
    """Both speedups against a CPU time, with the data on the GPU and with copies; slower ones in words.

    `offload` has work; `kernels` is between which times its kernels lie, without which the speedups are single numbers.

    >>> fast = Offload(1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    >>> speedups_text(60.0, fast), speedups_text(1.5, fast)
    ('60x, with copies 30x', '1.5x faster, with copies 1.3x slower')
    >>> speedups_text(60.0, fast, TimeRange(0.9, 2.0)), speedups_text(1.5, fast, TimeRange(0.5, 2.0))
    ('30x to 67x, with copies 20x to 32x', '1.3x slower to 3.0x faster, with copies 1.0x to 2.0x slower')
    """
    times = kernels or TimeRange(offload.kernels_s, offload.kernels_s)
    slow, fast = (replace(offload, kernels_s=time_s) for time_s in (times.most_s, times.least_s))
    cases = (
        (cpu_s / slow.resident_s, cpu_s / fast.resident_s),
        (cpu_s / slow.cold_s, cpu_s / fast.cold_s),
    )
    in_words = _range_text if all(least >= 1 for least, _ in cases) else _compared_range
    return _COPIES.join(in_words(least, most) for least, most in cases)


def _range_text(least: float, most: float) -> str:
    if most < _NARROW * least:
        return ratio_text(sqrt(least * most))
    return f"{ratio_text(least)} to {ratio_text(most)}"


def _compared_range(least: float, most: float) -> str:
    if most < _NARROW * least:
        return _compared(sqrt(least * most))
    if least >= 1:
        return f"{_range_text(least, most)} faster"
    if most <= 1:
        return f"{_range_text(1 / most, 1 / least)} slower"
    return f"{ratio_text(1 / least)} slower to {ratio_text(most)} faster"


def _compared(ratio: float) -> str:
    if abs(ratio - 1) < _ALIKE:
        return "as fast"
    return f"{ratio_text(ratio)} faster" if ratio > 1 else f"{ratio_text(1 / ratio)} slower"
