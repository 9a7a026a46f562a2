"""Trip counts of C loops, in every spelling."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    ("header", "count"),
    [
        ("i = 0; i < n; i++", 10),
        ("i = 0; i <= n; i++", 11),
        ("i = n - 1; i >= 0; i--", 10),
        ("i = n; i > 0; --i", 10),
        ("i = 2; i < n; i += 3", 3),
        ("i = n; i > 1; i -= 4", 3),
        ("i = 0; i != n; i++", 10),
        ("i = n; i < 3; i++", 0),
        ("i = 0; i < 7; i++", 7),
        ("i = 0; i < n && i < 6; i++", 6),
    ],
)
def test_counts_of_usual_headers(facts_of, header: str, count: int) -> None:
    facts = facts_of(f"f(int n, float *a) {{ for (int {header}) a[i] = 1.0f; }}")
    (trip_count,) = facts.trip_counts
    assert trip_count.exact
    assert trip_count.average.evaluate({"n": 10}) == count


def test_tiles_that_do_not_divide_are_exact(facts_of) -> None:
    """Twenty-one elements in tiles of 8 are three tiles of 7 on average."""
    facts = facts_of(
        "f(int n, float *a) { for (int t = 0; t < n; t += 8) for (int i = t; i < t + 8 && i < n; i++) a[i] = 1.0f; }"
    )
    tiles, elements = facts.trip_counts
    assert tiles.exact
    assert elements.exact
    assert (tiles.average.evaluate({"n": 21}), elements.average.evaluate({"n": 21})) == (3, 7)
    assert str(elements.average) == "max(n, 0)/max(max(ceil(n/8), 0), 1)"


def test_bounds_from_data_become_a_parameter_named_after_the_loop(facts_of) -> None:
    facts = facts_of(
        "f(int n, const int *restrict row, float *restrict y) { for (int i = 0; i < n; i++) { float s = 0;"
        " for (int k = row[i]; k < row[i + 1]; k++) s += 1.0f; y[i] = s; } }"
    )
    inner = facts.trip_counts[1]
    assert not inner.exact
    assert str(inner.average) == "iterations of k"
    assert [(a.kind, a.subject) for a in inner.assumptions] == [("average", "iterations of k")]
    assert "iterations of k" in facts.parameters


def test_two_loops_with_bounds_from_data_have_two_parameters(facts_of) -> None:
    facts = facts_of(
        "f(int n, const int *restrict c, float *restrict y) { for (int i = 0; i < n; i++) {"
        " for (int k = 0; k < c[i]; k++) y[i] += 1.0f; for (int k = 0; k < c[i]; k++) y[i] += 2.0f; } }"
    )
    assert [str(t.average) for t in facts.trip_counts[1:]] == ["iterations of k", "iterations of k #2"]


def test_the_average_of_an_inner_triangle_reads_as_one(facts_of) -> None:
    facts = facts_of(
        "f(int n, float a[100][100]) { for (int i = 0; i < n; i++) for (int j = i + 1; j < n; j++) a[i][j] = 0; }"
    )
    assert str(facts.trip_counts[1].average) == "max((1/2*n - 1/2), 0)"


def test_an_early_exit_is_an_assumption(facts_of) -> None:
    facts = facts_of("f(int n, float *a) { for (int i = 0; i < n; i++) { if (a[i] < 0) break; a[i] = 1; } }")
    assert any("may end early" in a.text for a in facts.trip_counts[0].assumptions)


def test_a_step_with_not_equals_must_divide(facts_of) -> None:
    facts = facts_of("f(int n, float *a) { for (int i = 0; i != n; i += 2) a[i] = 1; }")
    assert any("divide" in a.text for a in facts.trip_counts[0].assumptions)


def test_a_count_that_is_no_polynomial_says_it_is_an_average(facts_of) -> None:
    """The inner loop strides by 2 over a triangle: the ceiling depends on the outer iterator's parity."""
    facts = facts_of(
        "f(int n, float a[100][100]) { for (int i = 0; i < n; i++) for (int j = 0; j < i; j += 2) a[i][j] = 0; }"
    )
    inner = facts.trip_counts[1]
    assert not inner.exact
    assert [a.kind for a in inner.assumptions] == ["average"]
    assert abs(inner.average.evaluate({"n": 100}) - 25) <= 1
