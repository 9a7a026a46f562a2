"""Plurals, rates and comparisons, which only the server writes; other numbers: `analysis/advice/quantities.py`."""

from __future__ import annotations

from warplens.analysis.advice.quantities import count_text, ratio_text
from warplens.analysis.models.offload import Offload

_ALIKE = 0.05


def plural(count: float, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "warp"), plural(64, "warp"), plural(2, "launch")
    ('1 warp', '64 warps', '2 launches')
    """
    ending = "" if count == 1 else "es" if noun.endswith(("ch", "sh", "s", "x")) else "s"
    return f"{count_text(count)} {noun}{ending}"


def rate_text(per_s: float, unit: str) -> str:
    """A rate with a decimal prefix.

    >>> rate_text(1.11e13, "B/s"), rate_text(2.5e8, "FLOP/s"), rate_text(0, "FLOP/s")
    ('11.1 TB/s', '250 MFLOP/s', '0 FLOP/s')
    """
    for scale, prefix in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if per_s >= scale:
            return f"{per_s / scale:.3g} {prefix}{unit}"
    return f"{per_s:.3g} {unit}"


def speedups_text(cpu_s: float, offload: Offload) -> str:
    """Both speedups against a CPU time, with and without the transfers; slower ones in words.

    >>> fast = Offload(1.0, 0.0, 1.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0)
    >>> speedups_text(60.0, fast), speedups_text(1.5, fast), speedups_text(0.0, fast)
    ('30x cold, 60x resident', '1.3x slower cold, 1.5x faster resident', 'no work')
    """
    if cpu_s <= 0 or offload.resident_s <= 0:
        return "no work"
    cases = ((cpu_s / offload.cold_s, "cold"), (cpu_s / offload.resident_s, "resident"))
    if all(ratio >= 1 for ratio, _ in cases):
        return ", ".join(f"{ratio_text(ratio)} {case}" for ratio, case in cases)
    return ", ".join(f"{_compared(ratio)} {case}" for ratio, case in cases)


def _compared(ratio: float) -> str:
    if abs(ratio - 1) < _ALIKE:
        return "as fast"
    return f"{ratio_text(ratio)} faster" if ratio > 1 else f"{ratio_text(1 / ratio)} slower"
