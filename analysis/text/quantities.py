"""Numbers as people read them: counts, times, bytes, ratios; messages, hovers and reports all take them from here."""

from __future__ import annotations

_TIMES = ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_BYTES = ((2**60, "EiB"), (2**50, "PiB"), (2**40, "TiB"), (2**30, "GiB"), (2**20, "MiB"), (2**10, "KiB"))
_GROUPED_FROM = 10_000
_SCIENTIFIC_FROM = 1e18


def extent_text(extent: tuple[int, int, int]) -> str:
    """Threads or outputs along x, y, z without trailing ones, as `--block` takes them.

    >>> extent_text((32, 8, 1)), extent_text((256, 1, 1)), extent_text((1, 1, 4))
    ('32x8', '256', '1x1x4')
    """
    x, y, z = extent
    return f"{x}x{y}x{z}" if z > 1 else f"{x}x{y}" if y > 1 else str(x)


def count_text(count: float) -> str:
    """A count; whole numbers of five digits and more in groups of three, others with one decimal.

    >>> count_text(1234567), count_text(4094), count_text(512.5), count_text(2**70)
    ('1 234 567', '4094', '512.5', '1.18e+21')
    """
    if count >= _SCIENTIFIC_FROM:
        return f"{count:.3g}"
    digits = 0 if count >= _GROUPED_FROM or float(count).is_integer() else 1
    text = f"{count:,}" if isinstance(count, int) else f"{count:,.{digits}f}"  # `f` would round it to a double
    return text.replace(",", " ") if count >= _GROUPED_FROM else text.replace(",", "")


def average_text(average: float) -> str:
    """An average count, four significant digits where it is small and no whole number.

    >>> average_text(2.953125), average_text(64.0), average_text(12345.6)
    ('2.953', '64', '12 346')
    """
    return count_text(average) if float(average).is_integer() or average >= _GROUPED_FROM else f"{average:.4g}"


def time_text(seconds: float) -> str:
    """Three significant digits with a unit; 0 is "0 s".

    >>> time_text(0.00123), time_text(7200), time_text(86400)
    ('1.23 ms', '7200 s', '86 400 s')
    """
    for scale, unit in _TIMES:
        if seconds >= scale:
            return f"{_digits(seconds / scale)} {unit}"
    return "0 s" if seconds == 0 else f"{_digits(seconds / 1e-9)} ns"


def bytes_text(size_bytes: float) -> str:
    """Binary units, also of sizes that no machine has.

    >>> bytes_text(3 * 2**20), bytes_text(12), bytes_text(3 * 2**50), bytes_text(2.0**65), bytes_text(2.0**80)
    ('3 MiB', '12 B', '3 PiB', '32 EiB', '1 048 576 EiB')
    """
    for scale, unit in _BYTES:
        if size_bytes >= scale:
            return f"{_digits(size_bytes / scale)} {unit}"
    return f"{_digits(size_bytes)} B"


def ratio_text(ratio: float) -> str:
    """A speedup, with the two digits that a prediction may have.

    >>> ratio_text(18.3), ratio_text(0.0421), ratio_text(2.345), ratio_text(4094), ratio_text(12345)
    ('18x', '0.042x', '2.3x', '4100x', '12 000x')
    """
    if ratio >= 10:
        return f"{count_text(float(f'{ratio:.2g}'))}x"
    return f"{ratio:.1f}x" if ratio >= 1 else f"{ratio:.2g}x"


def percent_text(share: float) -> str:
    """A share of one.

    >>> percent_text(0.634)
    '63 %'
    """
    return f"{100 * share:.0f} %"


def _digits(value: float) -> str:
    return count_text(round(value)) if value >= 100 else f"{value:.3g}"
