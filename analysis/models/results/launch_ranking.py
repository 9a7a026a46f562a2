"""The launches of a kernel in the order of their predicted times, and why the first is first."""

from __future__ import annotations

from dataclasses import dataclass

from warplens.analysis.gpu.launch.launch import LaunchConfig


@dataclass(frozen=True, slots=True)
class RankedLaunch:
    """A launch as it was costed."""

    launch: LaunchConfig
    time_s: float
    occupancy: float
    registers_per_thread: int
    spills: bool


@dataclass(frozen=True, slots=True)
class LaunchMap:
    """Least time over everything else for each block size and work per thread; rows are outputs per thread.

    Shape: `times_s` (len(outputs_per_thread), len(threads_per_block)); infinite where nothing can be launched.
    """

    threads_per_block: tuple[int, ...]
    outputs_per_thread: tuple[int, ...]
    times_s: tuple[tuple[float, ...], ...]


@dataclass(frozen=True, slots=True)
class LaunchRanking:
    """Result of the search over launches with one model as its cost.

    `ranked` is best first; launches predicted alike (within the search's tolerance) stand in order of preference.
    `reasons` are clauses that say why the best wins. `current` is what the user has now (`current_origin`: the clause
    of a directive, or the default), its cost beside the best. `possible` of those searched can be launched at all;
    `ranked` may have only the first of them. `one_output` is the best that a directive can ask for: its threads have
    one output each, and what it stages is read again (unless the user pinned what is staged); `unstaged` is the best of
    these with nothing in shared memory, `line` the best of those whose threads lie along one loop, that of the current
    launch: how a directive's do (None: none was searched or asked for).
    """

    model: str
    searched: int
    ranked: tuple[RankedLaunch, ...]
    reasons: tuple[str, ...]
    current: RankedLaunch | None
    current_origin: str
    map: LaunchMap
    possible: int = 0
    one_output: RankedLaunch | None = None
    unstaged: RankedLaunch | None = None
    line: RankedLaunch | None = None

    @property
    def best(self) -> RankedLaunch:
        """The recommended launch; raises IndexError where no launch is possible."""
        return self.ranked[0]

    @property
    def current_slowdown(self) -> float:
        """Time of the current launch over the best's, 1 where there is none."""
        if self.current is None or self.best.time_s <= 0:
            return 1.0
        return self.current.time_s / self.best.time_s

    @property
    def current_slowdown_in_line(self) -> float:
        """Time of the current launch over that of the best that a directive can ask for; 1 where there is none."""
        if self.current is None or self.line is None or self.line.time_s <= 0:
            return 1.0
        return self.current.time_s / self.line.time_s
