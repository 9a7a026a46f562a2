"""Loops with constant trip counts are unrolled whole: no control, addresses once, elements shared between outputs."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.facts.program import Instruction, Window, blocks

FactsOf = Callable[[str], NestFacts]


def convolution(
    facts_of: FactsOf, rows: str = "15", columns: str = "15", pitch: str = "4110", term: str = ""
) -> Kernel:
    (kernel,) = facts_of(
        "f(int n, int m, const float *restrict in, const float *restrict f, float *restrict out) {"
        " for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) { float s = 0;"
        f" for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++)"
        f" {term} s += in[(y + i) * {pitch} + x + j] * f[i * 15 + j]; out[y * n + x] = s; }} }}"
    ).kernels
    return kernel


def at_depth(kernel: Kernel, depth: int) -> list[str]:
    return [i.op for block, around in blocks(kernel.program) if len(around) == depth for i in block.instructions]


def load_of_input(kernel: Kernel) -> Instruction:
    array_of = {facts.access.id: facts.access.array for facts in kernel.accesses}
    every = (i for block, _ in blocks(kernel.program) for i in block.instructions if i.op == "load")
    return next(i for i in every if i.access is not None and array_of[i.access] == "in")


def test_nothing_is_left_of_the_loops_but_their_work(facts_of: FactsOf) -> None:
    kernel = convolution(facts_of)
    assert at_depth(kernel, 2) == ["load", "load", "fp32_fma"]
    assert at_depth(kernel, 1) == []
    assert at_depth(kernel, 0) == ["int_mad", "int_mad", "int_mad", "store"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ("15", ["The device compiler is assumed to unroll the loops over `i`, `j` whole, to 675 instructions."]),
        ("100", ["The device compiler is assumed to unroll the loop over `j` whole, to 45 instructions."]),
        ("m", ["The device compiler is assumed to unroll the loop over `j` whole, to 45 instructions."]),
    ],
)
def test_the_user_is_told_which_loops_are_unrolled_whole(facts_of: FactsOf, rows: str, said: list[str]) -> None:
    told = [a.text for a in convolution(facts_of, rows).assumptions if a.kind == "machine"]
    assert told == said


def test_an_address_in_rows_of_unknown_length_is_computed_per_row(facts_of: FactsOf) -> None:
    kernel = convolution(facts_of, pitch="m")
    assert at_depth(kernel, 1) == ["int_mad"]
    assert at_depth(kernel, 2) == ["load", "load", "fp32_fma"]


@pytest.mark.parametrize(
    ("rows", "columns", "term"),
    [("m", "m", ""), ("15", "m", ""), ("15", "15", "if (f[j] > 0)"), ("100", "100", "")],
    ids=["no constants", "inner loop not constant", "a branch inside", "too large"],
)
def test_other_loops_stay(facts_of: FactsOf, rows: str, columns: str, term: str) -> None:
    kernel = convolution(facts_of, rows, columns, term=term)
    assert {"compare", "branch"} <= set(at_depth(kernel, 1))
    assert load_of_input(kernel).windows == ()


def test_an_inner_loop_alone_is_unrolled_where_both_are_too_large(facts_of: FactsOf) -> None:
    kernel = convolution(facts_of, "100", "100")
    assert "branch" not in at_depth(kernel, 2)


@pytest.mark.parametrize("pitch", ["4110", "m"])
def test_outputs_along_rows_share_a_window(facts_of: FactsOf, pitch: str) -> None:
    kernel = convolution(facts_of, pitch=pitch)
    rows = kernel.thread_order[1]
    assert load_of_input(kernel).windows == (Window(rows, 15, 1, 1),)


def test_one_loaded_value_serves_all_outputs_along_rows(facts_of: FactsOf) -> None:
    """Columns are none, x, y, both: a sum for each output, the loaded value for each one along x only.

    Once: the indices of x and y, two addresses of two registers each, the filter's value; no counters of i and j.
    """
    assert (7, 1, 0, 1) in convolution(facts_of).live_by_axes


def test_nothing_is_shared_of_an_array_that_is_written(facts_of: FactsOf) -> None:
    (kernel,) = facts_of(
        "f(int n, float *restrict in, float *restrict out) { for (int y = 0; y < n; y++) for (int x = 0; x < n; x++) {"
        " float s = 0; for (int i = 0; i < 3; i++) s += in[(y + 2 * n + i) * n + x]; in[y * n + x] = s; } }"
    ).kernels
    assert load_of_input(kernel).windows == ()
