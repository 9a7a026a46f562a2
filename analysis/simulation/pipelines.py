"""The simulation used for predictions: pipelines that serve the warps in turn.

Algorithm 5.1 divides the delay of an operation by the TLP of the moment, so that a unit that serves one warp at a time
does what a pipeline does ("we model a pipeline with a limit of 1 and adjust the latencies", Resios 4.3.1). Sampling TLP
makes time depend on the order of events: a faster memory can make a kernel slower, as in any list scheduling
(Graham 1969). Here the pipeline itself is simulated. An operation is done no earlier than its delay after its warp was
ready, and no earlier than the pipelines it occupies have served it and the warps before it; warps overlap as far as
the pipelines allow, which gives eq. 4.5 as max(latency / TLP, warp_size / throughput) and eq. 4.6 as
latency / TLP + penalty for TLP warps without sampling TLP. Warps are served in a fixed order (all for one operation,
then all for the next), so times are sums and maxima of the delays: no delay that shrinks can make the total grow.
All warps take a step at once, as one vector.

Not modelled: a warp that overtakes another one. `event_loop.py` has algorithm 5.1 with policies that let it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import PIPES, Operation, Trace
from warplens.analysis.simulation.result import Cycles, SimulationResult, View, workload


class Pipeline:
    """Serves work in turn on `units` equal units; warp w goes to unit w mod units, as warps belong to a scheduler."""

    __slots__ = ("_free", "_rows", "_turns", "_units")

    def __init__(self, units: int, warps: int) -> None:
        self._units = units
        self._rows = -(-warps // units)
        self._free: Cycles = np.zeros(units)
        self._turns: dict[float, Cycles] = {}

    def serve(self, ready: Cycles, cycles: float) -> Cycles:
        """When each warp has been served, `cycles` of the whole pipeline's time each, in order of the vector."""
        units, count = self._units, len(ready)
        turn = self._turns_of(cycles)
        rows = -(-count // units)
        lanes = ready
        if rows * units != count:
            lanes = np.full(rows * units, -np.inf)
            lanes[:count] = ready
        # Warp j of a unit starts when the unit is free and, for every i <= j, warp i is ready and those between served.
        backlog = np.maximum(np.maximum.accumulate(lanes.reshape(rows, units) - turn[:rows]), self._free)
        backlog += turn[1 : rows + 1]
        served: Cycles = backlog.reshape(-1)[:count]
        if count >= units:
            last = served[-units:]
            self._free = np.roll(last, count % units) if count % units else last
        else:
            self._free[:count] = served
        return served

    def _turns_of(self, cycles: float) -> Cycles:
        """When each row of warps would have its turn, were the units free and all warps ready at 0."""
        if cycles not in self._turns:
            turns: Cycles = np.arange(self._rows + 1, dtype=np.float64)
            self._turns[cycles] = turns[:, None] * (cycles * self._units)
        return self._turns[cycles]


class MemoryPipelines:
    """The pipelines of `PIPES` beyond issue, one unit each: a row per pipeline, so that all serve at once."""

    __slots__ = ("_free", "_places", "_turns")

    def __init__(self, warps: int) -> None:
        self._places: Cycles = np.arange(warps + 1, dtype=np.float64)
        self._free: Cycles = np.zeros((len(PIPES) - 1, 1))
        self._turns: dict[tuple[float, ...], tuple[NDArray[np.int64], Cycles]] = {}

    def serve(self, ready: Cycles, pipe_cycles: tuple[float, ...]) -> Cycles:
        """When all pipelines that an operation occupies have served each warp; when it is ready if there are none."""
        if pipe_cycles not in self._turns:
            cycles = np.array(pipe_cycles[1:])
            occupied = np.flatnonzero(cycles)
            self._turns[pipe_cycles] = occupied, self._places * cycles[occupied, None]
        occupied, turn = self._turns[pipe_cycles]
        if not len(occupied):
            return ready
        count = len(ready)
        backlog = np.maximum(np.maximum.accumulate(ready - turn[:, :count], axis=1), self._free[occupied])
        backlog += turn[:, 1 : count + 1]
        self._free[occupied] = backlog[:, -1:]
        served: Cycles = backlog.max(axis=0)
        return served


class Sm:
    """The state of the simulated SM: its pipelines and, per resident warp, the time at which it goes on."""

    __slots__ = ("_in_flight", "_issue", "_machine", "_memory", "_special", "now")

    def __init__(self, machine: Machine, resident_warps: int) -> None:
        self._machine = machine
        self._issue = Pipeline(machine.compute_units, resident_warps)
        self._memory = MemoryPipelines(resident_warps)
        self._special = Pipeline(machine.compute_units, resident_warps)
        self._in_flight: Cycles = np.zeros(machine.memory_units)
        self.now: Cycles = np.zeros(resident_warps)

    def execute(self, operation: Operation, ready: Cycles, warps_per_block: int) -> Cycles:
        """When each warp is done with an operation for which it is ready."""
        if operation.kind == "sync":
            return barrier(ready, warps_per_block)
        if operation.kind == "compute":
            served = self._issue.serve(ready, operation.pipe_cycles[0])
            if operation.special_cycles:
                served = np.maximum(served, self._special.serve(ready, operation.special_cycles))
            done: Cycles = np.maximum(ready + operation.delay_cycles, served)
            return done
        if self._machine.memory_units >= len(ready):
            return self._request(operation, ready)
        # The i-th memory operation starts when the one `memory_units` before it is done.
        step = self._machine.memory_units
        done = np.empty_like(ready)
        for at in range(0, len(ready), step):
            group = np.maximum(ready[at : at + step], self._in_flight[: len(ready[at : at + step])])
            done[at : at + step] = self._request(operation, group)
            self._in_flight = np.roll(self._in_flight, -len(group))
            self._in_flight[step - len(group) :] = done[at : at + step]
        return done

    def _request(self, operation: Operation, ready: Cycles) -> Cycles:
        served = self._memory.serve(ready, operation.pipe_cycles)
        if operation.pipe_cycles[0]:
            served = np.maximum(served, self._issue.serve(ready, operation.pipe_cycles[0]))
        one_latency = operation.delay_cycles / max(1.0, operation.count)
        alone = operation.delay_cycles + operation.penalty_cycles
        done: Cycles = np.maximum(ready + alone, served + one_latency)
        return done


def barrier(ready: Cycles, warps_per_block: int) -> Cycles:
    """The warps of a block go on together, with the last of them."""
    return np.repeat(ready.reshape(-1, warps_per_block).max(axis=1), warps_per_block)


def simulate_in_turn(trace: Trace, machine: Machine, views: Sequence[View] = ()) -> SimulationResult:
    """Simulate one SM; blocks take the place of finished blocks.

    Units: cycles of the SM. Source: Resios algorithm 5.1, changed as the file's head says.
    """
    work = workload(trace, machine)
    per_block = max(1, trace.warps_per_block)
    sm = Sm(machine, work.resident_blocks * per_block)
    for first in range(0, work.blocks, work.resident_blocks):
        warps = min(work.resident_blocks, work.blocks - first) * per_block
        ids: NDArray[np.int64] = np.arange(warps) + first * per_block
        ready = barrier(sm.now[:warps], per_block)
        for index, operation in enumerate(trace.operations):
            done = sm.execute(operation, ready, per_block)
            for view in views:
                view.record(index, ids, ready, done)
            ready = done
        sm.now[:warps] = ready
    cycles = float(sm.now.max(initial=0.0))
    return SimulationResult(cycles * work.extrapolation, cycles, work.blocks * per_block)
