"""Requests for registers that did not fit, in columns: what simulation/spill_time.py says of one launch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.spill_time import reloads_hit_l1


@dataclass(frozen=True, slots=True, eq=False)
class SpillRequests:
    """Shape: (launches,), per warp over its life. `to_l2` are all stores and the reloads of what L1 does not hold."""

    requests: Column
    reloads: Column
    to_l2: Column


def spill_requests(
    gpu: Gpu,
    executions: float,
    stores: Column,
    reloads: Column,
    slots: Column,
    blocks: Column,
    warps: Column,
    shared_bytes: Column,
) -> SpillRequests:
    """Spills and reloads of a thread, `executions` times per warp, with so many slots in local memory.

    `blocks` and `warps` are those resident on an SM (0 for a launch that an SM can't run), `shared_bytes` per block.
    Source and what is assumed: simulation/spill_time.py.
    """
    missed = np.where(reloads_hit_l1(gpu, slots, warps, blocks, shared_bytes), 0.0, reloads)
    return SpillRequests(executions * (stores + reloads), executions * reloads, executions * (stores + missed))
