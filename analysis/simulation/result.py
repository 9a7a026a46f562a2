"""What a simulation says, and who may listen to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.simulation.machine import Machine
from warplens.analysis.simulation.operation import Trace

Cycles = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class SimulationResult:
    """Cycles of one SM for the whole grid (`cycles`) and for the simulated part of it."""

    cycles: float
    simulated_cycles: float
    simulated_warps: int


class View(Protocol):
    """Listens to a simulation; it can't change it."""

    def record(self, operation: int, warps: NDArray[np.int64], begin: Cycles, end: Cycles) -> None:
        """Warps execute the trace's `operation`, each from when it was ready for it to when it was done."""


@dataclass(frozen=True, slots=True)
class Workload:
    """How many blocks are simulated, how many of them at a time, and what the result is multiplied by."""

    blocks: int
    resident_blocks: int
    extrapolation: float


def workload(trace: Trace, machine: Machine) -> Workload:
    """Simulate min(n / n_SM, W) warps and extrapolate: total = t · (n / n_SM) / simulated (Resios 5.2.1).

    W is rounded to whole waves. A grid that fits in W is simulated as the busiest SM sees it, that is rounded up to
    whole blocks, and not extrapolated.
    """
    warps_per_block = max(1, trace.warps_per_block)
    resident = max(1, min(machine.resident_blocks, machine.resident_warps // warps_per_block))
    largest = max(1, machine.simulated_warps // warps_per_block // resident) * resident
    if trace.blocks_per_sm <= largest:
        return Workload(int(np.ceil(trace.blocks_per_sm)), resident, 1.0)
    return Workload(largest, resident, trace.blocks_per_sm / largest)
