"""Where to look next for the size from which something wins: bracketing, then a secant in the log-log plot."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, sqrt

Margin = tuple[int, float]
"""A size and the logarithm of the ratio there: above 0 it wins. -inf where nothing runs."""

STEP = 2
"""Sizes that are looked at first are this factor apart: what happens between two of them may go unseen."""

SMALL = 64
"""Larger sizes are looked at where they are odd: there no row of an array lies as well in memory, for the GPU, and none
as badly in the CPU's caches, as at powers of two. Where the GPU wins at them it does at the others."""


def first_sizes(least: int, most: int, current: int) -> list[int]:
    """Sizes from `least` to `most`, both among them, a factor of `STEP` apart, and the current one if it is inside."""
    sizes = {size for size in (least, most, current) if least <= size <= most}
    size = least
    while size < most:
        sizes.add(min(_ordinary(size), most))
        size *= STEP
    return sorted(sizes)


def gap_before_winning(margins: Sequence[Margin]) -> tuple[Margin, Margin] | None:
    """The last size that doesn't win and the next one, in rising order; None where there is none of either."""
    lost = max((place for place, (_, margin) in enumerate(margins) if margin <= 0), default=None)
    return None if lost is None or lost + 1 == len(margins) else (margins[lost], margins[lost + 1])


def first_of_wins(margins: Sequence[Margin]) -> int | None:
    """The first size with nothing but wins from it on, in rising order; None where the largest doesn't win."""
    if not margins or margins[-1][1] <= 0:
        return None
    gap = gap_before_winning(margins)
    return margins[0][0] if gap is None else gap[1][0]


def size_in_gap(gap: tuple[Margin, Margin], tolerance: float, *, halves: bool) -> int | None:
    """The size to look at in a gap; None where its ends are next to each other, or not further than `tolerance` apart.

    It lies where the line through both ends crosses 0, a little to the side that leaves the smaller gap; in the middle
    if it `halves`, which ends whatever the function is.
    """
    (low, loss), (high, gain) = gap
    first, last = _ordinary(low + 1), high - 1 if high - 1 <= SMALL or high % 2 == 0 else high - 2
    if first > last or high <= low * tolerance:
        return None
    if halves or loss == -inf:
        wanted = sqrt(low) * sqrt(high)
    else:
        crossing = exp(log(low) + loss / (loss - gain) * (log(high) - log(low)))
        aside = tolerance**0.45
        wanted = crossing / aside if crossing * tolerance >= high else crossing * aside
    return min(max(_ordinary(round(wanted)), first), last)


def _ordinary(size: int) -> int:
    return size if size <= SMALL else size | 1
