"""Vectors that lie across two cache lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.cpu.compilation import Compilation
from warplens.analysis.cpu.cpu import Cpu
from warplens.analysis.cpu.strides import Strides
from warplens.analysis.cpu.vector_accesses import VectorAccess
from warplens.analysis.facts.nest_facts import AccessFacts
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop


def is_split(
    access: AccessFacts,
    inner: NodeId,
    strides_of: Mapping[NodeId, Strides | None],
    sources: Mapping[NodeId, Loop],
    symbols: Mapping[str, int],
    line_bytes: int,
) -> bool:
    """Whether vectors of an access may lie across two lines.

    They do unless it starts at a line's beginning in all iterations of the other loops than `inner`.

    Assumes: arrays start at a line.
    """
    linear = access.address.linear_index
    strides = strides_of[access.access.id]
    if linear is None or strides is None:
        return True
    starts: dict[str, int] = dict(symbols)
    for loop in access.loops:
        source = sources.get(loop)
        start = source.start if source is not None else None
        if source is None or start is None or not start.symbols <= starts.keys():
            return True
        starts[source.iterator] = int(start.evaluate(starts))
    if not linear.symbols <= starts.keys():
        return True
    at_bytes = float(linear.evaluate(starts)) * access.access.element_bytes + access.access.member_offset_bytes
    outer = [stride for loop, stride in strides.items() if loop != inner]
    return at_bytes % line_bytes != 0 or any(stride is None or stride % line_bytes for stride in outer)


def split_stores(
    accesses: Sequence[AccessFacts],
    split: Mapping[NodeId, bool],
    reached: Mapping[NodeId, VectorAccess],
    compilation: Compilation,
    cpu: Cpu,
) -> frozenset[str]:
    """Arrays to which vectors as long as a line are stored across two lines."""
    if compilation.vector_bytes < cpu.line_bytes:
        return frozenset()
    stored = [a for a in accesses if a.is_write and split.get(a.access.id)]
    return frozenset(a.access.array for a in stored if reached[a.access.id].way == "vector")
