"""A view of a simulation: what each warp of the SM does when, in few enough intervals to be looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.result import Cycles

WarpState = Literal["computes", "waits for data", "waits for bandwidth", "waits for its turn", "waits at a barrier"]
"""waits for data: its request is on its way. waits for bandwidth: its request stands behind those of other warps. waits
for its turn: it could compute, but the simulation serves the warps in order and others come first."""

STATES: Mapping[WarpState, str] = MappingProxyType(
    {
        "computes": "its instructions run",
        "waits for data": "its request is on its way: the latency of the memory",
        "waits for bandwidth": "its request stands behind those of other warps",
        "waits for its turn": "it could compute, but the simulation serves the warps in order and others come first",
        "waits at a barrier": "the other warps of its block are not there yet",
    }
)
"""Every state with its meaning."""

WARPS_SHOWN = 24
INTERVALS_SHOWN = 1000


@dataclass(frozen=True, slots=True)
class WarpInterval:
    """A warp in one state; `place` is its place on the SM, `access` what it waits for. Cycles since the start."""

    place: int
    warp: int
    state: WarpState
    begin_cycles: float
    end_cycles: float
    access: NodeId | None


@dataclass(frozen=True, slots=True)
class WarpTimeline:
    """Intervals of `places` of an SM with `resident_warps` places, up to `shown_cycles` of `simulated_cycles`.

    `shares` are of all warps and all simulated cycles: each state's part of the warps' time, 0..1; what is left to 1
    are places without a warp.
    """

    intervals: tuple[WarpInterval, ...]
    places: tuple[int, ...]
    resident_warps: int
    warps_per_block: int
    simulated_warps: int
    shown_cycles: float
    simulated_cycles: float
    shares: tuple[tuple[WarpState, float], ...]


class WarpStates:
    """Listens to a simulation "in turn" (View) and keeps the intervals of evenly spaced places.

    An operation lasts from when its warp is ready for it to when it is done. What it takes alone (latency and penalty)
    stands at the end; the time before is spent waiting for the warps that are served first.
    Shape: one call per operation and wave; the warps of a wave fill the places in order.
    """

    def __init__(self, trace: Trace, resident_warps: int) -> None:
        self._trace = trace
        self._resident = max(1, resident_warps)
        step = -(-self._resident // WARPS_SHOWN)
        self._places = tuple(range(0, self._resident, step))
        self._found: dict[int, list[WarpInterval]] = {place: [] for place in self._places}
        self._time: dict[WarpState, float] = dict.fromkeys(STATES, 0.0)

    def record(self, operation: int, warps: NDArray[np.int64], begin: Cycles, end: Cycles) -> None:
        """Listen (View)."""
        what = self._trace.operations[operation]
        waiting, working = _states(what)
        alone = 0.0 if what.kind == "sync" else _alone_cycles(what)
        starts = np.maximum(begin, end - alone)
        self._time[waiting] += float((starts - begin).sum())
        self._time[working] += float((end - starts).sum())
        for place in self._places:
            if place >= len(warps):
                break
            warp, first, start, last = int(warps[place]), float(begin[place]), float(starts[place]), float(end[place])
            self._add(WarpInterval(place, warp, waiting, first, start, what.access))
            self._add(WarpInterval(place, warp, working, start, last, what.access))

    def timeline(self, simulated_cycles: float, simulated_warps: int) -> WarpTimeline:
        """What was recorded, cut after the last cycle up to which all of it can be shown."""
        shown = self._shown_cycles(simulated_cycles)
        whole = self._resident * simulated_cycles
        return WarpTimeline(
            intervals=tuple(
                replace(i, end_cycles=min(i.end_cycles, shown))
                for place in self._places
                for i in self._found[place]
                if i.begin_cycles < shown
            ),
            places=self._places,
            resident_warps=self._resident,
            warps_per_block=max(1, self._trace.warps_per_block),
            simulated_warps=simulated_warps,
            shown_cycles=shown,
            simulated_cycles=simulated_cycles,
            shares=tuple((state, time / whole if whole > 0 else 0.0) for state, time in self._time.items()),
        )

    def _add(self, interval: WarpInterval) -> None:
        """Keep it; neighbours that are alike become one."""
        if interval.end_cycles <= interval.begin_cycles:
            return
        found = self._found[interval.place]
        if found and _continues(found[-1], interval):
            interval = replace(interval, begin_cycles=found.pop().begin_cycles)
        found.append(interval)

    def _shown_cycles(self, simulated_cycles: float) -> float:
        """The end of the simulation, or where the intervals of the busiest place become too many."""
        most = max(1, INTERVALS_SHOWN // len(self._places))
        ends = (found[most - 1].end_cycles for found in self._found.values() if len(found) > most)
        return min(ends, default=simulated_cycles)


def _continues(last: WarpInterval, interval: WarpInterval) -> bool:
    alike = (last.warp, last.state, last.access) == (interval.warp, interval.state, interval.access)
    return alike and last.end_cycles == interval.begin_cycles


def _states(operation: Operation) -> tuple[WarpState, WarpState]:
    """What a warp does before it is served, and then."""
    match operation.kind:
        case "compute":
            return "waits for its turn", "computes"
        case "memory":
            return "waits for bandwidth", "waits for data"
        case _:
            return "waits at a barrier", "waits at a barrier"


def _alone_cycles(operation: Operation) -> float:
    """How long an operation takes a warp that has the SM for itself (eq. 4.5 and 4.6 at TLP 1)."""
    if operation.kind == "compute":
        return max(operation.delay_cycles, operation.penalty_cycles)
    return operation.delay_cycles + operation.penalty_cycles
