"""Which registers of a thread hold what data decides: loaded values, and what is computed from them."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.workload.thread_program.draft import DraftRegion, Value, draft_blocks

PASSES = 2
"""Through the program: what a loop carries round from its end to its start is known in the second one."""


def loaded_values(regions: list[DraftRegion], joined: Mapping[int, tuple[Value, ...]]) -> frozenset[int]:
    """Numbers of these registers; `joined` has the values that may be in a variable's register."""
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
