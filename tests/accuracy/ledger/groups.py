"""Measurements between which only one thing changes: the block, or the work per thread."""

from __future__ import annotations

from collections.abc import Iterable

from accuracy.ledger.measurement import Extent, Sizes
from accuracy.ledger.predictions import Predicted

MIN_BEST_S = 20e-6
"""Groups whose fastest launch takes less say more about launch latency than about the launch."""

SameButBlock = tuple[str, str, str, int, Sizes, Extent, tuple[str, ...]]
SameButLaunch = tuple[str, str, str, int, Sizes, tuple[str, ...]]


def by_block(predicted: Iterable[Predicted]) -> dict[SameButBlock, list[Predicted]]:
    """Groups of at least two launches between which only the block changes."""
    groups: dict[SameButBlock, list[Predicted]] = {}
    for one in predicted:
        m = one.measured
        groups.setdefault((m.dataset, m.gpu, m.kernel, m.n, m.sizes, m.outputs, m.staged), []).append(one)
    return {key: group for key, group in groups.items() if len(group) > 1 and _best_s(group) >= MIN_BEST_S}


def by_launch(predicted: Iterable[Predicted]) -> dict[SameButLaunch, list[Predicted]]:
    """Groups in which block and outputs per thread change."""
    groups: dict[SameButLaunch, list[Predicted]] = {}
    for one in predicted:
        m = one.measured
        groups.setdefault((m.dataset, m.gpu, m.kernel, m.n, m.sizes, m.staged), []).append(one)
    return {key: group for key, group in groups.items() if _best_s(group) >= MIN_BEST_S}


def _best_s(group: Iterable[Predicted]) -> float:
    return min(one.measured.time_s for one in group)
