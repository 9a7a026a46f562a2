"""How blocks and loops move the box of an array that a block could stage in shared memory (Resios 6.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from warplens.analysis.facts.nest_facts import AccessFacts, Kernel
from warplens.analysis.gpu.placement.grid_extents import loops_in_thread_order
from warplens.analysis.gpu.placement.walk import evaluate_known
from warplens.analysis.gpu.staging.staged_copy import BoxMove
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.polynomial import Polynomial


def read_only_arrays(kernel: Kernel) -> dict[str, tuple[AccessFacts, ...]]:
    """Reads of each array that the kernel does not write and that is no memory of the thread itself."""
    written = {facts.access.array for facts in kernel.accesses if facts.is_write}
    reads: dict[str, tuple[AccessFacts, ...]] = {}
    for facts in kernel.accesses:
        array = facts.access.array
        if facts.is_read and not facts.is_private and array not in written:
            reads[array] = (*reads.get(array, ()), facts)
    return reads


def box_moves(
    accesses: Sequence[AccessFacts], kernel: Kernel, sizes: Mapping[str, int]
) -> tuple[tuple[BoxMove, ...], ...] | None:
    """For each dimension of an array the moves of all accesses to it; None when one is not known, or there is none.

    What has no dimension is a value beside the arrays (a member of one struct): nobody stages that. Nor are members of
    several ranks staged (`s[i].n` beside `s[i].at[k]`): no box has room for each.
    """
    main = main_access(accesses)
    if any(len(facts.address.indices) != len(main.address.indices) for facts in accesses):
        return None
    loops = [_loops_by_iterator(facts, kernel) for facts in accesses]
    box: list[tuple[BoxMove, ...]] = []
    for dimension in range(len(main.address.indices)):
        moves = [
            _box_move(facts, dimension, of_access, sizes) for facts, of_access in zip(accesses, loops, strict=True)
        ]
        known = tuple(move for move in moves if move is not None)
        if len(known) < len(moves):
            return None
        box.append(known)
    return tuple(box) or None


def main_access(accesses: Sequence[AccessFacts]) -> AccessFacts:
    """The access in the most loops: those are the loops that the region is cut along."""
    return max(accesses, key=lambda facts: len(facts.loops))


def moving_loops(accesses: Sequence[AccessFacts]) -> frozenset[NodeId]:
    """Loops that move one of the accesses, or may."""
    strides = (item for facts in accesses for item in facts.stride_bytes)
    return frozenset(loop for loop, stride in strides if stride is None or stride.terms)


def moved_alike(moves: Sequence[BoxMove], kernel: Kernel) -> tuple[tuple[BoxMove, ...], ...]:
    """Moves of one dimension by how blocks move them: `a[i]` and `a[j]` are far apart in most blocks of i and j."""
    groups: dict[tuple[int, ...], tuple[BoxMove, ...]] = {}
    for move in moves:
        of_blocks = tuple(move.moves.get(loop, 0) for loop in kernel.thread_order)
        groups[of_blocks] = (*groups.get(of_blocks, ()), move)
    return tuple(groups.values())


def _box_move(
    facts: AccessFacts, dimension: int, loops: Mapping[str, tuple[NodeId, int]], sizes: Mapping[str, int]
) -> BoxMove | None:
    if facts.unknown:
        return None
    moves = _moves(facts, dimension, loops, sizes)
    index = facts.address.indices[dimension]
    if moves is None or index is None:
        return None
    return BoxMove(index.without(index.symbols - sizes.keys()).evaluate(sizes), moves)


def _moves(
    facts: AccessFacts, dimension: int, loops: Mapping[str, tuple[NodeId, int]], sizes: Mapping[str, int]
) -> dict[NodeId, int] | None:
    """By how many elements of one dimension each loop moves the access; None where that is not constant."""
    index = facts.address.indices[dimension]
    moves: dict[NodeId, int] = {}
    for symbol in index.symbols - sizes.keys() if index is not None else ():
        if symbol in loops and index is not None:
            loop, step = loops[symbol]
            slope = evaluate_known(index.coefficient(symbol), sizes)
            if slope is None:
                return None
            moves[loop] = moves.get(loop, 0) + slope * step
    return moves


def _loops_by_iterator(facts: AccessFacts, kernel: Kernel) -> dict[str, tuple[NodeId, int]]:
    """Loop and step of each iterator in an access: of a thread's loop, the one whose stride its coefficient divides.

    Of several the one with the smallest step: a row's stride in numbers is a multiple of an element's too.
    """
    found = {loop.iterator: (loop.loop, loop.step) for loop in loops_in_thread_order(kernel)}
    linear = facts.address.linear_index
    taken = {loop for loop, _ in found.values()}
    for symbol in sorted(linear.symbols - found.keys()) if linear is not None else ():
        slope = linear.coefficient(symbol) * facts.access.element_bytes if linear is not None else Polynomial(())
        steps = [(loop, _ratio(stride, slope)) for loop, stride in facts.stride_bytes if loop not in taken]
        possible = [(loop, step) for loop, step in steps if step]
        if possible:
            found[symbol] = min(possible, key=lambda loop_and_step: abs(loop_and_step[1]))
            taken.add(found[symbol][0])
    return found


def _ratio(stride: Polynomial | None, slope: Polynomial) -> int:
    """Return the integer that makes `slope` the stride, 0 when there is none."""
    if stride is None or not stride.terms or not slope.terms:
        return 0
    step = stride.terms[0][1] // slope.terms[0][1] if stride.terms[0][1] % slope.terms[0][1] == 0 else 0
    return step if slope * step == stride else 0
