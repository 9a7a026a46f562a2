"""What one thread does: hoisting, registers for accumulators, fused multiply-adds, types."""

from __future__ import annotations

from fractions import Fraction

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import BasicBlock, Branch, Region, ThreadLoop
from warplens.analysis.workload.registers.spills import spills


def ops(region: Region) -> list[str]:
    assert isinstance(region, BasicBlock)
    return [instruction.op for instruction in region.instructions]


def only_kernel(facts: NestFacts):
    (kernel,) = facts.kernels
    return kernel


LINEAR_GEMM = """gemm(int n, const float *restrict a, const float *restrict b, float *restrict c) {
    for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {
        c[i*n+j] = 0;
        for (int k = 0; k < n; k++) c[i*n+j] += a[i*n+k] * b[k*n+j];
    } }"""


def test_matrix_product_accumulates_in_a_register(facts_of) -> None:
    """The loop over k has two loads, one multiply-add and no access to c; c is stored behind it."""
    before, loop, after = only_kernel(facts_of(LINEAR_GEMM)).program
    assert ops(before) == ["int_mad", "store"]
    assert isinstance(loop, ThreadLoop)
    assert ops(loop.body[0]) == [
        "int_mad", "load", "int_mad", "load", "fp32_fma", "int_add", "compare", "branch",
    ]  # fmt: skip
    assert ops(after) == ["store"]


def test_executions_follow_the_program(facts_of) -> None:
    kernel = only_kernel(facts_of(LINEAR_GEMM))
    times = [(a.access.array, a.executions_per_thread.evaluate({"n": 64})) for a in kernel.accesses]
    assert times == [("c", 1), ("a", 64), ("b", 64), ("c", 1)]


def test_a_store_that_may_hit_the_element_keeps_it_in_memory(facts_of) -> None:
    facts = facts_of(
        "f(int n, int m, float a[100], float c[100]) { for (int i = 0; i < n; i++) { c[m] += a[i]; c[i] = a[i]; } }"
    )
    loop = facts.sequential[-1]
    assert isinstance(loop, ThreadLoop)
    assert ops(loop.body[0]).count("store") == 2


def test_a_load_at_a_different_constant_offset_is_still_hoisted(facts_of) -> None:
    """Row 0 is read, row 1 is written: the subscripts differ by a constant."""
    facts = facts_of("f(int n, float a[2][100], float x[1]) { for (int i = 0; i < n; i++) a[1][i] = a[0][5]; }")
    before, loop = facts.sequential
    assert ops(before) == ["load"]
    assert isinstance(loop, ThreadLoop)
    assert "load" not in ops(loop.body[0])


def test_neighbours_share_one_address(facts_of) -> None:
    kernel = only_kernel(
        facts_of(
            "f(int n, const float *restrict a, float *restrict b)"
            " { for (int i = 1; i < n; i++) b[i] = a[i-1] + a[i] + a[i+1]; }"
        )
    )
    assert ops(kernel.program[0]).count("int_mad") == 2
    assert ops(kernel.program[0]).count("load") == 3


def test_a_repeated_load_is_made_once_unless_a_store_may_have_changed_it(facts_of) -> None:
    once = facts_of(
        "f(int n, const float *restrict a, float *restrict b)"
        " { for (int i = 0; i < n; i++) { b[i] = a[i] * 2; b[i + n] = a[i] * 3; } }"
    )
    assert [a.executions_per_thread.evaluate({"n": 8}) for a in only_kernel(once).accesses if a.is_read] == [1, 0]
    again = facts_of(
        "f(int n, const int *restrict idx, float *restrict a, float *restrict s) { for (int i = 0; i < n; i++)"
        " { s[i] = a[i]; a[idx[i]] = 0; s[i] = s[i] + a[i]; } }"
    )
    (loop,) = again.sequential
    assert isinstance(loop, ThreadLoop)
    assert ops(loop.body[0]).count("load") == 3


def test_products_used_twice_are_not_fused(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, float *restrict b, float *restrict c)"
        " { for (int i = 0; i < n; i++) { float p = a[i] * a[i]; b[i] = p + 1.0f; c[i] = p + 2.0f; } }"
    )
    block = ops(only_kernel(facts).program[0])
    assert (block.count("fp32_mul"), block.count("fp32_add"), block.count("fp32_fma")) == (1, 2, 0)


