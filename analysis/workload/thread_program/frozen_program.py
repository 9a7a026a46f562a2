"""A thread's draft as the frozen program that the models read."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from warplens.analysis.facts.program import BasicBlock, Branch, Instruction, OpClass, Region, ThreadLoop
from warplens.analysis.workload.instructions.ilp import SLOW_PATHS, instruction_level_parallelism, load_depths
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftBranch, DraftLoop, DraftRegion
from warplens.analysis.workload.thread_program.store_order import StoreOrder
from warplens.analysis.workload.thread_program.unrolling import unroll_factor, unrolled


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What a device compiler's code depends on beside a draft: registers that are one variable, the order of stores.

    `shared` are the registers that the copies of an unrolled loop share (shared_addresses.py): they count as its
    control.
    """

    same: Mapping[int, int]
    order: StoreOrder
    shared: frozenset[int] = frozenset()


def finish(regions: list[DraftRegion], device: DeviceCode | None = None) -> tuple[Region, ...]:
    """Frozen program; empty blocks are dropped. For a device loops are unrolled, and loads wait for stores."""
    finished: list[Region] = []
    for region in regions:
        match region:
            case DraftBlock():
                if region.instructions:
                    finished.append(_finish_block(region, device))
            case DraftLoop():
                finished.append(_finish_loop(region, device))
            case DraftBranch():
                finished.append(
                    Branch(
                        region.statement,
                        region.divergent,
                        finish(region.then, device),
                        finish(region.otherwise, device),
                        region.then_share,
                        region.counted,
                    )
                )
    return tuple(finished)


def _finish_loop(loop: DraftLoop, device: DeviceCode | None) -> ThreadLoop:
    factor = 1 if device is None else unroll_factor(loop)
    if device is not None and factor > 1:
        _as_control(loop, device.shared)
    body = finish(loop.body, device)
    if device is None or factor == 1:
        return ThreadLoop(loop.loop, loop.trip_count, body, is_uneven=loop.is_uneven)
    kept = [draft for draft in loop.body if not isinstance(draft, DraftBlock) or draft.instructions]
    copies = tuple(
        _unrolled(block, draft, loop, factor, device)
        for draft, block in zip(kept, body, strict=True)
        if isinstance(draft, DraftBlock) and isinstance(block, BasicBlock)
    )
    return ThreadLoop(loop.loop, loop.trip_count, copies, factor, loop.is_uneven)


def _as_control(loop: DraftLoop, shared: frozenset[int]) -> None:
    for region in loop.body:
        for instruction in region.instructions if isinstance(region, DraftBlock) else ():
            if instruction.result is not None and instruction.result.number in shared:
                instruction.statement = loop.loop


def _unrolled(
    block: BasicBlock, draft: DraftBlock, loop: DraftLoop | None, factor: int, device: DeviceCode
) -> BasicBlock:
    found = unrolled(draft, loop, device.same, factor, device.order)
    return replace(block, ilp=found.ilp, load_chain=found.load_chain)


def _finish_block(block: DraftBlock, device: DeviceCode | None) -> BasicBlock:
    cuts: Collection[OpClass] = () if device is None else SLOW_PATHS
    position: dict[int, int] = {}
    instructions: list[Instruction] = []
    for index, draft in enumerate(block.instructions):
        operands = tuple(dict.fromkeys(position[o.number] for o in draft.operands if o.number in position))
        instructions.append(
            Instruction(
                draft.op, operands, draft.statement, draft.access, draft.size_bytes, draft.varies, draft.windows
            )
        )
        if draft.result is not None:
            position[draft.result.number] = index
    frozen = tuple(instructions)
    chain = Fraction(max(load_depths(frozen), default=0))
    found = BasicBlock(frozen, instruction_level_parallelism(frozen, cuts), chain)
    is_stored = any(i.op == "store" for i in frozen)
    return found if device is None or not is_stored else _unrolled(found, block, None, 1, device)
