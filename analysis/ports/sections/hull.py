"""The elements of an array between the first and the last that any of several references touches."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ports.sections.size_order import is_at_least
from warplens.analysis.ports.sections.touched_range import TouchedRange, least_values


@dataclass(frozen=True, slots=True)
class Touched:
    """An end of a range: it counts where all `conditions` are >= 0."""

    value: Polynomial
    conditions: frozenset[Polynomial] = frozenset()


@dataclass(frozen=True, slots=True)
class Hull:
    """Elements from the smallest of `firsts` to the largest of `ends`, that one not included; none where none counts.

    `is_exact`: the loops lead to both ends; `is_guarded`: data decides whether an end is touched.
    """

    firsts: tuple[Touched, ...]
    ends: tuple[Touched, ...]
    is_exact: bool
    is_guarded: bool = False


def hull_of(ranges: Sequence[TouchedRange], granted: Collection[Polynomial]) -> Hull | None:
    """Hull of ranges, ends left out that are certainly inside of others; None of no range.

    `granted` are >= 0 wherever the hull is asked for. An inexact range makes an inexact hull unless it lies inside of
    the exact ones.
    """
    if not ranges:
        return None
    firsts, low = _ends(ranges, granted, largest=False)
    ends, high = _ends(ranges, granted, largest=True)
    sources = (*low, *high)
    return Hull(firsts, ends, all(r.is_exact for r in sources), any(r.is_guarded for r in sources))


def whole(array: ArrayObject, known: frozenset[str]) -> Hull | None:
    """All elements that the array's declaration gives it; None where it doesn't say how many."""
    total = Polynomial.constant(1)
    for extent in array.extents:
        if extent is None or not extent.symbols <= known:
            return None
        total = total * extent
    return Hull((Touched(Polynomial(())),), (Touched(total),), True)


def is_implied(condition: Polynomial, granted: Iterable[Polynomial]) -> bool:
    """Whether a polynomial is certainly >= 0 where others are.

    >>> n = Polynomial.symbol("n")
    >>> is_implied(n - 1, [n - 3]), is_implied(n * n - 1, [n - 1]), is_implied(n - 3, [n - 1])
    (True, True, False)
    """
    known = tuple(granted)
    if any((distance := condition - other).is_constant and distance.constant_term >= 0 for other in known):
        return True
    return is_at_least(condition, 0, least_values(known))


def _ends(
    ranges: Sequence[TouchedRange], granted: Collection[Polynomial], *, largest: bool
) -> tuple[tuple[Touched, ...], list[TouchedRange]]:
    """The ends on one side that decide, and the ranges that they are of: certain ones where there is a choice."""
    every: dict[Touched, TouchedRange] = {}
    for one in sorted(ranges, key=lambda one: (not one.is_exact, one.is_guarded)):
        for value in one.lasts if largest else one.firsts:
            every.setdefault(Touched(value + 1 if largest else value, one.conditions), one)
    kept = list(every)
    for end in tuple(reversed(kept)):
        if any(other is not end and _covers(other, end, granted, largest=largest) for other in kept):
            kept.remove(end)
    return tuple(kept), [every[end] for end in kept]


def _covers(other: Touched, end: Touched, granted: Collection[Polynomial], *, largest: bool) -> bool:
    """Whether the other end lies further out wherever this one counts."""
    distance = other.value - end.value if largest else end.value - other.value
    here = (*granted, *end.conditions)
    return is_implied(distance, here) and all(is_implied(condition, here) for condition in other.conditions)
