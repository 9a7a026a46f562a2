"""Along which loop the threads of a warp lie when some arrays are staged.

Tiles are filled along the rows of their arrays whatever the order of the threads is. So it is for the other accesses to
say which loop is x: of `b[j][i] = a[i][j]` with a tile of `a` it is i, and the tile is read down its columns.
Source: Harris, An Efficient Matrix Transpose in CUDA C/C++, NVIDIA 2013.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.ir.ids import NodeId

_Rows = tuple[tuple[int, ...], ...]


def ordered_for_tiles(kernel: Kernel, staged: Collection[str]) -> Kernel:
    """The kernel with another x where that leaves fewer accesses to other arrays scattered over a warp."""
    if len(kernel.thread_order) < 2 or not staged:
        return kernel
    others = [facts for facts in kernel.accesses if facts.access.array not in staged and not facts.is_private]
    scattered = {loop: sum(not _is_side_by_side(facts, loop) for facts in others) for loop in kernel.thread_order}
    best = min(kernel.thread_order, key=lambda loop: scattered[loop])  # the first of equals: as it is
    order = (best, *(loop for loop in kernel.thread_order if loop != best))
    if order == kernel.thread_order:
        return kernel
    return replace(
        kernel,
        thread_order=order,
        live_by_axes=_permuted(kernel.live_by_axes, kernel.thread_order, order),
        live_together_by_axes=_permuted(kernel.live_together_by_axes, kernel.thread_order, order),
        live_hoisted_by_axes=_permuted(kernel.live_hoisted_by_axes, kernel.thread_order, order),
    )


def _is_side_by_side(facts: AccessFacts, loop: NodeId) -> bool:
    """Whether neighbouring iterations of a loop touch one element or neighbouring ones."""
    stride = dict(facts.stride_bytes).get(loop)
    if stride is None or not stride.is_constant:
        return False
    return abs(stride.constant_term) in {0, facts.access.element_bytes}


def _permuted(rows: _Rows, old: tuple[NodeId, ...], new: tuple[NodeId, ...]) -> _Rows:
    """Counts by the axes along which values vary, a bit each, with the axes in another order."""
    moved = [new.index(loop) for loop in old]
    found: list[tuple[int, ...]] = []
    for row in rows:
        counts = [0] * len(row)
        for axes, count in enumerate(row):
            counts[sum(1 << moved[bit] for bit in range(len(old)) if axes >> bit & 1)] = count
        found.append(tuple(counts))
    return tuple(found)
