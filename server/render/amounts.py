"""Plurals and rates, which only the server writes; other numbers: `analysis/text/quantities.py`."""

from __future__ import annotations

from warplens.analysis.text.quantities import count_text


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
