"""What the simulated SM is: units, limits, policy, and how many warps are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.gpu.gpu import Gpu

Policy = Literal["in turn", "fifo", "loose round robin", "oldest first"]
"""in turn: units serve the warps in fixed order, operation by operation (pipelines.py; never slower on a better
machine). The others choose among the warps that are ready when a unit becomes free (event_loop.py): fifo the one that
waits longest, loose round robin the next after the last served, oldest first the one that was admitted first."""

DEFAULT_SIMULATED_WARPS = 256
"""W: four waves of 64 resident warps, enough that filling and draining the SM weighs as it does in a long kernel."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Parameters of algorithm 5.1 (Resios 5.2.1), for one SM.

    `compute_units` share the SM's arithmetic throughput evenly (warp schedulers). `memory_units` is the number of
    memory operations in flight at once; no more than one per resident warp ever is. `simulated_warps` is W, rounded to
    whole waves of resident blocks, at least one.
    """

    compute_units: int
    memory_units: int
    resident_warps: int
    resident_blocks: int
    simulated_warps: int = DEFAULT_SIMULATED_WARPS
    policy: Policy = "in turn"


def machine_for(gpu: Gpu, resident_warps: int, resident_blocks: int) -> Machine:
    """The SM of a GPU at an occupancy: a compute unit per warp scheduler, a memory operation per resident warp.

    `gpu.memory_warps_to_peak` does not limit the memory units: the bandwidth of each level does that.
    """
    return Machine(
        compute_units=max(1, gpu.warp_schedulers_per_sm),
        memory_units=max(1, resident_warps),
        resident_warps=max(1, resident_warps),
        resident_blocks=max(1, resident_blocks),
    )
