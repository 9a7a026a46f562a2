"""A thread's draft as the frozen program that the models read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

from warplens.analysis.facts.program import BasicBlock, Branch, Instruction, Region, ThreadLoop
from warplens.analysis.workload.instructions.ilp import instruction_level_parallelism, load_depths
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftBranch, DraftLoop, DraftRegion
from warplens.analysis.workload.thread_program.unrolling import unroll_factor, unrolled


def finish(regions: list[DraftRegion], same: Mapping[int, int] | None = None) -> tuple[Region, ...]:
    """Frozen program; empty blocks are dropped. With `same` (registers that are one variable) loops are unrolled."""
    finished: list[Region] = []
    for region in regions:
        match region:
            case DraftBlock():
                if region.instructions:
                    finished.append(_finish_block(region))
            case DraftLoop():
                finished.append(_finish_loop(region, same))
            case DraftBranch():
                finished.append(
                    Branch(
                        region.statement,
                        region.divergent,
                        finish(region.then, same),
                        finish(region.otherwise, same),
                        region.then_share,
                        region.counted,
                        region.in_warps if region.divergent else None,
                    )
                )
    return tuple(finished)


def _finish_loop(loop: DraftLoop, same: Mapping[int, int] | None) -> ThreadLoop:
    body = finish(loop.body, same)
    factor = 1 if same is None else unroll_factor(loop)
    if same is None or factor == 1:
        return ThreadLoop(loop.loop, loop.trip_count, body)
    kept = [draft for draft in loop.body if not isinstance(draft, DraftBlock) or draft.instructions]
    copies = tuple(
        _unrolled(block, draft, loop, same, factor)
        for draft, block in zip(kept, body, strict=True)
        if isinstance(draft, DraftBlock) and isinstance(block, BasicBlock)
    )
    return ThreadLoop(loop.loop, loop.trip_count, copies, factor)


def _unrolled(
    block: BasicBlock, draft: DraftBlock, loop: DraftLoop, same: Mapping[int, int], factor: int
) -> BasicBlock:
    found = unrolled(draft, loop, same, factor)
    return replace(block, ilp=found.ilp, load_chain=found.load_chain)


def _finish_block(block: DraftBlock) -> BasicBlock:
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
    return BasicBlock(frozen, instruction_level_parallelism(frozen), chain)
