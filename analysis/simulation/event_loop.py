"""Algorithm 5.1 of Resios with its division by TLP, for the queueing policies.

Queues: blocks that wait, ready warps (those that wait for a memory unit stay among them), warps at a barrier. Units:
compute and memory. Each step admits blocks, adjusts the operations of the ready warps by TLP, gives ready warps to free
units in the policy's order, and moves time to the next completion.

What the text leaves open is settled so that eq. 4.5 and 4.6 come out for warps that do the same thing: TLP is sampled
before units are filled, so that the warps that start count; and a unit is its share of the SM, so that with k units an
operation has its latency divided by TLP / k, and its penalty multiplied by the units that are busy with it.

Time is not monotone in the machine here: TLP is sampled when an operation starts, and a warp that becomes ready earlier
can take a unit from one that others wait for. Predictions therefore use pipelines.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush

import numpy as np
from warplens.analysis.simulation.machine import Machine, Policy
from warplens.analysis.simulation.operation import Operation, Trace
from warplens.analysis.simulation.result import SimulationResult, View, workload


def adjusted_delay_cycles(operation: Operation, tlp: int, units: int) -> float:
    """Delay of an operation on one of `units` units when `tlp` warps compete: eq. 4.5 for compute, 4.6 for memory.

    >>> adjusted_delay_cycles(Operation("compute", 1, 22.0, (2.0, 0, 0, 0)), tlp=5, units=1)
    4.4
    >>> adjusted_delay_cycles(Operation("memory", 1, 500.0, (0, 0, 0, 2.0)), tlp=8, units=1)
    64.5
    """
    latency = operation.delay_cycles / max(1.0, tlp / units)
    penalty = operation.penalty_cycles * min(tlp, units)
    return latency + penalty if operation.kind == "memory" else max(latency, penalty)


@dataclass(slots=True)
class _Warp:
    number: int
    block: int
    at: int = 0
    delay_cycles: float = -1.0
    """Adjusted delay of the next operation, negative as long as it has not been adjusted."""
    began: float = 0.0


@dataclass(slots=True)
class _Units:
    """Units of one kind, with the warps in them by the time they finish."""

    count: int
    busy: list[tuple[float, int, _Warp]] = field(default_factory=list)

    @property
    def is_free(self) -> bool:
        return len(self.busy) < self.count


class _Loop:
    """One run of the algorithm."""

    def __init__(self, trace: Trace, machine: Machine) -> None:
        self._operations = trace.operations
        self._warps_per_block = max(1, trace.warps_per_block)
        self._work = workload(trace, machine)
        self._policy: Policy = machine.policy
        self._units = {"compute": _Units(machine.compute_units), "memory": _Units(machine.memory_units)}
        self._ready: list[_Warp] = []
        self._waiting: dict[int, list[_Warp]] = {}
        self._left: dict[int, int] = {}
        self._admitted = 0
        self._last_served = -1
        self._time = 0.0
        self._spans: list[tuple[int, int, float, float]] = []

    def run(self) -> float:
        """Cycles until the last warp has retired."""
        self._admit()
        while self._ready or self._busy():
            self._distribute()
            self._advance()
        return self._time

    def report(self, views: Sequence[View]) -> None:
        """Tell the views what happened, one call per operation of the trace."""
        for index in range(len(self._operations) if views else 0):
            spans = [span for span in self._spans if span[0] == index]
            warps = np.array([span[1] for span in spans], dtype=np.int64)
            begin = np.array([span[2] for span in spans])
            end = np.array([span[3] for span in spans])
            for view in views:
                view.record(index, warps, begin, end)

    def _busy(self) -> bool:
        return any(units.busy for units in self._units.values())

    def _admit(self) -> None:
        while self._admitted < self._work.blocks and len(self._left) < self._work.resident_blocks:
            block = self._admitted
            self._admitted += 1
            self._left[block] = self._warps_per_block
            for number in range(self._warps_per_block):
                self._become_ready(_Warp(block * self._warps_per_block + number, block))

    def _become_ready(self, warp: _Warp) -> None:
        if warp.at == len(self._operations):
            self._retire(warp)
        elif self._operations[warp.at].kind == "sync":
            self._wait(warp)
        else:
            warp.delay_cycles = -1.0
            self._ready.append(warp)

    def _wait(self, warp: _Warp) -> None:
        waiting = self._waiting.setdefault(warp.block, [])
        waiting.append(warp)
        if len(waiting) == self._left[warp.block]:
            del self._waiting[warp.block]
            for released in waiting:
                released.at += 1
                self._become_ready(released)

    def _retire(self, warp: _Warp) -> None:
        self._left[warp.block] -= 1
        if not self._left[warp.block]:
            del self._left[warp.block]
            self._admit()

    def _distribute(self) -> None:
        compute = self._units["compute"]
        tlp = len(self._ready) + len(compute.busy)
        for warp in self._ready:
            if warp.delay_cycles < 0:
                operation = self._operations[warp.at]
                warp.delay_cycles = adjusted_delay_cycles(operation, tlp, self._units[operation.kind].count)
        for warp in self._in_order():
            units = self._units[self._operations[warp.at].kind]
            if units.is_free:
                warp.began = self._time
                heappush(units.busy, (self._time + warp.delay_cycles, warp.number, warp))
                self._last_served = warp.number
                self._ready.remove(warp)

    def _in_order(self) -> list[_Warp]:
        match self._policy:
            case "oldest first":
                return sorted(self._ready, key=lambda warp: warp.number)
            case "loose round robin":
                last = self._last_served
                return sorted(self._ready, key=lambda warp: (warp.number <= last, warp.number))
            case _:
                return list(self._ready)

    def _advance(self) -> None:
        self._time = min(units.busy[0][0] for units in self._units.values() if units.busy)
        for units in self._units.values():
            while units.busy and units.busy[0][0] <= self._time:
                _, _, warp = heappop(units.busy)
                self._spans.append((warp.at, warp.number, warp.began, self._time))
                warp.at += 1
                self._become_ready(warp)


def simulate_events(trace: Trace, machine: Machine, views: Sequence[View] = ()) -> SimulationResult:
    """Simulate one SM by algorithm 5.1; policy "in turn" is taken as fifo.

    Units: cycles of the SM. Source: Resios algorithm 5.1 (5.2.1), block-level sync after his chapter 9.
    """
    loop = _Loop(trace, machine)
    cycles = loop.run()
    loop.report(views)
    work = workload(trace, machine)
    return SimulationResult(cycles * work.extrapolation, cycles, work.blocks * max(1, trace.warps_per_block))
