"""Loops of the grid as axes of threads: where an axis starts, how many iterations it has, which of them exist.

An axis starts at the smallest value that its iterator ever takes (the largest of a descending loop), so that all
threads of a block know the block's first value; a triangle's rows leave out what is before their start. A loop that
starts elsewhere in each row is counted from each row's own start where its step is not one, or where it is a window:
the points of a tile are as many in each, and a thread for all that all of them have would hardly ever have one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from warplens.analysis.ir.counted_loops import counts_from_its_start, is_counted
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.plan import PortRefusedError

MOST_BLOCKS = {"x": 2**31 - 1, "y": 65535, "z": 65535}
"""CUDA's limits of a grid, the same on every GPU since compute capability 3.0."""


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis: `distances` are what lies between `origin` and each limit, in the direction of the step.

    `follows` are iterators of other axes that decide which iterations exist. `threads` and `outputs` are the block's.
    """

    letter: Literal["x", "y", "z"]
    loop: Loop
    origin: Polynomial
    distances: tuple[Polynomial, ...]
    follows: frozenset[str]
    threads: int
    outputs: int
    blocks: Literal["x", "y", "z"] = "x"
    """The grid's axis along which the blocks lie: the threads' own, but along x where they are rows of teams."""
    is_team: bool = False
    """Whether it is the loop over a team's lanes: a block has all of them."""

    @property
    def span(self) -> int:
        """Iterations that a block covers."""
        return self.threads * self.outputs

    @property
    def iterations(self) -> int | None:
        """How many iterations there are, None where parameters decide."""
        if any(not distance.is_constant for distance in self.distances):
            return None
        return max(0, min(-(-d.constant_term // abs(self.loop.step)) for d in self.distances))

    @property
    def is_whole(self) -> bool:
        """Whether every thread of every block has iterations, so that nothing need be asked."""
        return (
            self.iterations is not None
            and self.iterations % self.span == 0
            and not self.follows
            and not self.loop.limit_reads
        )

    @property
    def needs_stride(self) -> bool:
        """Whether there may be more blocks than a grid can have along the axis: then a block goes on to others."""
        if self.blocks == "x" or self.is_team:
            return False
        return self.iterations is None or -(-self.iterations // self.span) > MOST_BLOCKS[self.blocks]


OF_TEAM: dict[str, Literal["x", "y", "z"]] = {"x": "z", "y": "x", "z": "y"}
"""Axes of blocks where a block's threads along x are a team: rows have those of a grid that is longest."""

_LETTERS: tuple[Literal["x", "y", "z"], ...] = ("x", "y", "z")


def grid_axes(
    grid: Sequence[Loop],
    order: Sequence[int],
    block: Sequence[int],
    outputs: Sequence[int],
    lanes: NodeId | None = None,
) -> tuple[Axis, ...]:
    """Axes x, y, z of the grid's loops (outer to inner) whose ids are in `order`; raises PortRefusedError.

    `lanes` is the loop over a team's.
    """
    axes: list[Axis] = []
    for letter, loop_id, threads, each in zip(_LETTERS, order, block, outputs, strict=False):
        loop = next(one for one in grid if one.id == loop_id)
        outer = tuple(one for one in grid[: list(grid).index(loop)])
        axis = _axis(letter, loop, outer, threads, each)
        if lanes is not None:
            axis = replace(axis, blocks=OF_TEAM[letter], is_team=loop.id == lanes)
        axes.append(axis)
    return tuple(axes)


def _axis(letter: Literal["x", "y", "z"], loop: Loop, outer: Sequence[Loop], threads: int, outputs: int) -> Axis:
    if not is_counted(loop) or loop.start is None or not loop.limits:
        why = f": {loop.bound_reason}" if loop.bound_reason else ""
        raise PortRefusedError(f"how far the loop over `{c_name(loop.iterator)}` runs is not known before it does{why}")
    sign = 1 if loop.step > 0 else -1
    others = {one.iterator for one in outer}
    follows = frozenset(name for bound in (loop.start, *loop.limits) for name in bound.symbols if name in others)
    if not counts_from_its_start(loop, others):
        origin = extreme(loop.start, outer, largest=sign < 0)
        distances = tuple((extreme(limit, outer, largest=sign > 0) - origin) * sign for limit in loop.limits)
    else:
        origin = loop.start
        distances = tuple(extreme((limit - origin) * sign, outer, largest=True) for limit in loop.limits)
    return Axis(letter, loop, origin, distances, follows, threads, outputs, letter)


def extreme(bound: Polynomial, outer: Sequence[Loop], *, largest: bool) -> Polynomial:
    """A bound's largest or smallest value over the loops around, outer first: never less far than the true one.

    Raises PortRefusedError where sizes alone do not tell it.
    """
    for loop in reversed(outer):
        slope = bound.coefficient(loop.iterator)
        if not slope.terms:
            continue
        if not slope.is_constant or loop.start is None or not loop.limits:
            raise PortRefusedError(f"the bound {bound} has no largest value that the sizes alone tell")
        wants_last = (slope.constant_term > 0) == (largest == (loop.step > 0))
        last = loop.limits[0] - (1 if loop.step > 0 else -1)
        bound = bound.substitute({loop.iterator: last if wants_last else loop.start})
    return bound
