"""What a thread on a GPU runs where a CPU core runs another thing: integer division, halves of 64 bits, libraries."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop, blocks
from warplens.analysis.workload.instructions import integer_division
from warplens.analysis.workload.instructions.gpu_math import gpu_math_steps
from warplens.analysis.workload.instructions.ilp import longest_chain

FactsOf = Callable[[str], NestFacts]


def _counted(program: tuple[Region, ...]) -> Counter[str]:
    """Instructions of straight code, addresses and accesses left out."""
    return Counter(
        i.op for block, _ in blocks(program) for i in block.instructions if i.op not in {"load", "store", "atomic"}
    )


def _loop(facts: NestFacts) -> tuple[BasicBlock, ThreadLoop, BasicBlock]:
    before, loop, *_ = facts.kernels[0].program
    assert isinstance(before, BasicBlock)
    assert isinstance(loop, ThreadLoop)
    (body,) = loop.body
    assert isinstance(body, BasicBlock)
    return before, loop, body


def test_the_reciprocal_of_a_divisor_that_stays_is_computed_before_the_loop(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(int n, int m, int p, const int *restrict x, int *restrict y) {"
        " for (int j = 0; j < n; j++) { int s = 0; for (int k = 0; k < m; k++) s += x[k * n + j] % p; y[j] = s; } }"
    )
    before, _, body = _loop(facts)
    assert [i.op for i in before.instructions].count("fp32_special") == 1
    assert "fp32_special" not in {i.op for i in body.instructions}
    inside = [i.op for i in body.instructions]
    assert inside.count("int_mad") == 1 + 1  # the remainder, and the address
    assert inside.count("compare") == 3 + 1  # three corrections, the end of the loop
    assert _counted(facts.sequential)["int_div"] == 1


@pytest.mark.parametrize("expression", ["x[i] / y[i] + x[i] % y[i]", "x[i] % y[i] + x[i] / y[i]"])
def test_quotient_and_remainder_of_the_same_numbers_share_what_they_need(facts_of: FactsOf, expression: str) -> None:
    def division(written: str) -> int:
        facts = facts_of(
            "f(int n, const int *restrict x, const int *restrict y, int *restrict z)"
            f" {{ for (int i = 0; i < n; i++) z[i] = {written}; }}"
        )
        counted = _counted(facts.kernels[0].program)
        assert counted["fp32_special"] == 1
        return counted.total()

    assert division(expression) <= division("x[i] / y[i]") + 4
    addresses = 3
    assert division("x[i] / y[i]") - addresses == len(
        integer_division.SIGNED_RECIPROCAL + integer_division.SIGNED_QUOTIENT
    )


def test_a_division_of_64_bits_asks_whether_32_are_enough(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(long n, const long *restrict x, const long *restrict y, long *restrict z)"
        " { for (long i = 0; i < n; i++) z[i] = x[i] / y[i]; }"
    )
    counted = _counted(facts.kernels[0].program)
    assert (counted["int64_div"], counted["fp32_special"], counted["branch"]) == (0, 1, 1)


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [
        ("unsigned", "x[i] / 1000", {"int_mul": 1, "shift": 1}),
        ("int", "x[i] / 1000", {"int_mul": 1, "shift": 1, "int_add": 1}),
        ("int", "x[i] / 64", {"shift": 3}),
        ("unsigned", "x[i] % 64", {"logic": 1}),
    ],
)
def test_division_by_a_constant(facts_of: FactsOf, type_: str, expression: str, expected: dict[str, int]) -> None:
    facts = facts_of(
        f"f(int n, const {type_} *restrict x, {type_} *restrict z)"
        f" {{ for (int i = 0; i < n; i++) z[i] = {expression}; }}"
    )
    counted = _counted(facts.kernels[0].program)
    counted.pop("int_mad")
    assert counted == expected


def test_what_all_threads_compute_is_computed_by_each_but_for_integers(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(int n, int m, double a, double b, const double *restrict x, double *restrict y) {"
        " for (int i = 0; i < n; i++) y[i] = x[i] * (a / (b * b)) + (m * 3 + 1); }"
    )
    counted = _counted(facts.kernels[0].program)
    assert (counted["fp64_div"], counted["convert64"]) == (1, 1)
    assert counted["int_mul"] == counted["int_add"] == 0
    assert _counted(facts.sequential)["fp64_div"] == 0


@pytest.mark.parametrize(
    ("expression", "wide"),
    [
        ("1.0 / x[i]", False),
        ("sqrt(x[i])", False),
        ("0.1 + x[i]", True),
        ("x[i] * 2.0 + 1.0", True),
    ],
)
def test_one_operation_of_doubles_that_were_floats_is_one_of_floats(
    facts_of: FactsOf, expression: str, *, wide: bool
) -> None:
    facts = facts_of(
        "f(int n, const float *restrict x, float *restrict z)"
        f" {{ for (int i = 0; i < n; i++) z[i] = (float)({expression.replace('sqrt', '__builtin_sqrt')}); }}"
    )
    counted = _counted(facts.kernels[0].program)
    assert any(op.endswith("64") or op.startswith("fp64") for op in counted) == wide


def test_a_math_function_costs_what_the_library_has(facts_of: FactsOf) -> None:
    facts = facts_of(
        "f(int n, const double *restrict x, const double *restrict y, double *restrict z)"
        " { for (int i = 0; i < n; i++) z[i] = __builtin_pow(x[i], y[i]); }"
    )
    steps = gpu_math_steps("pow", is_double=True)
    assert steps is not None
    (block,) = facts.kernels[0].program
    assert isinstance(block, BasicBlock)
    assert len(block.instructions) == steps.total + 6  # three addresses, two loads, a store
    assert longest_chain(block.instructions) == steps.chain + 3
    assert any("nvcc 13" in assumption.text for assumption in facts.kernels[0].assumptions)


def test_levels_are_as_many_as_the_chain_and_in_order() -> None:
    steps = gpu_math_steps("__builtin_expf", is_double=False)
    assert steps is not None
    levels = [level for _, level in steps.levels()]
    assert levels == sorted(levels)
    assert set(levels) == set(range(steps.chain))


def test_what_both_sides_store_is_stored_once_behind_them(facts_of: FactsOf) -> None:
    source = (
        "f(int n, const float *restrict x, float *restrict y, float *restrict z) {"
        " for (int i = 0; i < n; i++) { if (x[i] > 0) { y[i] = x[i]; z[i] = 1; } else { y[i] = 0; } } }"
    )
    program = facts_of(source).kernels[0].program
    (branch,) = (region for region in program if isinstance(region, Branch))
    inside = [i.op for side in (branch.then, branch.otherwise) for block, _ in blocks(side) for i in block.instructions]
    assert inside.count("store") == 1
    (*_, last) = program
    assert isinstance(last, BasicBlock)
    assert [i.op for i in last.instructions] == ["store"]


def test_a_store_that_a_later_load_may_read_stays_on_its_side(facts_of: FactsOf) -> None:
    source = (
        "f(int n, int m, const float *restrict x, float *y) { for (int i = 0; i < n; i++) {"
        " if (x[i] > 0) { y[m] = x[i]; y[i] = 2; } else { y[m] = 0; y[i] = 1; } } }"
    )
    (loop,) = (region for region in facts_of(source).sequential if isinstance(region, ThreadLoop))
    (branch,) = (region for region in loop.body if isinstance(region, Branch))
    assert _stores(branch.then) == 2


def _stores(program: tuple[Region, ...]) -> int:
    return sum(i.op == "store" for block, _ in blocks(program) for i in block.instructions)


@pytest.mark.parametrize(("subscript", "is_shared"), [("j * m + k", True), ("k * n + j", False)])
def test_copies_of_an_unrolled_loop_share_an_address_that_moves_by_a_constant(
    facts_of: FactsOf, subscript: str, *, is_shared: bool
) -> None:
    facts = facts_of(
        "f(int n, int m, const float *restrict x, float *restrict y) {"
        f" for (int j = 0; j < n; j++) {{ float s = 0; for (int k = 0; k < m; k++) s += x[{subscript}]; y[j] = s; }} }}"
    )
    _, loop, body = _loop(facts) if len(facts.kernels[0].program) > 2 else (None, *_only_loop(facts))
    assert loop.unroll > 1
    (address,) = (i for i in body.instructions if i.op == "int_mad")
    assert (address.statement == loop.loop) == is_shared


def _only_loop(facts: NestFacts) -> tuple[ThreadLoop, BasicBlock]:
    (loop,) = (region for region in facts.kernels[0].program if isinstance(region, ThreadLoop))
    (body,) = loop.body
    assert isinstance(body, BasicBlock)
    return loop, body
