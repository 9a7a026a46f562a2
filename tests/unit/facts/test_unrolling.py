"""Innermost loops are unrolled by their length: control once in as many iterations, the ILP of the unrolled body."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import BasicBlock, Region, ThreadLoop

FactsOf = Callable[[str], NestFacts]


def _innermost(program: tuple[Region, ...]) -> ThreadLoop:
    loop = next(region for region in program if isinstance(region, ThreadLoop))
    inner = [region for region in loop.body if isinstance(region, ThreadLoop)]
    return _innermost(loop.body) if inner else loop


def _block(loop: ThreadLoop) -> BasicBlock:
    (block,) = loop.body
    assert isinstance(block, BasicBlock)
    return block


@pytest.mark.parametrize(("end", "factor"), [("m", 16), ("100", 16), ("16", 16), ("15", 15), ("3", 3), ("1", 1)])
def test_factor_is_that_of_short_bodies_or_the_constant_trip_count(facts_of: FactsOf, end: str, factor: int) -> None:
    facts = facts_of(
        "f(int n, int m, const float *restrict x, float *restrict y) {"
        " for (int i = 0; i < n; i++) { float s = 0;"
        f" for (int k = 0; k < {end}; k++) s += x[k * n + i]; y[i] = s; }} }}"
    )
    assert _innermost(facts.kernels[0].program).unroll == factor


@pytest.mark.parametrize("terms", range(1, 30))
def test_longer_bodies_are_unrolled_less(facts_of: FactsOf, terms: int) -> None:
    """16 times up to 10 instructions, 4 times up to 32, twice up to 64, not at all beyond."""
    sums = "".join(f"s{each} += x[k * n + i] * y[{each} * n + k]; " for each in range(terms))
    facts = facts_of(
        "f(int n, int m, const float *restrict x, const float *restrict y, float *restrict z) {"
        f" for (int i = 0; i < n; i++) {{ float {', '.join(f's{each} = 0' for each in range(terms))};"
        f" for (int k = 0; k < m; k++) {{ {sums} }} z[i] = {' + '.join(f's{each}' for each in range(terms))}; }} }}"
    )
    # An address and a load of x; of each term those of y and the sum.
    length = 2 + 3 * terms
    expected = 16 if length <= 10 else 4 if length <= 32 else 2 if length <= 64 else 1
    assert _innermost(facts.kernels[0].program).unroll == expected


def test_loads_of_the_copies_overlap_and_the_sum_is_a_chain(facts_of: FactsOf) -> None:
    # address, load, add: in 16 copies 16 x 3 instructions and 3 of control; the chain is address, load, 16 adds.
    facts = facts_of(
        "f(int n, int m, const float *restrict x, float *restrict y) {"
        " for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += x[k * n + i]; y[i] = s; } }"
    )
    block = _block(_innermost(facts.kernels[0].program))
    assert [instruction.op for instruction in block.instructions] == [
        "int_mad", "load", "fp32_add", "int_add", "compare", "branch",
    ]  # fmt: skip
    assert block.ilp == Fraction(16 * 3 + 3, 2 + 16)
    assert block.load_chain == Fraction(1, 16)


def test_loads_wait_for_the_store_of_the_copy_before(facts_of: FactsOf) -> None:
    # address, load, multiply, store, one copy after the other.
    facts = facts_of(
        "f(int n, int m, float *a) {"
        " for (int i = 0; i < n; i++) for (int k = 1; k < m; k++) a[k * n + i] = a[(k - 1) * n + i] * 0.5f; }"
    )
    block = _block(_innermost(facts.kernels[0].program))
    assert sum(instruction.op == "load" for instruction in block.instructions) == 1
    ops = len(block.instructions) - 3
    chain = 2 + 3 * 16 - 1
    assert block.ilp == Fraction(16 * ops + 3, chain)
    assert block.load_chain == 1


def test_a_loop_with_a_branch_or_a_loop_inside_is_not_unrolled(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(int n, int m, const float *restrict x, float *restrict y) { for (int i = 0; i < n; i++) { float s = 0;"
        " for (int k = 0; k < m; k++) if (x[k * n + i] > 0) s += x[k * n + i]; y[i] = s; } }"
    )
    assert _innermost(facts.kernels[0].program).unroll == 1


def test_the_program_of_a_core_is_not_unrolled(facts_of: FactsOf) -> None:
    facts = facts_of("f(int n, float *restrict y) { for (int i = 0; i < n; i++) y[i] = 1; }")
    assert _innermost(facts.sequential).unroll == 1


def test_a_loop_whose_statements_need_no_instruction_is_unrolled_to_nothing(facts_of: FactsOf) -> None:
    # The store goes to the same element in every iteration and is made behind the loop.
    facts = facts_of(
        "f(int n, int s, int *restrict a) {"
        " for (int i = 0; i < n; i++) { int u; for (int k = 0; k < 9; k++) { u = s; a[i + 1] = u; } } }"
    )
    assert [loop.body for loop in facts.kernels[0].program if isinstance(loop, ThreadLoop)] == [()]
