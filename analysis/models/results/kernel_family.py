"""Families of kernels whose predictions go wrong alike: what an error measured on one says of another."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, get_args

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial

KernelFamily = Literal["streaming", "matrix product", "strided", "stencil", "reduction", "gathered", "other"]

_STILL = Polynomial(())

FAMILIES: tuple[KernelFamily, ...] = get_args(KernelFamily)


def family_of(kernel: Kernel) -> KernelFamily:
    """Family of a kernel by what its threads read, the first that fits.

    Innermost accesses are those in the most loops that the innermost of these moves; the others are read before it.

    - gathered: data decides how far threads are apart along an axis of the grid, or their stride is not known;
    - reduction: threads add to one value;
    - strided: neighbouring threads are further apart than an element, in the innermost accesses;
    - stencil: neighbouring threads read the same elements, a shift apart that is no copy of a loop's body;
    - matrix product: in a loop of the thread, several arrays of which threads share parts, along different axes;
    - streaming: an innermost access has elements of its own for every thread;
    - other: all threads read the same (n-body sums).
    """
    accesses = [facts for facts in kernel.accesses if not facts.is_private]
    if any(facts.is_gathered or facts.steps or None in _along_grid(facts, kernel) for facts in accesses):
        return "gathered"
    if kernel.reductions:
        return "reduction"
    depth = max((len(facts.loops) for facts in accesses), default=0)
    deepest = [facts for facts in accesses if len(facts.loops) == depth]
    innermost = [facts for facts in deepest if _is_moved_inside(facts, kernel)] or deepest
    if any(_is_strided(facts, kernel.thread_order) for facts in innermost):
        return "strided"
    if _is_stencil(innermost, kernel):
        return "stencil"
    shared = [along for along in (_axes(facts, kernel) for facts in innermost) if 0 < len(along) < len(kernel.grid)]
    if depth > len(kernel.grid) and len(set(shared)) > 1:
        return "matrix product"
    return "streaming" if any(len(_axes(facts, kernel)) == len(kernel.grid) for facts in innermost) else "other"


def _strides(facts: AccessFacts) -> dict[NodeId, Polynomial | None]:
    return dict(facts.stride_bytes)


def _along_grid(facts: AccessFacts, kernel: Kernel) -> list[Polynomial | None]:
    strides = _strides(facts)
    return [strides.get(loop.loop, _STILL) for loop in kernel.grid]


def _is_moved_inside(facts: AccessFacts, kernel: Kernel) -> bool:
    """Whether the innermost loop of the thread moves an access; one that it does not is read once before it."""
    loop = facts.loops[-1] if facts.loops else None
    return loop is None or any(loop == grid.loop for grid in kernel.grid) or _strides(facts).get(loop) != _STILL


def _is_strided(facts: AccessFacts, thread_order: Sequence[NodeId]) -> bool:
    along_x = _strides(facts).get(thread_order[0])
    element = facts.access.element_bytes
    return along_x is not None and bool(along_x.terms) and along_x not in {_bytes(element), _bytes(-element)}


def _is_stencil(accesses: Sequence[AccessFacts], kernel: Kernel) -> bool:
    """Reads walk one array alike, elements apart, or a loop of the thread moves one as far as a grid loop does."""
    grid = {loop.loop for loop in kernel.grid}
    alike: dict[tuple[str, tuple[tuple[NodeId, Polynomial | None], ...]], dict[object, AccessFacts]] = {}
    for facts in accesses:
        moving = {loop: stride for loop, stride in _strides(facts).items() if stride is not None and stride.terms}
        by_grid = {stride for loop, stride in moving.items() if loop in grid}
        if not facts.is_read or not by_grid:
            continue
        if any(stride in by_grid for loop, stride in moving.items() if loop not in grid):
            return True
        # Members of one structure are no neighbours: their subscripts are the same.
        alike.setdefault((facts.access.array, facts.stride_bytes), {})[facts.access.indices] = facts
    return any(len(group) > 1 and not _is_unrolled([*group.values()], grid) for group in alike.values())


def _is_unrolled(reads: Sequence[AccessFacts], grid: Collection[NodeId]) -> bool:
    """Whether a loop of the thread, whose body the source repeats, goes on where the last of the reads is."""
    first = reads[0].access.linear_index
    if first is None:
        return False
    size_bytes, strides = reads[0].access.element_bytes, reads[0].stride_bytes
    apart = [None if (own := facts.access.linear_index) is None else (own - first) * size_bytes for facts in reads]
    return any(
        stride is not None
        and all(far is not None and far * len(reads) == stride * place for place, far in enumerate(apart))
        for loop, stride in strides
        if loop not in grid
    )


def _axes(facts: AccessFacts, kernel: Kernel) -> frozenset[NodeId]:
    """Grid loops that move the access, or may."""
    grid = {loop.loop for loop in kernel.grid}
    return frozenset(loop for loop, stride in _strides(facts).items() if loop in grid and stride != _STILL)


def _bytes(value: int) -> Polynomial:
    return Polynomial.constant(value)