@pytest.mark.parametrize(
    ("type_", "expression", "expected"),
    [
        ("float", "x[i] + y[i]", "fp32_add"),
        ("double", "x[i] - y[i]", "fp64_add"),
        ("double", "x[i] / y[i]", "fp64_div"),
        ("float", "x[i] / 2.0f", "fp32_mul"),
        ("float", "x[i] / 3.0f", "fp32_div"),
        ("unsigned", "x[i] / 8", "shift"),
        ("double", "x[i] < y[i]", "compare64"),
        ("long", "x[i] & y[i]", "logic64"),
        ("long", "x[i] & 7", "logic"),
        ("int", "x[i] & y[i] | 1", "logic"),
        ("unsigned", "x[i] % 8", "logic"),
        ("long", "x[i] * y[i]", "int64_mul"),
        ("int", "x[i] * 4", "shift"),
        ("int", "x[i] & y[i]", "logic"),
        ("int", "x[i] < y[i]", "compare"),
        ("float", "x[i] < y[i] ? x[i] : y[i]", "compare"),
    ],
)
def test_operators_by_type(facts_of, type_: str, expression: str, expected: str) -> None:
    facts = facts_of(
        f"f(int n, const {type_} *restrict x, const {type_} *restrict y, {type_} *restrict z)"
        f" {{ for (int i = 0; i < n; i++) z[i] = {expression}; }}"
    )
    beside = {"load", "store", "int_mad", "convert64"}
    arithmetic = [op for op in ops(only_kernel(facts).program[0]) if op not in beside]
    assert arithmetic == [expected]


def test_conversions_cost_one_instruction(facts_of) -> None:
    facts = facts_of("f(int n, const int *restrict x, double *restrict z) { for (int i = 0; i < n; i++) z[i] = x[i]; }")
    assert ops(only_kernel(facts).program[0]).count("convert64") == 1
    (loop,) = facts.sequential
    assert isinstance(loop, ThreadLoop)
    assert ops(loop.body[0]).count("convert") == 1


def test_a_math_function_is_expanded_and_its_cost_shown_as_assumed(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict x, float *restrict z)"
        " { for (int i = 0; i < n; i++) z[i] = __builtin_expf(x[i]); }"
    )
    assert "fp32_special" in ops(only_kernel(facts).program[0])
    assert any(a.kind == "call" and "estimate" in a.text for a in facts.assumptions)


def test_updates_of_gathered_elements_by_many_threads_are_atomic(facts_of) -> None:
    facts = facts_of("f(int n, const int *restrict p, int *restrict h) { for (int i = 0; i < n; i++) h[p[i]] += 1; }")
    kernel = only_kernel(facts)
    assert ops(kernel.program[0]) == ["int_mad", "load", "int_mad", "atomic"]


def test_a_branch_on_data_diverges_and_is_taken_half_the_time(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, float *restrict b) { for (int i = 0; i < n; i++) if (a[i] > 0) b[i] = 1; }"
    )
    branch = only_kernel(facts).program[1]
    assert isinstance(branch, Branch)
    assert (branch.divergent, branch.then_share) == (True, Fraction(1, 2))
    assert any(a.text == "`if (a[i] > 0.0)` is assumed to hold half the time." for a in facts.assumptions)


def test_what_calls_may_do_is_no_condition_of_the_source(facts_of) -> None:
    body = "if (solve(i, &status)) y[i] = 1; if (step(i) && (i < n / 2 || x[i] > 0)) y[i] = 2;"
    facts = facts_of(
        "int solve(int, int *); int step(int);\n"
        "int f(int n, const double *restrict x, double *restrict y)\n"
        f"{{ int status = 0; for (int i = 0; i < n; i++) {{ {body} }} return status; }}"
    )
    assert {a.text for a in facts.assumptions if "half the time" in a.text} == {
        "`solve` is assumed to change half the time what it may change.",
        (
            "Of `if (step(…) && ((i < (n / 2)) || (x[i] > 0.0)))`, "
            "`step(…)` and `x[i] > 0.0` are assumed to hold half the time."
        ),
    }


@pytest.mark.parametrize(
    ("condition", "divergent", "share"),
    [
        ("j > 0 && j < n - 1", True, 1),
        ("i > 0", False, 1),
        ("m > 3", False, Fraction(1, 2)),
        ("j < 16", True, 0),
    ],
)
def test_guards_of_iterators(facts_of, condition: str, divergent: bool, share: Fraction) -> None:
    """x runs along j, so threads of one warp agree on i."""
    facts = facts_of(
        "f(int n, int m, float a[512][512]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        f" if ({condition}) a[i][j] = 1; }}"
    )
    (branch,) = (region for region in only_kernel(facts).program if isinstance(region, Branch))
    assert (branch.divergent, branch.then_share) == (divergent, share)


