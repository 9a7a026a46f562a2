"""What the spill computation accepts beyond SSA code."""

from __future__ import annotations

from warplens.analysis.workload.registers.spills import spills


def test_a_value_read_before_any_write_starts_in_a_register() -> None:
    assert spills([(0, 1, ~2), (0, 2, ~3), (3,)], 4) == (0, 0)


def test_values_beyond_the_registers_start_in_memory() -> None:
    assert spills([(0,), (1,), (2,)], 1) == (0, 2)


def test_a_redefined_accumulator_is_stored_again() -> None:
    """The accumulator 0 is dirty after each update, so both of its evictions store it."""
    pushed_out = [(~1,), (~2,), (1, 2)]
    program = [(~0,), *pushed_out, (0, ~0), *pushed_out, (0,)]
    assert spills(program, 2) == (2, 2)
    assert spills(program, 3) == (0, 0)


def test_no_instructions_need_nothing() -> None:
    assert spills([], 8) == (0, 0)


def test_an_instruction_with_more_operands_than_registers_is_still_counted() -> None:
    stores, reloads = spills([(~0,), (~1,), (~2,), (0, 1, 2)], 2)
    assert stores == reloads == 1
