"""Arrays whose elements a block may collect in shared memory before it writes them: stores that scatter over a warp.

What a block copies out must be what it wrote, and no more: every element of the box, and nothing but those.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import prod

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.facts.program import BasicBlock
from warplens.analysis.gpu.placement.sized_kernel import SizedKernel
from warplens.analysis.gpu.placement.walk import evaluate_known, requested_bytes
from warplens.analysis.gpu.staging.box_movement import box_moves
from warplens.analysis.gpu.staging.staged_copy import BoxMove
from warplens.analysis.ir.ids import NodeId

_MOST_ELEMENTS = 64
"""Of an array that one iteration of the grid stores."""


def collected_arrays(sized: SizedKernel) -> dict[str, tuple[AccessFacts, ...]]:
    """Stores to each array of which every iteration of the grid writes the same dense part, far from its neighbour's.

    Nothing else in the kernel touches the array, each iteration runs all the stores once, grid loops run from the same
    start as often in all iterations of the others, and each moves another dimension: so the elements that a block of
    iterations writes are a box without gaps.
    """
    kernel = sized.kernel
    if kernel.team is not None or any(loop.is_uneven for loop in kernel.grid):
        return {}
    combined = {reduction.variable for reduction in kernel.reductions}
    always = frozenset(i.access for part in kernel.program if isinstance(part, BasicBlock) for i in part.instructions)
    by_array: dict[str, tuple[AccessFacts, ...]] = {}
    for facts in kernel.accesses:
        by_array[facts.access.array] = (*by_array.get(facts.access.array, ()), facts)
    return {
        array: accesses
        for array, accesses in by_array.items()
        if array not in combined
        and all(_is_plain_store(facts) and facts.access.id in always for facts in accesses)
        and any(_is_far_along_x(facts, sized) for facts in accesses)
        and _is_dense(box_moves(accesses, kernel, sized.sizes) or (), kernel)
    }


def _is_plain_store(facts: AccessFacts) -> bool:
    access = facts.access
    if facts.is_read or facts.is_private or facts.is_gathered or facts.unknown or access.conditions:
        return False
    if facts.is_approximate:
        return False  # what is written is the whole of a tile
    return facts.is_write and not access.member and requested_bytes(facts) == access.element_bytes


def _is_far_along_x(facts: AccessFacts, sized: SizedKernel) -> bool:
    stride = dict(facts.stride_bytes).get(sized.kernel.thread_order[0])
    known = None if stride is None else evaluate_known(stride, sized.sizes)
    return known is not None and abs(known) > facts.access.element_bytes


def _is_dense(moves: Sequence[Sequence[BoxMove]], kernel: Kernel) -> bool:
    """Whether iterations side by side write boxes side by side, and each one all of its own box once."""
    if not moves:
        return False
    lengths: list[int] = []
    movers: list[NodeId] = []
    for of_dimension in moves:
        loops = {loop: move for loop, move in of_dimension[0].moves.items() if move}
        alike = all({loop: by for loop, by in each.moves.items() if by} == loops for each in of_dimension)
        if not alike or len(loops) > 1:
            return False
        starts = [each.start for each in of_dimension]
        lengths.append(max((abs(by) for by in loops.values()), default=max(starts) - min(starts) + 1))
        movers.extend(loops)
    if sorted(movers) != sorted(kernel.thread_order) or prod(lengths) > _MOST_ELEMENTS:
        return False
    written = sorted(zip(*([each.start for each in of_dimension] for of_dimension in moves), strict=True))
    first = [min(each.start for each in of_dimension) for of_dimension in moves]
    ranges = (range(start, start + length) for start, length in zip(first, lengths, strict=True))
    return written == sorted(product(*ranges))
