"""What the device compiler gains by unrolling an innermost loop in part: less control, and iterations that overlap.

Assumes: straight-line innermost loops are unrolled `UNROLL_FACTOR` times, also where the trip count is not known, and
the loads of the copies are issued together unless the loop stores. LLVM's NVPTX back end turns partial and runtime
unrolling on (NVPTXTargetTransformInfo.cpp, getUnrollingPreferences); the factor is assumed.
Of a loop that is unrolled whole (whole_unrolling.py) as many iterations overlap: more loads together need registers.
Not modelled: that long bodies are unrolled less, address arithmetic that the copies of a part share.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from warplens.analysis.ir.formula import Formula
from warplens.analysis.workload.thread_program.draft import DraftBlock, DraftInstruction, DraftLoop

UNROLL_FACTOR = 4


def unroll_factor(loop: DraftLoop) -> int:
    """Copies of the body that run between two tests for the end: 1 where there is a loop, branch or call inside.

    A constant trip count that is smaller is the factor itself.
    """
    match loop.body:
        case [DraftBlock() as block] if all(_is_control(i, loop) or i.op != "branch" for i in block.instructions):
            return max(1, min(UNROLL_FACTOR, _constant(loop.trip_count)))
    return 1


def unrolled_ilp(block: DraftBlock, loop: DraftLoop, same: Mapping[int, int], factor: int) -> Fraction:
    """Instruction-level parallelism of `factor` copies of a loop's body (Resios eq. 6.1 on the unrolled block).

    A copy waits for the one before where it reads what that one carries on, and its loads wait where that one stores.
    """
    carried = {_register(value.number, same) for value in loop.entering}
    control = sum(_is_control(instruction, loop) for instruction in block.instructions)
    levels: dict[int, int] = {}
    entering: dict[int, int] = {}
    stored = longest = 0
    for _ in range(factor):
        leaving = dict(entering)
        last_store = stored
        for instruction in block.instructions:
            if _is_control(instruction, loop):
                continue
            waits = [levels.get(o.number, entering.get(_register(o.number, same), 0)) for o in instruction.operands]
            level = 1 + max(waits, default=0)
            if instruction.op in {"load", "atomic"}:
                level = max(level, 1 + last_store)
            elif instruction.op == "store":
                stored = max(stored, level)
            longest = max(longest, level)
            if instruction.result is not None:
                levels[instruction.result.number] = level
                register = _register(instruction.result.number, same)
                if register in carried:
                    leaving[register] = level
        entering = leaving
        levels.clear()
    total = factor * (len(block.instructions) - control) + control
    return max(Fraction(1), Fraction(total, max(1, longest, control)))


def _is_control(instruction: DraftInstruction, loop: DraftLoop) -> bool:
    """Counter, test and jump of the loop itself."""
    return instruction.statement == loop.loop


def _register(number: int, same: Mapping[int, int]) -> int:
    while number in same:
        number = same[number]
    return number


def _constant(trip_count: Formula) -> int:
    return UNROLL_FACTOR if trip_count.value is None else int(trip_count.value)
