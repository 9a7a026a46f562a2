"""Bank conflicts of one warp's shared-memory request."""

from __future__ import annotations

from collections import Counter

import numpy as np
from numpy.typing import NDArray
from warplens.analysis.gpu.machine.gpu import SharedMemory


def conflict_degree(addresses_bytes: NDArray[np.int64], element_bytes: int, shared: SharedMemory) -> int:
    """Largest number of different words that one bank must deliver for a request; 1 means no conflict.

    The bank is (address / bank width) mod banks; threads that read one word share it (broadcast). A pass moves at most
    one word per bank, so with 4-byte banks 8-byte elements run as two half-warps and 16-byte ones as four quarters; the
    degree is the worst of them.
    Units: byte addresses of the active lanes, in lane order.
    Source: Resios ch. 6 (listing 3.3: a stride of s words gives gcd(32, s) words in a bank); CUDA C++ Programming
    Guide, compute capability 5.x, Shared Memory.

    >>> lanes = np.arange(32, dtype=np.int64)
    >>> conflict_degree(lanes * 8, 4, SharedMemory(32, 4, 23.0, 128.0))
    2
    """
    lanes_per_pass = max(1, shared.banks * shared.bank_width_bytes // element_bytes)
    worst = 1
    for start in range(0, len(addresses_bytes), lanes_per_pass):
        first = addresses_bytes[start : start + lanes_per_pass] // shared.bank_width_bytes
        last = (addresses_bytes[start : start + lanes_per_pass] + element_bytes - 1) // shared.bank_width_bytes
        words = {*first.tolist(), *last.tolist()}
        worst = max(worst, *Counter(word % shared.banks for word in words).values())
    return worst
