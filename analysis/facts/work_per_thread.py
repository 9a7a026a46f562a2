"""How a thread's registers and requests grow with the outputs that it has along each grid loop."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import blocks
from warplens.analysis.ir.ids import NodeId


def registers_needed(kernel: Kernel, outputs: Sequence[int]) -> int:
    """Registers alive together in a thread with so many outputs along x, y, z; at least 1.

    Equation: the largest sum, over the rows of `Kernel.live_by_axes`, of a count times the outputs along its axes.
    """
    if all(each == 1 for each in outputs) or not kernel.live_by_axes:
        return max(1, kernel.register_pressure)
    kinds = len(kernel.live_by_axes[0])
    copies = [1] * kinds
    for kind in range(kinds):
        for axis, each in enumerate(outputs):
            if kind >> axis & 1:
                copies[kind] *= each
    return max(1, *(sum(n * each for n, each in zip(row, copies, strict=True)) for row in kernel.live_by_axes))


def varying_accesses(kernel: Kernel) -> dict[NodeId, frozenset[NodeId]]:
    """Grid loops along which a thread makes an access once per output."""
    found: dict[NodeId, frozenset[NodeId]] = {}
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            if instruction.access is not None:
                found[instruction.access] = found.get(instruction.access, frozenset()) | instruction.varies
    return found
