"""Sliding windows: outputs side by side that read the same elements, each in another iteration of an unrolled loop.

In `for i < 15: s += in[(y + i)*n + x] * f[i]` the output below reads in iteration i what this one reads in i + 1. Where
the loop is unrolled whole (whole_unrolling.py), a thread with F outputs along y loads 15 + F - 1 elements and not 15·F,
each into one register for all outputs that use it.

Equation: with strides p·u along the outputs and q·u along the T iterations (p, q coprime), the pairs of an output f < F
and an iteration t < T that read one element are chains (f, t), (f + q, t - p), ...: there are
F·T - max(0, F - q)·max(0, T - p) of them, each one load (tests/properties/test_windows.py).
Assumes: arrays that the kernel writes are loaded anew. One loop for each axis; of several the one that shares most.
Not modelled: outputs a block apart (x); windows over loops that are not unrolled (registers handed on in a ring);
elements that different accesses, or two loops and one axis, share.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction

from warplens.analysis.facts.program import Window
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.workload.accesses.stride import stride_bytes
from warplens.analysis.workload.thread_program.draft import (
    DraftBlock,
    DraftBranch,
    DraftLoop,
    DraftRegion,
    draft_blocks,
)
from warplens.analysis.workload.thread_program.thread_program import ThreadDraft
from warplens.analysis.workload.thread_program.whole_unrolling import whole_trip_count

Unrolled = tuple[tuple[Loop, int], ...]
"""Loops unrolled whole around an instruction, with their trip counts."""


def sliding_windows(
    draft: ThreadDraft, axes: Sequence[Loop], accesses: Mapping[NodeId, Access], loops: Mapping[NodeId, Loop]
) -> dict[int, tuple[Window, ...]]:
    """Windows along the grid loops `axes` by the register of a load, or of an address; those without have no entry."""
    written = written_arrays(draft.regions, accesses)
    found: dict[int, tuple[Window, ...]] = {}
    for block, around in _unrolled_blocks(draft.regions, loops, ()) if axes else ():
        for instruction in block.instructions:
            result = instruction.result
            access = accesses.get(instruction.access) if instruction.access is not None else None
            if result is None:
                continue
            access = access or draft.addresses.get(result.number)
            if access is not None and access.array not in written:
                windows = windows_of(access, axes, around)
                if windows:
                    found[result.number] = windows
    return found


def written_arrays(regions: Sequence[DraftRegion], accesses: Mapping[NodeId, Access]) -> set[str]:
    """Arrays that a thread stores to."""
    blocks = (block.instructions for block in draft_blocks(list(regions)))
    stores = {i.access for block in blocks for i in block if i.op != "load"}
    return {accesses[access].array for access in stores if access is not None and access in accesses}


def windows_of(access: Access, axes: Sequence[Loop], around: Unrolled) -> tuple[Window, ...]:
    """Windows of an access along grid loops on which outputs are neighbours, each with a loop of its own."""
    windows: list[Window] = []
    left = list(around)
    for axis in axes:
        candidates = [(window, pair) for pair in left if (window := _window(access, axis, *pair)) is not None]
        if candidates:
            best, taken = min(candidates, key=lambda candidate: (-candidate[0].shared, candidate[0].apart))
            windows.append(best)
            left.remove(taken)
    return tuple(windows)


def _window(access: Access, axis: Loop, loop: Loop, trips: int) -> Window | None:
    """None where no iteration of a neighbour reads what one of this output reads."""
    along, inside = stride_bytes(access, axis), stride_bytes(access, loop)
    if along is None or inside is None or not along.terms or not inside.terms:
        return None
    ratio = Fraction(along.terms[0][1], inside.terms[0][1])
    if along * ratio.denominator != inside * ratio.numerator:
        return None
    window = Window(axis.id, trips, ratio.denominator, abs(ratio.numerator))
    return window if window.shared else None


def _unrolled_blocks(
    regions: Sequence[DraftRegion], loops: Mapping[NodeId, Loop], around: Unrolled
) -> Iterator[tuple[DraftBlock, Unrolled]]:
    """Blocks with a loop around them that is unrolled whole, and all such loops."""
    for region in regions:
        match region:
            case DraftBlock() if around:
                yield region, around
            case DraftLoop():
                trips = whole_trip_count(region) if region.is_unrolled else None
                inner = around if trips is None else (*around, (loops[region.loop], trips))
                yield from _unrolled_blocks(region.body, loops, inner)
            case DraftBranch():
                yield from _unrolled_blocks(region.then, loops, around)
                yield from _unrolled_blocks(region.otherwise, loops, around)
