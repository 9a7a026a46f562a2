"""What one warp does, flattened (Resios 5.2.1): operations with their delay and what they occupy."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId

OperationKind = Literal["compute", "memory", "sync"]

PIPES = ("issue", "load/store", "l2", "dram")
"""Shared by the warps of an SM; the last two are its share of what the GPU's SMs share."""


@dataclass(frozen=True, slots=True)
class Operation:
    """`count` executions in a row (an average, not an integer) by one warp.

    `delay_cycles` is the latency of all of them over the ILP of their block, at TLP 1. `pipe_cycles` is how long they
    occupy each of `PIPES`; parallelism can't hide that part (the penalty of eq. 4.5 and 4.6).
    """

    kind: OperationKind
    count: float
    delay_cycles: float
    pipe_cycles: tuple[float, float, float, float]
    statement: NodeId | None = None
    access: NodeId | None = None
    special_cycles: float = 0.0
    """How long they occupy the special-function units, which work beside `PIPES`."""

    @property
    def penalty_cycles(self) -> float:
        """Resios' penalty: the time at the level that is occupied longest."""
        return max(*self.pipe_cycles, self.special_cycles)

    def times(self, factor: float) -> Operation:
        """As often again: everything but the identity multiplied."""
        issue, load_store, l2, dram = self.pipe_cycles
        return Operation(
            self.kind,
            self.count * factor,
            self.delay_cycles * factor,
            (issue * factor, load_store * factor, l2 * factor, dram * factor),
            self.statement,
            self.access,
            self.special_cycles * factor,
        )


BARRIER = Operation("sync", 1.0, 0.0, (0.0, 0.0, 0.0, 0.0))


@dataclass(frozen=True, slots=True)
class Trace:
    """What every warp does, and how many there are: blocks that one SM executes (the grid's over the SMs)."""

    operations: tuple[Operation, ...]
    warps_per_block: int
    blocks_per_sm: float

    @property
    def special_cycles_per_warp(self) -> float:
        """How long one warp occupies the special-function units."""
        return sum(operation.special_cycles for operation in self.operations)

    @property
    def pipe_cycles_per_warp(self) -> tuple[float, ...]:
        """How long one warp occupies each of `PIPES`."""
        cycles = zip(*(operation.pipe_cycles for operation in self.operations), strict=True)
        return tuple(map(sum, cycles)) or (0.0,) * len(PIPES)
