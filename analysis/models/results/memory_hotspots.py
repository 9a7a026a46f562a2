"""Accesses by the time that waits for them, for models that know it per access instead of simulating it."""

from __future__ import annotations

from collections.abc import Sequence

from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.facts.program import blocks
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.models.results.prediction import Hotspot


def memory_hotspots(
    kernel: Kernel, waiting: Sequence[float], delay_cycles: Sequence[float], total: float
) -> tuple[Hotspot, ...]:
    """Hotspots of the accesses that something waits for, longest wait first.

    `waiting` and `delay_cycles` have an entry per access in the kernel's order: the time that waits for all its
    requests, in the unit of `total` (the launch's), and the cycles of one request. An access that no instruction makes
    is left out.
    """
    statements: dict[NodeId, NodeId] = {}
    for block, _ in blocks(kernel.program):
        for instruction in block.instructions:
            if instruction.access is not None:
                statements.setdefault(instruction.access, instruction.statement)
    hotspots = [
        Hotspot(
            facts.access.id,
            statements[facts.access.id],
            float(delay),
            min(1.0, float(time) / total) if total > 0 else 0.0,
        )
        for facts, time, delay in zip(kernel.accesses, waiting, delay_cycles, strict=True)
        if time > 0 and facts.access.id in statements
    ]
    return tuple(sorted(hotspots, key=lambda spot: (-spot.idle_share, -spot.delay_cycles, spot.statement)))
