"""On-chip over off-chip instructions (Resios 6.3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from warplens.analysis.facts.program import BasicBlock, Instruction, Region, blocks
from warplens.analysis.ir.ids import NodeId


def on_and_off_chip(instructions: Sequence[Instruction], shared: Collection[NodeId] = ()) -> tuple[int, int]:
    """Count the block's on-chip and off-chip instructions; `shared` are the accesses served from shared memory.

    An instruction is on-chip if each of its arguments is a register written by a computation or comes from shared
    memory: a global load or store, which uses an input or output of the kernel, is off-chip, and so is an instruction
    that uses a value a global load has just brought.

    Source: Resios, algorithm 6.3. Its listing as printed also puts the results of computations off-chip (the `else`
    of the test for loads and stores), against the definition in its text and with nothing on-chip after the first
    load; the text is followed.
    """
    off: set[int] = set()
    on_chip = off_chip = 0
    for index, instruction in enumerate(instructions):
        uses_global = instruction.access is not None and instruction.access not in shared
        if uses_global or any(operand in off for operand in instruction.operands):
            off_chip += 1
        else:
            on_chip += 1
        if uses_global:
            off.add(index)
    return on_chip, off_chip


def arithmetic_intensity(blocks_: Sequence[BasicBlock], shared: Collection[NodeId] = ()) -> Fraction:
    """Ratio over several blocks, weighted by nothing; n itself when no instruction is off-chip."""
    counts = [on_and_off_chip(block.instructions, shared) for block in blocks_]
    on_chip, off_chip = sum(on for on, _ in counts), sum(off for _, off in counts)
    return Fraction(on_chip, max(off_chip, 1))


def innermost_blocks(program: tuple[Region, ...]) -> tuple[BasicBlock, ...]:
    """Blocks inside the most loops: where a thread spends its time."""
    found = [(len(around), block) for block, around in blocks(program)]
    deepest = max((depth for depth, _ in found), default=0)
    return tuple(block for depth, block in found if depth == deepest)
