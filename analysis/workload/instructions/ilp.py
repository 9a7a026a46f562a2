"""How many instructions of a basic block could run at the same time."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction

from warplens.analysis.facts.program import Instruction, OpClass

SLOW_PATHS: frozenset[OpClass] = frozenset(("fp32_div", "fp32_sqrt", "fp64_div", "fp64_sqrt", "int64_div"))
"""Operations with a branch for rare operands (denormal numbers, say), over which a GPU's compiler moves nothing."""


def longest_chain(instructions: Sequence[Instruction], cuts: Collection[OpClass] = ()) -> int:
    """Instructions on the longest path of the data-flow graph; operands come first, so one pass finds it.

    What comes after an operation of `cuts` waits for it.
    """
    lengths: list[int] = []
    cut = 0
    for instruction in instructions:
        lengths.append(1 + max(cut, *(lengths[operand] for operand in instruction.operands), 0))
        if instruction.op in cuts:
            cut = lengths[-1]
    return max(lengths, default=0)


def instruction_level_parallelism(instructions: Sequence[Instruction], cuts: Collection[OpClass] = ()) -> Fraction:
    """Instructions that could run at the same time: their number over the longest dependence chain, at least 1.

    Equation: ILP = n / p. Source: Resios 6.2, eq. 6.1. Assumes that every instruction takes the same time.
    Not modelled: the hardware's ability to extract it.

    >>> from warplens.analysis.ir.ids import NodeId
    >>> add, mul = (Instruction(op, (), NodeId(0)) for op in ("fp32_add", "fp32_mul"))
    >>> str(instruction_level_parallelism([add, add, Instruction("fp32_mul", (0, 1), NodeId(0))]))
    '3/2'
    """
    chain = longest_chain(instructions, cuts)
    return Fraction(len(instructions), chain) if chain else Fraction(1)


def load_depths(instructions: Sequence[Instruction]) -> tuple[int, ...]:
    """Of each instruction, the loads on the longest path that leads to it, itself included; atomics are loads too."""
    depths: list[int] = []
    for instruction in instructions:
        before = max((depths[operand] for operand in instruction.operands), default=0)
        depths.append(before + (instruction.op in {"load", "atomic"}))
    return tuple(depths)
