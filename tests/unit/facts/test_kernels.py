"""Which loops become the grid, in which order, and how often a kernel is launched."""

from __future__ import annotations

import pytest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.facts.program import ThreadLoop
from warplens.analysis.ports.directives.refusal import distributed_loops


def grids(facts: NestFacts) -> list[list[str]]:
    return [[loop.iterator for loop in kernel.grid] for kernel in facts.kernels]


def x_iterators(facts: NestFacts) -> list[str]:
    return [
        next(loop.iterator for loop in kernel.grid if loop.loop == kernel.thread_order[0]) for kernel in facts.kernels
    ]


def test_the_reduction_of_a_matrix_product_stays_in_the_thread(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, const float *restrict b, float *restrict c) { for (int i = 0; i < n; i++)"
        " for (int j = 0; j < n; j++) { float s = 0; for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j];"
        " c[i*n+j] = s; } }"
    )
    assert grids(facts) == [["i", "j"]]
    assert x_iterators(facts) == ["j"]


def test_a_dot_product_has_its_reduction_as_the_grid(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict x, const float *restrict y, float *out)"
        " { float s = 0; for (int i = 0; i < n; i++) s += x[i] * y[i]; *out = s; }"
    )
    assert grids(facts) == [["i"]]
    assert [r.variable for r in facts.kernels[0].reductions] == ["s"]
    assert any(a.kind == "machine" and a.subject == "s" for a in facts.assumptions)


def test_a_reduction_outside_parallel_loops_moves_into_the_thread(facts_of) -> None:
    facts = facts_of(
        "f(int n, const float *restrict a, const float *restrict b, float *restrict c) { for (int k = 0; k < n; k++)"
        " for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] += a[i*n+k] * b[k*n+j]; }"
    )
    (kernel,) = facts.kernels
    assert grids(facts) == [["i", "j"]]
    assert kernel.launches.evaluate({"n": 7}) == 1
    assert any(isinstance(region, ThreadLoop) for region in kernel.program)
    assert [a.subject for a in kernel.assumptions if "moved inside" in a.text] == ["k"]


def test_a_time_loop_launches_each_of_its_kernels_every_step(facts_of) -> None:
    facts = facts_of(
        "f(int t, int n, float *restrict a, float *restrict b) { for (int s = 0; s < t; s++) {"
        " for (int i = 1; i < n - 1; i++) b[i] = a[i-1] + a[i+1]; for (int i = 1; i < n - 1; i++) a[i] = b[i]; } }"
    )
    assert grids(facts) == [["i"], ["i"]]
    assert [kernel.launches.evaluate({"t": 5, "n": 9}) for kernel in facts.kernels] == [5, 5]
    assert not any(a.kind == "context" for a in facts.assumptions)


def test_elimination_launches_triangles_with_their_exact_total(facts_of) -> None:
    facts = facts_of(
        "f(int n, float a[64][64]) { for (int k = 0; k < n; k++) for (int i = k + 1; i < n; i++)"
        " for (int j = k + 1; j < n; j++) a[i][j] -= a[i][k] * a[k][j]; }"
    )
    (kernel,) = facts.kernels
    total = kernel.launches
    for loop in kernel.grid:
        total = total * loop.trip_count
    assert grids(facts) == [["i", "j"]]
    assert total.evaluate({"n": 12}) == sum(m * m for m in range(12))


def test_statements_beside_kernels_run_on_the_host_and_are_shown(facts_of) -> None:
    facts = facts_of(
        "f(int t, int n, float *restrict a, float *restrict log) { float x = 0; for (int s = 0; s < t; s++) {"
        " x = x * 0.5f + 1; log[s] = x; for (int i = 0; i < n; i++) a[i] = a[i] + x; } }"
    )
    assert grids(facts) == [["i"]]
    assert any(a.kind == "context" and "host" in a.text for a in facts.assumptions)


def test_more_than_three_parallel_loops_keep_the_contiguous_one(facts_of) -> None:
    facts = facts_of(
        "f(int n, float a[8][8][8][8]) { for (int i = 0; i < n; i++) for (int j = 0; j < n; j++)"
        " for (int k = 0; k < n; k++) for (int l = 0; l < n; l++) a[i][j][k][l] = 1; }"
    )
    assert grids(facts) == [["i", "j", "l"]]
    assert x_iterators(facts) == ["l"]


def test_of_four_parallel_loops_the_short_one_stays_in_the_thread_and_a_directive_has_all(facts_of) -> None:
    facts = facts_of(
        """void f(int n, float a[2][n][2][n], const float b[2][n][2][n]) {
            for (int s = 0; s < 2; s++) for (int i = 0; i < n; i++) for (int t = 0; t < 2; t++)
                for (int j = 0; j < n; j++) a[s][i][t][j] = b[s][i][t][j]; }"""
    )
    assert grids(facts) == [["s", "i", "j"]]
    loops = distributed_loops(facts, facts.kernels[0])
    assert [loop.iterator for loop in loops] == ["s", "i", "t", "j"]


def test_a_triangular_grid_has_its_average(facts_of) -> None:
    facts = facts_of(
        "f(int n, float a[64][64]) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[i][j] = 1; }"
    )
    assert grids(facts) == [["i", "j"]]
    assert any(a.kind == "average" and "grid" in a.text for a in facts.kernels[0].assumptions)


def test_nothing_parallel_gives_no_kernel(facts_of) -> None:
    facts = facts_of("f(int n, float *a) { for (int i = 1; i < n; i++) a[i] = a[i-1] * 0.5f; }")
    assert facts.kernels == ()


@pytest.mark.parametrize(
    ("statement", "x"),
    [
        ("b[j][i] = a[i][j];", "j"),
        ("a[j][i] = 1;", "i"),
        ("a[i][j] = b[0][i];", "j"),
    ],
)
def test_x_runs_where_most_accesses_are_contiguous(facts_of, statement: str, x: str) -> None:
    facts = facts_of(
        "f(int n, float a[restrict 64][64], float b[restrict 64][64])"
        f" {{ for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) {statement} }}"
    )
    assert x_iterators(facts) == [x]
