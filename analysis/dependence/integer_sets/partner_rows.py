"""What `i ^ j` has to do with other values of it: exchanges of pairs, as in sorting networks and butterflies.

For one mask `v -> v ^ mask` is its own inverse. So if the partner of one value is another one, they are a pair, and
values that differ have partners that differ.
"""

from __future__ import annotations

from itertools import combinations

from warplens.analysis.dependence.integer_sets.constraint_rows import Affine, ReferenceRows, System, differs, equals


def relate_partners(system: System, left: ReferenceRows, right: ReferenceRows, outer: frozenset[str]) -> None:
    """Add what partners by masks that are the same on both sides say of each other.

    `outer` are iterators that are equal on both sides.
    """
    moving = (left.names.keys() | right.names.keys()) - outer
    sided = [(0, *known) for known in left.partners] + [(1, *known) for known in right.partners]
    for _, partner, own, value in sided:
        if partner.mask.is_constant and partner.mask.terms:
            system.choose(*differs({own: 1}, value))
    for (side, first, v, a), (other_side, second, w, b) in combinations(sided, 2):
        if v == w or first.mask != second.mask:
            continue
        if side == other_side or moving.isdisjoint(first.mask.symbols):
            _both_or_neither(system, (a, b), ({v: 1}, {w: 1}))
            _both_or_neither(system, ({v: 1}, b), (a, {w: 1}))


def _both_or_neither(system: System, one: tuple[Affine, Affine], other: tuple[Affine, Affine]) -> None:
    """Two values are equal where two others are."""
    apart = [(*x, *y) for x in differs(*one) for y in differs(*other)]
    system.choose((equals(*one), equals(*other)), *apart)
