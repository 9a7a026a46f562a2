"""What the columns count of one launch, as its trace needs it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from warplens.analysis.facts.nest_facts import Registers
from warplens.analysis.gpu.requests.access_cost import RequestCount
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.simulation.grid import Grid

COPIES_IN_FLIGHT = 4.0
"""Requests of a warp that copy to shared memory together: the compiler unrolls the loop that copies (unrolling.py)."""


@dataclass(frozen=True, slots=True)
class ArrayCopy:
    """An array that blocks stage: `stagings` fillings over a block's life, and what one of them takes.

    `requests` are warp-wide, `lines` and `sectors` those that all of them touch; `dram_share` of the sectors come from
    device memory, the others from L2. What `is_written` is copied the other way, when the body has run.
    """

    accesses: tuple[NodeId, ...]
    stagings: float
    stored_bytes: float
    requests: float
    lines: float
    sectors: float
    dram_share: float
    is_written: bool = False
    dram_waits: float = 0.0
    """Share of the fillings that wait for device memory: blocks in step wait for a sector together."""
    in_flight: float = COPIES_IN_FLIGHT
    """Requests of a warp that are on their way together."""


@dataclass(frozen=True, slots=True)
class LaunchCounts:
    """Requests by access, copies in the order in which they are made, and registers of a thread.

    `reloads_hit_l1` says whether L1 still has what resident threads spilled, `spills_dram_share` what L2 has no room
    for (spill_time.py).
    """

    grid: Grid
    requests: Mapping[NodeId, RequestCount]
    copies: tuple[ArrayCopy, ...]
    registers: Registers
    reloads_hit_l1: bool = False
    spills_dram_share: float = 0.0
