"""Which loops of a thread run as often as data decides: a warp waits for its thread that runs most."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.ir.symbol import kind_of
from warplens.analysis.workload.thread_program.draft import (
    DraftBranch,
    DraftLoop,
    DraftRegion,
    Value,
    draft_blocks,
)

PASSES = 2
"""Through the program: what a loop carries round from its end to its start is known in the second one."""


def mark_uneven(regions: list[DraftRegion], joined: Mapping[int, tuple[Value, ...]]) -> None:
    """Mark these loops; `joined` has the values that may be in a variable's register."""
    _mark(regions, loaded_values(regions, joined))


def loaded_values(regions: list[DraftRegion], joined: Mapping[int, tuple[Value, ...]]) -> frozenset[int]:
    """Numbers of the registers that hold what data decides: loaded values, and what is computed from them."""
    loaded: set[int] = set()
    for _ in range(PASSES):
        for block in draft_blocks(regions):
            for instruction in block.instructions:
                if instruction.result is None:
                    continue
                if instruction.op == "load" or any(value.number in loaded for value in instruction.operands):
                    loaded.add(instruction.result.number)
        loaded.update(number for number, values in joined.items() if any(value.number in loaded for value in values))
    return frozenset(loaded)


def _mark(regions: list[DraftRegion], loaded: frozenset[int]) -> None:
    for region in regions:
        match region:
            case DraftLoop():
                counted_by_data = any(kind_of(name) == "phrase" for name in region.trip_count.parameters)
                disagree = any(value.varies and value.number in loaded for value in region.control)
                region.is_uneven = counted_by_data and disagree
                _mark(region.body, loaded)
            case DraftBranch():
                _mark(region.then, loaded)
                _mark(region.otherwise, loaded)
