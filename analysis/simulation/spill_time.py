"""What registers that did not fit cost: stores to local memory and loads from it, in cycles of a request."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.caches.l1_room import l1_room_bytes
from warplens.analysis.gpu.launch.launches import Column, Flags
from warplens.analysis.gpu.machine.gpu import Gpu
from warplens.analysis.simulation.memory_time import RequestTime, bandwidth_shares, global_penalty_cycles

SLOT_BYTES = 4
"""Of local memory per spilled register; the slots of a warp's threads lie side by side (CUDA C++ Programming Guide)."""


def reloads_hit_l1(
    gpu: Gpu,
    slots: Column | float,
    resident_warps: Column | float,
    resident_blocks: Column | float,
    shared_bytes_per_block: Column | float,
) -> Flags | bool:
    """Whether L1 still has what the resident threads spilled when they read it again.

    It does as long as all of it fits beside the blocks' shared memory: each thread comes round to all of its slots
    before it uses one again, and what does not fit is gone by then. Works on numbers and on columns alike.
    Seen on an RTX 2080 Ti (docs/accuracy.md, spilled registers).
    """
    spilled_bytes = slots * SLOT_BYTES * gpu.warp_size_threads * resident_warps
    return spilled_bytes <= l1_room_bytes(gpu, resident_blocks, shared_bytes_per_block)


def beyond_l2(gpu: Gpu, slots: Column | float, resident_warps: Column | float, sms: Column | float) -> Column:
    """Share of what all resident threads have in local memory that L2 has no room for. Works on columns too."""
    whole_bytes = np.maximum(1.0, np.asarray(slots * SLOT_BYTES * gpu.warp_size_threads * resident_warps * sms))
    share: Column = np.maximum(0.0, 1.0 - gpu.l2.size_bytes / whole_bytes) if gpu.l2.size_bytes else 0.0 * whole_bytes
    return share


def spill_times(gpu: Gpu, active_sms: int, in_l1: bool, dram_share: float = 0.0) -> tuple[RequestTime, RequestTime]:
    """Times of one warp's spill and of one warp's reload: all spills go to L2, as L1 is written through.

    `dram_share` is what L2 has no room for (`beyond_l2`). Units: cycles of one SM.
    Source: L1 since Volta, as in the validated configurations of Accel-Sim (Khairy et al., ISCA 2020).
    Not modelled: L1 of Fermi and Kepler, which keeps local memory until it is evicted (spills cost less there).
    """
    load_store = gpu.warp_size_threads / gpu.load_store_units_per_sm
    shares = bandwidth_shares(gpu, active_sms)
    size_bytes = gpu.warp_size_threads * SLOT_BYTES
    l2_cycles = global_penalty_cycles(size_bytes, 1, shares.l2_bytes_per_cycle)
    dram_cycles = global_penalty_cycles(size_bytes, dram_share, shares.dram_bytes_per_cycle)
    spill = RequestTime(0.0, load_store, l2_cycles, dram_cycles)
    if in_l1:
        return spill, RequestTime(gpu.l1.latency_cycles, load_store, 0.0, 0.0)
    latency = gpu.l2.latency_cycles + dram_share * (gpu.dram.latency_cycles - gpu.l2.latency_cycles)
    return spill, RequestTime(latency, load_store, l2_cycles, dram_cycles)
