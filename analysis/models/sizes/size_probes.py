"""Where to look next for the size from which something wins: bracketing, then a secant in the log-log plot."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from math import ceil, exp, inf, log, sqrt

Margin = tuple[int, float]
"""A size and the logarithm of the ratio there: above 0 it wins. -inf where nothing runs."""

STEP = 4
"""Sizes that are looked at first are this factor apart."""

CLOSE = log(2)
"""Where it wins by less than this factor, it may lose again: there the next sizes looked at are no more apart than"""

NEAR = 2.1
"""this factor. What happens between two sizes that are looked at may go unseen."""

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


def first_of_wins(margins: Sequence[Margin], *, is_between: bool = False) -> int | None:
    """The first size with nothing but wins from it on, in rising order; None where the largest doesn't win.

    It is one that was looked at; if it `is_between`, the crossing in the gap before that.
    """
    if not margins or margins[-1][1] <= 0:
        return None
    gap = gap_before_winning(margins)
    if gap is None:
        return margins[0][0]
    (low, loss), (high, _) = gap
    return min(max(low + 1, ceil(_crossing(gap))), high) if is_between and loss > -inf else high


def size_in_doubt(margins: Sequence[Margin]) -> int | None:
    """A size between two that win, one of them by little, that are far apart; None where there are none such."""
    for (low, first), (high, second) in pairwise(margins):
        if 0 < min(first, second) < CLOSE and high > low * NEAR:
            return _ordinary(round(sqrt(low) * sqrt(high)))
    return None


def size_in_gap(gap: tuple[Margin, Margin], tolerance: float, *, halves: bool) -> int | None:
    """The size to look at in a gap; None where its ends are next to each other, or not further than `tolerance` apart.

    It lies where the line through both ends crosses 0, a little to the side that leaves the smaller gap; in the middle
    if it `halves`, which ends whatever the function is.
    """
    (low, loss), (high, _) = gap
    first, last = _ordinary(low + 1), high - 1 if high - 1 <= SMALL or high % 2 == 0 else high - 2
    if first > last or high <= low * tolerance:
        return None
    if halves or loss == -inf:
        wanted = sqrt(low) * sqrt(high)
    else:
        crossing = _crossing(gap)
        aside = tolerance**0.45
        wanted = crossing / aside if crossing * tolerance >= high else crossing * aside
    return min(max(_ordinary(round(wanted)), first), last)


def _crossing(gap: tuple[Margin, Margin]) -> float:
    """Where the line through both ends crosses 0 in the log-log plot."""
    (low, loss), (high, gain) = gap
    return exp(log(low) + loss / (loss - gain) * (log(high) - log(low)))


def _ordinary(size: int) -> int:
    return size if size <= SMALL else size | 1
