"""Loops that the device compiler unrolls whole: constant trip counts, a body that stays small.

Nothing of the loop's control is left, and an address that each iteration moves by a constant is computed once, before
the loop: the distance is in the instructions. A nest of such loops is unrolled from the inside out.

Assumes: up to `MOST_INSTRUCTIONS` in place of the loop. LLVM's limit is 300 instructions, raised up to fourfold by what
unrolling saves (LoopUnrollPass.cpp: UnrollThresholdAggressive, UnrollMaxPercentThresholdBoost), and 16384 where the
source says `#pragma unroll`; what nvcc takes is not published: the fourfold limit is taken. The user is told.
Not modelled: other arithmetic on the iterators, which is constant too; the instruction cache; loops with branches.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from warplens.analysis.ir.assumption import Assumption
from warplens.analysis.ir.expression import Access
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.ir.nest import Loop
from warplens.analysis.ir.source_names import c_name
from warplens.analysis.workload.accesses.stride import stride_bytes
from warplens.analysis.workload.thread_program.draft import (
    DraftBlock,
    DraftBranch,
    DraftInstruction,
    DraftLoop,
    DraftRegion,
    draft_blocks,
)
from warplens.analysis.workload.thread_program.thread_program import ThreadDraft

MOST_INSTRUCTIONS = 4 * 300


def unroll_whole(draft: ThreadDraft, loops: Mapping[NodeId, Loop]) -> tuple[Assumption, ...]:
    """Mark the loops of a thread's draft that are unrolled whole, take their control away, move addresses out.

    Returns what is assumed with each of them that is in no other.
    """
    return tuple(_visit(draft.regions, draft.addresses, loops))


def _visit(
    regions: list[DraftRegion], addresses: Mapping[int, Access], loops: Mapping[NodeId, Loop]
) -> Iterator[Assumption]:
    for region in tuple(regions):
        match region:
            case DraftLoop():
                inside = list(_visit(region.body, addresses, loops))
                if region.loop in loops:
                    _unroll(region, loops[region.loop], regions, addresses)
                if region.is_unrolled:
                    yield _assumption(region, loops)
                else:
                    yield from inside
            case DraftBranch():
                yield from _visit(region.then, addresses, loops)
                yield from _visit(region.otherwise, addresses, loops)


def _assumption(loop: DraftLoop, loops: Mapping[NodeId, Loop]) -> Assumption:
    names = [c_name(loops[each].iterator) for each in _nested(loop)]
    over = f"loop{'s' * (len(names) > 1)} over {', '.join(f'`{name}`' for name in names)}"
    instructions = (whole_trip_count(loop) or 1) * _size(loop.body)
    text = f"The device compiler is assumed to unroll the {over} whole, to {instructions} instructions."
    return Assumption("machine", ", ".join(names), text)


def _nested(loop: DraftLoop) -> Iterator[NodeId]:
    yield loop.loop
    for region in loop.body:
        if isinstance(region, DraftLoop):
            yield from _nested(region)


def _unroll(loop: DraftLoop, source: Loop, around: list[DraftRegion], addresses: Mapping[int, Access]) -> None:
    """Unroll a loop if it can be; `around` is the list of regions that it is in."""
    trips = whole_trip_count(loop)
    if trips is None or not _is_straight(loop):
        return
    inside = {i.result.number for block in draft_blocks(loop.body) for i in block.instructions if i.result is not None}
    blocks = [region for region in loop.body if isinstance(region, DraftBlock)]
    moved = [i for block in blocks for i in block.instructions if is_known_distance(i, source, addresses, inside)]
    gone = {id(i) for block in blocks for i in block.instructions if i.statement == loop.loop} | set(map(id, moved))
    if trips * (_size(loop.body) - len(gone)) > MOST_INSTRUCTIONS:
        return
    for block in blocks:
        block.instructions = [i for i in block.instructions if id(i) not in gone]
    loop.is_unrolled = True
    if moved:
        place = next(number for number, region in enumerate(around) if region is loop)
        before = around[place - 1] if place else None
        if isinstance(before, DraftBlock):
            before.instructions += moved
        else:
            around.insert(place, DraftBlock(moved))


def whole_trip_count(loop: DraftLoop) -> int | None:
    """Iterations of a loop whose bounds are numbers; None where they are not, or there is no iteration."""
    trips = _constant(loop.trip_count)
    return trips if trips and not loop.control else None


def _constant(trip_count: Formula) -> int | None:
    value = trip_count.value
    return int(value) if value is not None and value.denominator == 1 and value > 0 else None


def _is_straight(loop: DraftLoop) -> bool:
    """Whether there is no branch or call inside, and no loop that is left."""
    for region in loop.body:
        match region:
            case DraftBlock() if any(i.op == "branch" and i.statement != loop.loop for i in region.instructions):
                return False
            case DraftLoop() if not region.is_unrolled:
                return False
            case DraftBranch():
                return False
    return True


def _size(regions: Sequence[DraftRegion]) -> int:
    """Instructions of straight code whose loops are unrolled."""
    total = 0
    for region in regions:
        match region:
            case DraftBlock():
                total += len(region.instructions)
            case DraftLoop():
                total += _size(region.body) * (whole_trip_count(region) or 1)
    return total


def is_known_distance(
    instruction: DraftInstruction, loop: Loop, addresses: Mapping[int, Access], inside: set[int]
) -> bool:
    """Whether it is an address that moves by a constant per iteration, and that nothing else in the loop changes."""
    if instruction.result is None or instruction.result.number not in addresses:
        return False
    if any(operand.number in inside for operand in instruction.operands):
        return False
    stride = stride_bytes(addresses[instruction.result.number], loop)
    return stride is not None and stride.is_constant
