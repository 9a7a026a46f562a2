"""What a model says of one kernel under one launch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.gpu.launch.launch import LaunchConfig
from warplens.analysis.gpu.launch.occupancy import Occupancy
from warplens.analysis.gpu.requests.access_cost import AccessCost
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.ids import NodeId

BoundBy = Literal[
    "memory bandwidth", "memory latency", "computation", "synchronisation", "atomic updates", "launch overhead"
]

MemoryLevel = Literal["load/store", "l2", "dram"]


@dataclass(frozen=True, slots=True)
class Hotspot:
    """An access (or a spill, `access` None) by the idle time it causes while it is in flight (algorithm 5.1)."""

    access: NodeId | None
    statement: NodeId
    delay_cycles: float
    """Of one request as the trace starts with it: latency over ILP plus its penalty, before TLP."""
    idle_share: float
    """Of the kernel's simulated time, 0..1."""


@dataclass(frozen=True, slots=True)
class Prediction:
    """One launch of one kernel. `breakdown_s` sums to `time_s`; all times in seconds, launch overhead not included.

    `flops`, `bytes_moved` are of the whole grid; the rates follow from them.
    """

    model: str
    launch: LaunchConfig
    time_s: float
    breakdown_s: tuple[tuple[str, float], ...]
    bound_by: BoundBy
    occupancy: Occupancy
    costs: tuple[AccessCost, ...]
    hotspots: tuple[Hotspot, ...]
    registers_per_thread: int
    spills_per_thread: int
    threads: int
    flops: float
    useful_bytes: float
    bytes_moved: float
    assumptions: tuple[Assumption, ...]
    memory_level: MemoryLevel | None = None
    """Whose bandwidth it is that is used most, of a model that tells the levels apart."""

    @property
    def flops_per_s(self) -> float:
        """Floating-point rate."""
        return self.flops / self.time_s if self.time_s else 0.0

    @property
    def effective_bandwidth_bytes_per_s(self) -> float:
        """Bytes the program asked for per second (Resios: effective bandwidth)."""
        return self.useful_bytes / self.time_s if self.time_s else 0.0
