"""The elements of an array that one access reads in a block between two fillings of its tile: a box.

A block covers some iterations of each grid loop, of the loop that is cut a chunk, and all iterations of the loops of
constant length inside that. Each adds what its coefficient in the subscript says; loops outside of the one that is cut
are run one iteration at a time, so that their iterators are values that the box starts from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod

from warplens.analysis.advice.naming import access_text
from warplens.analysis.facts.nest_facts import Kernel
from warplens.analysis.gpu.launch.extent import Extent
from warplens.analysis.gpu.placement.grid_extents import loops_in_thread_order, tile_extent
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.ports.cuda.plan import PortRefusedError, block_symbol, chunk_symbol


@dataclass(frozen=True, slots=True)
class BlockIterations:
    """What a block of a kernel covers: iterations along each grid loop, and so many of a sequential loop at a time.

    `chunks` has the length of a chunk of each sequential loop, in iterations; `why_apart` why its threads may not run
    it in step (empty: they do).
    """

    nest: LoopNest
    kernel: Kernel
    block: Extent
    outputs: Extent
    chunks: Mapping[NodeId, int]
    why_apart: Mapping[NodeId, str]

    def chunk(self, loop: Loop) -> int:
        """Iterations of a sequential loop at a time."""
        return self.chunks.get(loop.id, self.block[0])

    @property
    def covered(self) -> dict[NodeId, int]:
        """Iterations that a block covers of each grid loop."""
        return dict(zip(self.kernel.thread_order, tile_extent(self.block, self.outputs), strict=False))


@dataclass(frozen=True, slots=True)
class AccessBox:
    """Elements `lows[d] .. lows[d] + widths[d] - 1` of each dimension, filled once per chunk of `staged_in`.

    `reads` counts what all threads read of it between two fillings. `is_coalesced`: neighbouring threads along x read
    neighbouring elements.
    """

    access: Access
    lows: tuple[Polynomial, ...]
    widths: tuple[int, ...]
    staged_in: Loop | None
    reads: int
    is_coalesced: bool

    @property
    def elements(self) -> int:
        """Elements of the box."""
        return prod(self.widths)


def access_box(access: Access, loops: tuple[Loop, ...], covers: BlockIterations) -> AccessBox:
    """Box of an access with these loops around it, outer to inner; raises PortRefusedError.

    The innermost loop that moves the access and is longer than a block is wide, or of unknown length, is cut.
    """
    kernel, text = covers.kernel, access_text(covers.nest, access)
    in_kernel = loops[next((at for at, loop in enumerate(loops) if loop.id == kernel.root), len(loops)) :]
    grid = {loop.loop for loop in kernel.grid}
    sequential = tuple(loop for loop in in_kernel if loop.id not in grid)
    if len(in_kernel) - len(sequential) < len(grid):
        raise PortRefusedError(f"`{text}` is not read inside of all loops that become threads")
    index = _known_indices(access, text)
    counts: dict[str, int] = {}
    cut: Loop | None = None
    for loop in reversed(sequential):
        if cut is not None or all(loop.iterator not in part.symbols for part in index):
            continue
        trips = constant_trips(loop)
        if loop.start is None:
            raise PortRefusedError(f"data decides where the loop over `{c_name(loop.iterator)}` starts")
        if trips is None or trips > covers.block[0]:
            cut, first, trips = loop, Polynomial.symbol(chunk_symbol(loop.iterator)), covers.chunk(loop)
        else:
            first = loop.start
        index = _counted(index, loop, first, trips, counts)
    if cut is not None and covers.why_apart[cut.id]:
        raise PortRefusedError(
            f"`{text}` moves along `{c_name(cut.iterator)}`, where blocks would have to wait: "
            f"{covers.why_apart[cut.id]}"
        )
    reads = prod(counts.values())
    by_id = {loop.id: loop for loop in in_kernel}
    iterators = {loop.iterator for loop in in_kernel}
    for grid_loop in loops_in_thread_order(kernel):
        is_moved = any(grid_loop.iterator in part.symbols for part in index)
        if is_moved and abs(grid_loop.step) != 1 and grid_loop.start.symbols & iterators:
            raise PortRefusedError(
                f"`{text}` moves along `{c_name(grid_loop.iterator)}`, which counts in steps of {grid_loop.step} from "
                "another start in each thread"
            )
        loop = by_id[grid_loop.loop]
        covered = covers.covered[loop.id]  # all of them: a thread without an iteration may read what it throws away
        reads *= covered
        index = _counted(index, loop, Polynomial.symbol(block_symbol(loop.iterator)), covered, counts)
    lows, widths = zip(*(_span(part, counts, text, by_id) for part in index), strict=True)
    x = _counter(kernel.thread_order[0])
    steps = [part.coefficient(x).constant_term for part in index]
    is_coalesced = abs(steps[-1]) == 1 and not any(steps[:-1])
    return AccessBox(access, lows, widths, cut, reads, is_coalesced)


def constant_trips(loop: Loop) -> int | None:
    """Iterations of a loop whose length is a number, at most (it may be left earlier); None for another."""
    if loop.start is None or not loop.limits:
        return None
    distances = [limit - loop.start for limit in loop.limits]
    if not all(distance.is_constant for distance in distances):
        return None
    return max(0, min(-(-distance.constant_term // loop.step) for distance in distances))


def _known_indices(access: Access, text: str) -> tuple[Polynomial, ...]:
    known = tuple(index for index in access.indices if index is not None)
    if len(known) < len(access.indices):
        raise PortRefusedError(f"data decides which element `{text}` is")
    return known


def _counter(loop: NodeId) -> str:
    return f"%{loop}"  # no C identifier


def _counted(
    index: tuple[Polynomial, ...], loop: Loop, first: Polynomial, trips: int, counts: dict[str, int]
) -> tuple[Polynomial, ...]:
    """The subscripts with the iterator as `first + step * counter`; the counter has so many values."""
    counter = _counter(loop.id)
    counts[counter] = max(1, trips)
    value = first + Polynomial.symbol(counter) * loop.step
    return tuple(part.substitute({loop.iterator: value}) for part in index)


def _span(
    index: Polynomial, counts: Mapping[str, int], text: str, loops: Mapping[NodeId, Loop]
) -> tuple[Polynomial, int]:
    """First element and width in one dimension."""
    low, width = index.without(counts), 1
    for counter in sorted(index.symbols & counts.keys()):
        step = index.coefficient(counter)
        if not step.is_constant:
            name = c_name(loops[NodeId(int(counter[1:]))].iterator)
            raise PortRefusedError(f"by how many elements `{name}` moves `{text}` is not a number in the source")
        reach = step.constant_term * (counts[counter] - 1)
        low, width = low + min(0, reach), width + abs(reach)
    return low, width
