"""Haigh & McCreath's cost model: bytes over a bandwidth that needs enough threads, plus instructions likewise.

The equations as in the paper; every argument may be a number or a column of numbers, one per configuration.
Source: A. Haigh, E. McCreath, "Model-driven optimisation of memory hierarchy and multithreading on GPUs", AusPDC 2015,
section 2.1 and figure 1.
"""

from __future__ import annotations

import numpy as np
from warplens.analysis.gpu.launch.launches import Column, Flags
from warplens.analysis.models.results.quantity import Quantity

WORD_BYTES = 4
"""What one computation of a thread has in flight to memory (the 4 of figure 1)."""

INSTRUCTIONS_PER_ASSIGNMENT = 5.0
"""Load, store, addresses and the operation itself, as the paper read from binaries of its benchmarks."""

ONE_BLOCK_FACTOR = 2.0
"""With one block per SM that synchronises in its inner loop, half of the threads are active on average."""


def active_blocks(
    threads_per_block: Quantity,
    shared_bytes_per_block: Quantity,
    registers_per_thread: Quantity,
    *,
    max_blocks_per_sm: float,
    max_threads_per_sm: float,
    shared_per_sm_bytes: float,
    registers_per_sm: float,
) -> Quantity:
    """Blocks that one SM runs at the same time (k); 0 where none fits. What a block does not use does not limit.

    Equation: k = min(blocks/SM, shared/SM / shared per block, threads/SM / N, registers/SM / (N · registers)), rounded
    down. Not modelled: allocation in units (occupancy.py has it, and is what predictions use).
    """
    threads = np.maximum(threads_per_block, 1.0)
    # Less than one byte or register each stands for none of it: the quotient is then beyond every other limit.
    by_shared = shared_per_sm_bytes / np.maximum(shared_bytes_per_block, 1e-9)
    by_registers = registers_per_sm / (threads * np.maximum(registers_per_thread, 1e-9))
    blocks: Column = np.minimum(
        np.minimum(max_blocks_per_sm, max_threads_per_sm / threads), np.minimum(by_shared, by_registers)
    )
    return np.floor(blocks)


def saturating_bytes(
    bandwidth_bytes_per_s: Quantity, sm_count: Quantity, latency_cycles: Quantity, clock_hz: float
) -> Quantity:
    """Bytes that an SM must have in flight to use its part of the bandwidth: the paper's "saturating threads".

    Equation: (maximum bandwidth / SMs) · (memory latency / core clock).
    Units: bytes per SM, though the paper's name says threads: figure 1 compares it with 4·N·F·k bytes.

    >>> round(saturating_bytes(192.4e9, 16, 400, 1564e6))
    3075
    """
    return bandwidth_bytes_per_s / np.maximum(sm_count, 1.0) * latency_cycles / clock_hz


def bytes_in_flight(threads_per_block: Quantity, outputs_per_thread: Quantity, blocks: Quantity) -> Quantity:
    """Bytes in flight per SM when each computation waits for one word: 4·N·F·k."""
    return WORD_BYTES * threads_per_block * outputs_per_thread * blocks


def effective_rate(maximum: Quantity, in_flight: Quantity, saturating: Quantity) -> Quantity:
    """What is achieved of a maximum rate: all of it from `saturating` on, in proportion below.

    Equation: maximum · min(1, in flight / saturating); figure 1 for bandwidth, "analogous" for instructions. Where
    nothing has to be in flight (no latency) it is the maximum.
    Units: those of `maximum`; `in_flight` and `saturating` alike.
    """
    share = np.minimum(1.0, in_flight / np.maximum(saturating, 1e-30))
    return maximum * np.where(np.greater(saturating, 0), share, 1.0)


def cost_s(amount: Quantity, rate: Quantity) -> Quantity:
    """Seconds for an amount at a rate per second, 0 for no amount; infinite for some amount without any rate."""
    amounts, rates = np.broadcast_arrays(np.asarray(amount, dtype=np.float64), np.asarray(rate, dtype=np.float64))
    idle = np.where(amounts > 0, np.inf, 0.0)
    seconds: Column = np.divide(amounts, rates, out=idle, where=(rates > 0) & (amounts > 0))
    return seconds


def instructions(assignments: Quantity) -> Quantity:
    """Instructions of some assignments, five each."""
    return INSTRUCTIONS_PER_ASSIGNMENT * assignments


def estimated_time_s(
    memory_s: Quantity, computation_s: Quantity, blocks_per_sm: Quantity, synchronises: Quantity | Flags
) -> Quantity:
    """Sum of both costs, twice that where the only block of an SM synchronises in its inner loop.

    `synchronises` is true, or above 0, where the inner loop has a barrier.
    Assumes: memory and computation don't overlap.
    """
    halved = np.logical_and(np.less_equal(blocks_per_sm, 1), np.greater(synchronises, 0))
    return (memory_s + computation_s) * np.where(halved, ONE_BLOCK_FACTOR, 1.0)