def test_a_guard_of_a_constant_range_is_counted(facts_of) -> None:
    facts = facts_of("f(float a[64]) { for (int i = 0; i < 64; i++) if (i < 16) a[i] = 1; }")
    (branch,) = (region for region in only_kernel(facts).program if isinstance(region, Branch))
    assert branch.then_share == Fraction(1, 4)


def test_register_pressure_grows_with_accumulators(facts_of) -> None:
    def pressure(accumulators: int) -> int:
        declared = "".join(f"double s{k} = 0;" for k in range(accumulators))
        updated = "".join(f"s{k} += x[j] * {k + 2}.5;" for k in range(accumulators))
        total = " + ".join(f"s{k}" for k in range(accumulators))
        facts = facts_of(
            "f(int n, const double *restrict x, double *restrict y) { for (int i = 0; i < n; i++) {"
            f"{declared} for (int j = 0; j < n; j++) {{ {updated} }} y[i] = {total}; }} }}"
        )
        return only_kernel(facts).register_pressure

    assert pressure(20) - pressure(10) == 20  # a double takes two registers


def test_a_very_deep_expression_is_no_problem(facts_of) -> None:
    terms = " + ".join(["a[i]"] * 150)
    facts = facts_of(
        f"f(int n, const float *restrict a, float *restrict b) {{ for (int i = 0; i < n; i++) b[i] = {terms}; }}"
    )
    assert ops(only_kernel(facts).program[0]).count("fp32_add") == 149


def test_a_side_that_leaves_the_loop_is_not_counted(facts_of) -> None:
    facts = facts_of(
        "f(int n, float *restrict a) { for (int i = 0; i < n; i++) { if (a[i] > 4) break; a[i] = a[i] * 2; } }"
    )
    (loop,) = facts.sequential
    assert isinstance(loop, ThreadLoop)
    (branch,) = (region for region in loop.body if isinstance(region, Branch))
    assert branch.then_share == 0
    assert not any(a.subject == "branch" for a in facts.assumptions)


def test_a_body_with_more_accumulators_than_registers_spills(facts_of) -> None:
    """Sixty-four doubles are 128 registers: they fit in 255 but not in 63."""
    declared = "".join(f"double s{k} = 0;" for k in range(64))
    updated = "".join(f"s{k} += x[j] * {k + 2}.5;" for k in range(64))
    total = " + ".join(f"s{k}" for k in range(64))
    facts = facts_of(
        "f(int n, const double *restrict x, double *restrict y) { for (int i = 0; i < n; i++) {"
        f"{declared} for (int j = 0; j < n; j++) {{ {updated} }} y[i] = {total}; }} }}"
    )
    kernel = only_kernel(facts)
    assert 128 <= kernel.register_pressure < 160
    assert spills(kernel.live_values, 255) == (0, 0)
    stores, reloads = spills(kernel.live_values, 63)
    assert stores >= 128 - 63
    assert reloads >= 128 - 63


@pytest.mark.parametrize(
    ("product", "op"),
    [
        ("k * p", "int_add"),
        ("p * k", "int_add"),
        ("k * k", "int_mad"),
        ("k * t[k]", "int_mad"),
        ("k * t[j]", "int_add"),
    ],
)
def test_a_counter_times_what_its_loop_leaves_alone_is_added_to(facts_of, product: str, op: str) -> None:
    facts = facts_of(
        "f(int n, int m, int p, const int *restrict t, const float *restrict x, float *restrict y) {"
        " for (int j = 0; j < n; j++) { float s = 0;"
        f" for (int k = 0; k < m; k++) s += x[t[j] + {product}]; y[j] = s; }} }}"
    )
    (loop,) = (region for region in only_kernel(facts).program if isinstance(region, ThreadLoop))
    (body,) = loop.body
    assert isinstance(body, BasicBlock)
    addresses = {i.operands[-1] for i in body.instructions if i.op == "load"}
    arithmetic = [i.op for at, i in enumerate(body.instructions) if at not in addresses and i.statement != loop.loop]
    found = [each for each in arithmetic if each.startswith("int")]
    assert found == [op]  # with the sum, which is one instruction with a product or another sum
