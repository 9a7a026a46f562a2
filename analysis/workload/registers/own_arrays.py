"""Arrays that a thread has for itself: in registers where every subscript is a number once loops are unrolled.

Others are in local memory, as registers have no addresses; the elements of a warp's threads lie side by side there.
Source: CUDA C++ Programming Guide, Device Memory Accesses, Local Memory.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from math import prod

from warplens.analysis.facts.nest_facts import AccessFacts, OwnMemory
from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.formula import ZERO
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import ArrayObject
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.thread_program.draft import DraftBranch, DraftLoop, DraftRegion

_REGISTER_BYTES = 4
_MOST_WORDS = 64
"""Registers that a compiler keeps one array in. Assumes: what is larger goes to local memory, as it would spill."""


def own_memory(
    accesses: Sequence[AccessFacts], arrays: Mapping[str, ArrayObject], unrolled: Collection[NodeId]
) -> tuple[OwnMemory, tuple[Assumption, ...]]:
    """What the arrays take that are the thread's own, and which were assumed to be in local memory.

    `unrolled` are the loops of which a compiler leaves nothing.
    """
    found, assumptions = OwnMemory(), []
    by_array: dict[str, list[AccessFacts]] = {}
    for facts in accesses:
        if facts.is_private and facts.access.array in arrays:
            by_array.setdefault(facts.access.array, []).append(facts)
    for name, own in by_array.items():
        words = _words(arrays[name])
        if words is not None and words <= _MOST_WORDS and all(_is_number(facts, unrolled) for facts in own):
            found = found.with_registers(words)
            continue
        for facts in own:
            times = facts.executions_per_thread * max(1, facts.access.element_bytes // _REGISTER_BYTES)
            found = found.with_accesses(times if facts.is_read else ZERO, times if facts.is_write else ZERO)
        found = found.with_local(words or _MOST_WORDS)
        size = f" ({words * _REGISTER_BYTES} bytes a thread)" if words is not None else ""
        text = f"`{c_name(name)}`{size} is assumed to be in local memory: registers have no subscripts."
        assumptions.append(Assumption("machine", c_name(name), text))
    return found, tuple(assumptions)


def unrolled_loops(regions: Sequence[DraftRegion]) -> frozenset[NodeId]:
    """Loops of a thread's draft that are unrolled whole."""
    found: set[NodeId] = set()
    for region in regions:
        if isinstance(region, DraftLoop):
            found |= unrolled_loops(region.body)
            if region.is_unrolled:
                found.add(region.loop)
        elif isinstance(region, DraftBranch):
            found |= unrolled_loops(region.then) | unrolled_loops(region.otherwise)
    return frozenset(found)


def _words(array: ArrayObject) -> int | None:
    """Registers that hold it, None where its size is not known."""
    extents = [extent.constant_term if extent is not None and extent.is_constant else None for extent in array.extents]
    known = [extent for extent in extents if extent is not None]
    return -(-prod(known) * array.element_bytes // _REGISTER_BYTES) if len(known) == len(extents) else None


def _is_number(facts: AccessFacts, unrolled: Collection[NodeId]) -> bool:
    """Whether the element is the same one in each of the unrolled code's places."""
    if facts.unknown or facts.steps or None in facts.access.indices:
        return False
    return all(loop in unrolled for loop, stride in facts.stride_bytes if stride is None or stride.terms)
