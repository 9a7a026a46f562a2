"""Rows of cells as lines with aligned columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

Table = tuple[tuple[str, ...], ...]
"""Rows of equally many cells, the columns' names first."""

_GAP = "  "


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> tuple[str, ...]:
    """A line per row; the columns in `right` end at one place, the others start at one.

    >>> aligned((("block", "time"), ("32x8", "1 ms"), ("64", "12 ms")), right={1})
    ('block   time', '32x8    1 ms', '64     12 ms')
    """
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return tuple(
        _GAP.join(
            cell.rjust(width) if at in right else cell.ljust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    )
