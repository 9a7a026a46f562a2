"""How often a condition holds that iterators and sizes decide, of threads and of warps: counted in some of them.

Where iterators go into it through divisions, choices or floating-point numbers nothing exact can be said in general; a
thousand iterations that are spread evenly tell it to a few hundredths. A warp goes through a side when one of its
threads does.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.facts.computed_index import ComputedIndex
from warplens.analysis.workload.accesses.lane_numbers import NoNumberError, Numbers, lane_numbers
from warplens.analysis.workload.accesses.samples import Integers, enter_loops, loop_counts

_LANES = 32
_THREADS = 1024
_WARPS = 192
_HALF = Fraction(1, 2)


@dataclass(frozen=True, slots=True)
class ComputedCondition:
    """A condition as the only subscript of `index`; `x` is the iterator of the loop along a warp."""

    index: ComputedIndex
    x: str

    def at(self, sizes: Mapping[str, int]) -> Fraction:
        """Share of the threads that come to the condition for which it holds; one half where that can't be computed."""
        try:
            counts = loop_counts(self.index.loops, sizes, {})
            points = np.arange(_THREADS)[None, :]
            counters = [_spread(points, number, count) for number, count in enumerate(counts)]
            holds, comes = self._holds(counters, sizes)
        except (NoNumberError, OverflowError):
            return _HALF
        number = int(comes.sum())
        return Fraction(int((holds & comes).sum()), number) if number else _HALF

    def in_warps_at(self, sizes: Mapping[str, int], share: float) -> tuple[float, float]:
        """Shares of the warps that go through each side, where it holds for this share of the threads.

        Assumes: a warp is 32 iterations in a row. 1 and 1 where that can't be computed.
        """
        try:
            counts = loop_counts(self.index.loops, sizes, {})
            counters, weights = self._of_warps(counts)
            holds, comes = self._holds(counters, sizes)
        except (NoNumberError, OverflowError):
            return 1.0, 1.0
        weights = weights * comes.any(axis=1)
        if not weights.sum():
            return 1.0, 1.0
        then, otherwise = (
            float((side.any(axis=1) * weights).sum() / weights.sum()) for side in (holds & comes, ~holds & comes)
        )
        # As many threads as hold it are in so many warps at least, and in no more than there are of these threads.
        return min(max(then, share), _LANES * share, 1.0), min(max(otherwise, 1 - share), _LANES * (1 - share), 1.0)

    def _of_warps(self, counts: Sequence[int]) -> tuple[list[Integers], NDArray[np.float64]]:
        """Iterations of the lanes of some warps, a row each, and how many warps a row stands for.

        The first and the last along x are rows, and stand for themselves.
        """
        rows = np.arange(_WARPS)[:, None]
        counters = [
            _spread(rows, number, count) + np.zeros(_LANES, dtype=np.int64) for number, count in enumerate(counts)
        ]
        weights = np.ones(_WARPS)
        along = [number for number, loop in enumerate(self.index.loops) if loop.iterator == self.x]
        for number in along:
            warps = -(-counts[number] // _LANES)
            warp = rows % warps if warps <= _WARPS else _spread(rows, number, warps)
            if warps > _WARPS:
                # One in each of equal parts, somewhere in it.
                warp = (rows * warps + warp) // _WARPS
                warp[0], warp[-1] = 0, warps - 1
                weights[1:-1] = (warps - 2) / (_WARPS - 2)
            counters[number] = np.minimum(counts[number] - 1, warp * _LANES + np.arange(_LANES))
        return counters, weights

    def _holds(
        self, counters: Sequence[Integers], sizes: Mapping[str, int]
    ) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Whether it holds, and whether the iteration comes to it."""
        known: dict[str, Numbers] = {name: np.asarray(value, dtype=np.int64) for name, value in sizes.items()}
        shape = np.broadcast_shapes(*(counter.shape for counter in counters))
        with np.errstate(all="ignore"):
            enter_loops(self.index.loops, counters, known)
            for name, value in self.index.values:
                known[name] = lane_numbers(value, known)
            holds = np.broadcast_to(lane_numbers(self.index.subscripts[0], known) != 0, shape)
            comes = np.ones(shape, dtype=np.bool_)
            for guard in self.index.guards:
                comes = comes & (lane_numbers(guard, known) != 0)
        return holds, comes


def _spread(points: Integers, number: int, count: int) -> Integers:
    """Iterations of a loop, those of another loop in another order: a mixed-up number for each point.

    Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014 (SplitMix64).
    """
    mixed = (points.astype(np.uint64) + np.uint64(1 + (number << 32))) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        mixed = (mixed ^ (mixed >> np.uint64(shift))) * np.uint64(factor)
    share = (mixed >> np.uint64(11)).astype(np.float64) / 2.0**53
    spread: Integers = (share * count).astype(np.int64)
    return spread
