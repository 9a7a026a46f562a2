"""Numbers as people read them: times, bytes, ratios."""

from __future__ import annotations

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))


def time_text(seconds: float) -> str:
    """Three significant digits with a unit; 0 is "0 s".

    >>> time_text(0.00123), time_text(7200)
    ('1.23 ms', '7200 s')
    """
    for scale, unit in _TIMES:
        if seconds >= scale:
            return f"{_digits(seconds / scale)} {unit}"
    return "0 s" if seconds == 0 else f"{_digits(seconds / 1e-9)} ns"


def bytes_text(size_bytes: float) -> str:
    """Binary units.

    >>> bytes_text(3 * 2**20), bytes_text(12)
    ('3 MiB', '12 B')
    """
    for scale, unit in _BYTES:
        if size_bytes >= scale:
            return f"{_digits(size_bytes / scale)} {unit}"
    return f"{_digits(size_bytes)} B"


def ratio_text(ratio: float) -> str:
    """A speedup.

    >>> ratio_text(18.3), ratio_text(0.0421), ratio_text(2.345)
    ('18x', '0.042x', '2.3x')
    """
    if ratio >= 10:
        return f"{ratio:,.0f}x".replace(",", " ")
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def percent_text(share: float) -> str:
    """A share of one.

    >>> percent_text(0.634)
    '63 %'
    """
    return f"{100 * share:.0f} %"


def _digits(value: float) -> str:
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"
