"""Views of a simulation: idle time by operation (hotspots), time by kind, a timeline. They only listen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.simulation.operation import OperationKind, Trace
from warplens.analysis.simulation.result import Cycles


@dataclass(frozen=True, slots=True)
class Span:
    """One warp in one operation of the trace, waiting for units included; cycles since the kernel's start."""

    warp: int
    operation: int
    kind: OperationKind
    begin_cycles: float
    end_cycles: float


class Timeline:
    """Which warp computes or waits when."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._spans: list[Span] = []

    def record(self, operation: int, warps: NDArray[np.int64], begin: Cycles, end: Cycles) -> None:
        """Listen (View)."""
        kind = self._trace.operations[operation].kind
        rows = zip(warps.tolist(), begin.tolist(), end.tolist(), strict=True)
        self._spans.extend(Span(warp, operation, kind, start, stop) for warp, start, stop in rows)

    @property
    def spans(self) -> tuple[Span, ...]:
        """By warp, then time."""
        return tuple(sorted(self._spans, key=lambda span: (span.warp, span.begin_cycles, span.operation)))


class WarpTime:
    """Where the warps' time goes: warp-cycles in operations of each kind, waiting for units included."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self.warp_cycles: dict[OperationKind, float] = {"compute": 0.0, "memory": 0.0, "sync": 0.0}

    def record(self, operation: int, warps: NDArray[np.int64], begin: Cycles, end: Cycles) -> None:
        """Listen (View)."""
        del warps
        self.warp_cycles[self._trace.operations[operation].kind] += float((end - begin).sum())


class IdleTime:
    """Idle time of the compute units by the memory operation that was in flight: the hotspots of algorithm 5.1.

    The algorithm adds a step's delay to every memory operation in flight. Here they share it equally, so that the
    shares of all operations add up to the part of the time in which no warp computes or could.
    """

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._compute: list[tuple[Cycles, Cycles]] = []
        self._memory: list[tuple[int, Cycles, Cycles]] = []

    def record(self, operation: int, warps: NDArray[np.int64], begin: Cycles, end: Cycles) -> None:
        """Listen (View)."""
        del warps
        match self._trace.operations[operation].kind:
            case "compute":
                self._compute.append((begin, end))
            case "memory":
                self._memory.append((operation, begin, end))
            case _:
                pass

    def shares(self, simulated_cycles: float) -> tuple[float, ...]:
        """For each operation of the trace, the share of the simulated time that is idle because of it; 0..1."""
        result = [0.0] * len(self._trace.operations)
        if simulated_cycles <= 0 or not self._memory:
            return tuple(result)
        begins = np.concatenate([begin for _, begin, _ in self._memory])
        ends = np.concatenate([end for _, _, end in self._memory])
        busy_begin = np.concatenate([begin for begin, _ in self._compute]) if self._compute else np.zeros(0)
        busy_end = np.concatenate([end for _, end in self._compute]) if self._compute else np.zeros(0)
        times = np.sort(np.concatenate([begins, ends, busy_begin, busy_end]))
        in_flight = _active(times, begins, ends)
        idle = (_active(times, busy_begin, busy_end) == 0) & (in_flight > 0)
        steps = np.where(idle, np.diff(times) / np.maximum(in_flight, 1), 0.0)
        until = np.concatenate([np.zeros(1), np.cumsum(steps)])
        for operation, begin, end in self._memory:
            shared = until[np.searchsorted(times, end)] - until[np.searchsorted(times, begin)]
            result[operation] += float(shared.sum()) / simulated_cycles
        return tuple(min(1.0, share) for share in result)


def _active(times: Cycles, begins: Cycles, ends: Cycles) -> NDArray[np.int64]:
    """How many of the intervals cover each step between neighbouring `times`."""
    started = np.searchsorted(np.sort(begins), times[:-1], side="right")
    ended = np.searchsorted(np.sort(ends), times[:-1], side="right")
    active: NDArray[np.int64] = started - ended
    return active
