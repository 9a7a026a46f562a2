"""What one warp-wide request of an access costs under a launch: the counts, and the words for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.ir.ids import NodeId

Pattern = Literal["broadcast", "coalesced", "misaligned", "strided", "gathered", "private"]
Memory = Literal["global", "shared", "register"]
"""What a request goes to."""


@dataclass(frozen=True, slots=True)
class RequestCount:
    """Per request of one full warp, averaged over warps and alignments: distinct `sectors` (32 B) and `lines` touched.

    Of `sectors`, `l2_sectors` are not found in L1 and go to L2, of these `dram_sectors` come from (or go to) device
    memory, averaged over the requests of the access: a value that 16 warps of a block read in turn comes from L2 once.
    `conflict_degree` is the largest number of different words in one bank when the access is served from shared memory
    (1: no conflict); sectors and lines are 0 then. `waits` are the shares of the requests that wait for L2 or what is
    behind it, and for device memory, which are more than the sectors' where warps ask for one sector together; None:
    the same.
    """

    memory: Memory
    sectors: float
    lines: float
    l2_sectors: float
    dram_sectors: float
    conflict_degree: int
    waits: tuple[float, float] | None = None
    dram_run: float = 1.0
    """By how much its bytes of device memory cost more for lying in short runs (dram_runs.py)."""


@dataclass(frozen=True, slots=True)
class AccessCost:
    """A request's counts (`RequestCount`) with what is said of them.

    `served_by` is where the bytes mostly come from, with the reason in `why`. `ideal_sectors` would hold the same
    distinct elements packed. `stride_bytes` is the distance between neighbouring threads (None: gathered or not
    constant).
    """

    access: NodeId
    pattern: Pattern
    sectors: float
    ideal_sectors: float
    lines: float
    requested_bytes: int
    stride_bytes: int | None
    served_by: Literal["dram", "l2", "l1", "shared", "register"]
    conflict_degree: int
    why: str
    l2_sectors: float = 0.0
    dram_sectors: float = 0.0
    staged_dram_share: float = 1.0
    """Of one that is served from shared memory: share of what blocks copy there that L2 does not have."""
