"""What of L1 is left beside shared memory, where both are cut out of one memory."""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column
from warplens.analysis.gpu.machine.gpu import Gpu


def l1_room_bytes(gpu: Gpu, resident_blocks: Column | float, shared_bytes_per_block: Column | float) -> Column | float:
    """Bytes of an SM's L1 beside the shared memory of resident blocks. Works on numbers and on columns alike.

    A Turing SM has 96 KB, of which shared memory gets 32 or 64 KB, whether blocks use it or not.
    Source: NVIDIA's tuning guides of Volta and later; `Cache.shared_carveouts_bytes` has what can be set aside.
    Assumes: the driver sets aside the least that holds what resident blocks have.
    """
    carveouts = gpu.l1.shared_carveouts_bytes
    if not carveouts:
        return float(gpu.l1.size_bytes)
    taken = resident_blocks * (shared_bytes_per_block + gpu.occupancy.shared_reserved_per_block_bytes)
    number = np.minimum(np.searchsorted(carveouts, taken), len(carveouts) - 1)
    room: Column = np.maximum(0.0, gpu.l1.size_bytes - np.take(carveouts, number))
    return room
