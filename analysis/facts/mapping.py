"""A mapping: at which level of a GPU each loop of a nest spreads its iterations, and how the threads of a team work.

Levels, outermost first: `host` launches a kernel per iteration, `grid` spreads them over blocks and threads, `block`
over the threads of a block that share an iteration of the loops outside, `warp` over the lanes of a warp that do,
`thread` runs them in order. A long sum may be spread at two levels: its parts over the grid, each over a block.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from warplens.analysis.facts.verdict import Reduction
from warplens.analysis.ir.ids import NodeId

Level = Literal["host", "grid", "block", "warp", "thread"]

LEVELS: tuple[Level, ...] = get_args(Level)

WARP_THREADS = 32
"""Threads of a team whose lanes exchange values by shuffles; CUDA's `warpSize` on every GPU so far."""


@dataclass(frozen=True, slots=True)
class MappedLoop:
    """A loop of the source and the levels that its iterations are spread over, outermost first."""

    loop: NodeId
    levels: tuple[Level, ...]


@dataclass(frozen=True, slots=True)
class TeamSum:
    """Values that the threads of a team combine behind a loop, so that each of them has the result.

    `after` is the loop whose iterations are spread over the team.
    """

    after: NodeId
    reductions: tuple[Reduction, ...]


@dataclass(frozen=True, slots=True)
class Team:
    """Threads that share each iteration of a kernel's other loops: a warp, or a block.

    `lanes` is the loop over them, in the mapped nest. `spread` are the loops whose iterations they share. `barriers`
    are statements that no thread starts before all have ended what stands before them; `once` are statements that one
    thread runs for all.
    """

    lanes: NodeId
    threads: int
    spread: tuple[NodeId, ...]
    sums: tuple[TeamSum, ...] = ()
    barriers: frozenset[NodeId] = frozenset()
    once: frozenset[NodeId] = frozenset()

    @property
    def is_warp(self) -> bool:
        """Whether shuffles alone bring its threads together."""
        return self.threads <= WARP_THREADS


@dataclass(frozen=True, slots=True)
class Mapping:
    """`loops` of the source in its order, each with its levels; `team_threads` share a row, 1 where nobody does."""

    loops: tuple[MappedLoop, ...]
    team_threads: int = 1

    def levels(self, loop: NodeId) -> tuple[Level, ...]:
        """Levels of a loop of the source; raises KeyError."""
        for mapped in self.loops:
            if mapped.loop == loop:
                return mapped.levels
        raise KeyError(loop)
