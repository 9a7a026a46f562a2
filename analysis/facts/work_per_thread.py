"""How a thread's registers and requests grow with the outputs that it has along each grid loop."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import blocks
from warplens.analysis.ir.ids import NodeId


def registers_needed(kernel: Kernel, outputs: Sequence[int]) -> int:
    """Registers alive together in a thread with so many outputs along x, y, z, in source order; at least 1.

    Equation: the largest sum, over the rows of `Kernel.live_by_axes`, of a count times the outputs along its axes.
    """
    if all(each == 1 for each in outputs) or not kernel.live_by_axes:
        return max(1, kernel.register_pressure)
    return _largest(kernel.live_by_axes, outputs)


def registers_in_flight(kernel: Kernel, outputs: Sequence[int]) -> int:
    """The same where a block's loads, or those of all copies of an unrolled loop, are issued together; at least 1."""
    return _largest(kernel.live_together_by_axes, outputs)


def _largest(rows: Sequence[Sequence[int]], outputs: Sequence[int]) -> int:
    largest = 1
    for row in rows:
        total = 0
        for axes, count in enumerate(row):
            total += count * prod(each for axis, each in enumerate(outputs) if axes >> axis & 1)
        largest = max(largest, total)
    return largest


def varying_accesses(kernel: Kernel) -> dict[NodeId, frozenset[NodeId]]:
    """Grid loops along which a thread makes an access once per output."""
    found: dict[NodeId, frozenset[NodeId]] = {}
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            if instruction.access is not None:
                found[instruction.access] = found.get(instruction.access, frozenset()) | instruction.varies
    return found
