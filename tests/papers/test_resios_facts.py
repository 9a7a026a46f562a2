"""Worked numbers of Resios' thesis, chapter 6: ILP, arithmetic intensity, spills."""

from __future__ import annotations

from fractions import Fraction

import pytest
from warplens.analysis.facts.program import BasicBlock, Instruction, MemoryOp, OpClass
from warplens.analysis.ir.ids import NodeId
from warplens.analysis.workload.instructions.arithmetic_intensity import arithmetic_intensity, on_and_off_chip
from warplens.analysis.workload.instructions.ilp import instruction_level_parallelism
from warplens.analysis.workload.registers.spills import spills

STATEMENT = NodeId(0)


def compute(op: OpClass, *operands: int) -> Instruction:
    return Instruction(op, operands, STATEMENT)


def memory(op: MemoryOp, access: int, *operands: int) -> Instruction:
    return Instruction(op, operands, STATEMENT, NodeId(access))


@pytest.mark.parametrize(
    ("instructions", "expected"),
    [
        pytest.param(
            [compute("fp32_add"), compute("fp32_add"), compute("fp32_mul", 0, 1)],
            Fraction(3, 2),
            id="section 6.2 listing",
        ),
        pytest.param([compute("fp32_fma"), compute("fp32_fma", 0), compute("fp32_fma", 1)], Fraction(1), id="chain"),
        pytest.param([compute("fp32_add")] * 4, Fraction(4), id="independent"),
        pytest.param([], Fraction(1), id="empty"),
    ],
)
def test_equation_6_1(instructions: list[Instruction], expected: Fraction) -> None:
    assert instruction_level_parallelism(instructions) == expected


def test_algorithm_6_3_counts_users_of_loaded_values_as_off_chip() -> None:
    """c[i] = a[i] * b[i] + x*y: two loads, the product of loaded values and the store are off-chip."""
    block = [
        memory("load", 1),
        memory("load", 2),
        compute("fp32_mul", 0, 1),
        compute("fp32_mul"),
        compute("fp32_add", 2, 3),
        memory("store", 3, 4),
    ]
    assert on_and_off_chip(block) == (2, 4)
    assert arithmetic_intensity([BasicBlock(tuple(block), Fraction(1))]) == Fraction(1, 2)


def test_algorithm_6_3_starts_with_shared_memory_on_chip() -> None:
    block = [memory("load", 1), memory("load", 2), compute("fp32_mul", 0, 1), memory("store", 3, 2)]
    assert on_and_off_chip(block, shared={NodeId(1), NodeId(2)}) == (3, 1)
    assert on_and_off_chip(block, shared={NodeId(1)}) == (1, 3)


def test_algorithm_6_3_sums_blocks_unweighted_and_never_divides_by_zero() -> None:
    arithmetic = BasicBlock((compute("fp32_add"), compute("fp32_mul", 0)), Fraction(1))
    moving = BasicBlock((memory("load", 1),), Fraction(1))
    assert arithmetic_intensity([arithmetic, moving]) == 2
    assert arithmetic_intensity([arithmetic]) == 2


def test_algorithm_6_4_evicts_the_furthest_use_and_stores_it_once() -> None:
    """Three registers, values 0..3: at the definition of 3 the value used last (0) is stored, and reloaded later."""
    program = [(~0,), (~1,), (~2,), (~3,), (1, 2), (3, ~4), (4, 0)]
    assert spills(program, 4) == (0, 0)
    assert spills(program, 3) == (1, 1)


def test_algorithm_6_4_stores_a_value_only_at_its_first_eviction() -> None:
    """Value 0 is read again and again between definitions that push it out: one store, two reloads."""
    program = [(~0,), (~1,), (~2,), (1, 2), (0,), (~3,), (~4,), (3, 4), (0,)]
    assert spills(program, 2) == (1, 2)


def test_algorithm_6_4_never_stores_a_dead_value() -> None:
    program = [(~0,), (~1,), (~2,), (~3,)]
    assert spills(program, 1) == (0, 0)
