"""What the simulated SM is: units, limits, policy, and how many warps are simulated."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.operation import Trace

Policy = Literal["in turn", "fifo", "loose round robin", "oldest first"]
"""in turn: units serve the warps in fixed order, operation by operation (pipelines.py; never slower on a better
machine). The others choose among the warps that are ready when a unit becomes free (event_loop.py): fifo the one that
waits longest, loose round robin the next after the last served, oldest first the one that was admitted first."""

SIMULATED_STEPS = 64
"""Operations times waves that are simulated by default: it sets W, and so how long a simulation takes."""

SIMULATED_WAVES = 4
"""At most: enough that filling and draining the SM weighs as little as in a long kernel."""


@dataclass(frozen=True, slots=True)
class Machine:
    """Parameters of algorithm 5.1 (Resios 5.2.1), for one SM.

    `compute_units` share the SM's arithmetic throughput evenly (warp schedulers). `memory_units` is the number of
    memory operations in flight at once; no more than one per resident warp ever is. `simulated_warps` is W, rounded
    down to whole waves of resident blocks, at least one.
    """

    compute_units: int
    memory_units: int
    resident_warps: int
    resident_blocks: int
    simulated_warps: int
    policy: Policy = "in turn"


def machine_for(gpu: Gpu, resident_warps: int, resident_blocks: int, trace: Trace) -> Machine:
    """The SM of a GPU at an occupancy: a compute unit per warp scheduler, a memory operation per resident warp.

    W is four waves of resident warps, down to one where the trace is long (filling and draining then weighs little).
    `gpu.memory_warps_to_peak` does not limit the memory units: the bandwidth of each level does that.
    """
    waves = max(1, min(SIMULATED_WAVES, SIMULATED_STEPS // max(1, len(trace.operations))))
    return Machine(
        compute_units=max(1, gpu.warp_schedulers_per_sm),
        memory_units=max(1, resident_warps),
        resident_warps=max(1, resident_warps),
        resident_blocks=max(1, resident_blocks),
        simulated_warps=waves * max(1, resident_warps),
    )
