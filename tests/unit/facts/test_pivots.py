"""All pairs' shortest paths and closures: rows and columns of a step are parallel, by a true promise or by proof."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import JudgedNest, judged
from warplens.analysis.ir.promises.acyclic import Acyclic
from warplens.analysis.ir.promises.catalogue import read_promise

SAID = "d has no negative cycles"
SHORTEST = {
    "flat, with the way": (
        "int *d, int *via, int n",
        "int h = i * n + j, l = i * n + k, t = k * n + j; if (d[h] > d[l] + d[t]) { d[h] = d[l] + d[t]; via[h] = k; }",
    ),
    "a sum of its own": (
        "int n, int d[n][n], int via[n][n]",
        "int t = d[i][k] + d[k][j]; if (t < d[i][j]) { d[i][j] = t; via[i][j] = k; }",
    ),
    "of floats": ("int n, float d[n][n]", "d[i][j] = d[i][j] < d[i][k] + d[k][j] ? d[i][j] : d[i][k] + d[k][j];"),
    "fmin": ("int n, double *d", "d[i*n + j] = fmin(d[i*n + j], d[i*n + k] + d[k*n + j]);"),
    "a function": ("int n, int d[n][n]", "d[i][j] = smaller(d[i][k] + d[k][j], d[i][j]);"),
    "of bytes": ("int n, unsigned char d[n][n]", "if (d[i][k] + d[k][j] < d[i][j]) d[i][j] = d[i][k] + d[k][j];"),
    "under a condition": (
        "int n, int d[n][n]",
        "if (d[i][k] != 99 && d[k][j] != 99) if (d[i][j] >= d[i][k] + d[k][j]) d[i][j] = d[k][j] + d[i][k];",
    ),
}
OTHER = {
    "unsigned sums wrap": ("int n, unsigned d[n][n]", "if (d[i][j] > d[i][k] + d[k][j]) d[i][j] = d[i][k] + d[k][j];"),
    "both ways": (
        "int n, int d[n][n]",
        "if (d[i][j] > d[i][k] + d[k][j]) { d[i][j] = d[i][k] + d[k][j]; d[j][i] = d[i][j]; }",
    ),
    "another sum": ("int n, int d[n][n]", "if (d[i][j] > d[i][k] + d[k][j]) d[i][j] = d[i][k] + d[k][j] - 1;"),
    "the larger": ("int n, int d[n][n]", "if (d[i][j] < d[i][k] + d[k][j]) d[i][j] = d[i][k] + d[k][j];"),
    "a step further": ("int n, int d[n][n]", "if (d[i][j] > d[i][k] + d[k + 1][j]) d[i][j] = d[i][k] + d[k + 1][j];"),
    "cut to integers": ("int n, float d[n][n]", "int t = d[i][k] + d[k][j]; if (t < d[i][j]) d[i][j] = t;"),
}
PROVED = {
    "bits": ("int n, unsigned char r[n][n]", "r[i][j] |= r[i][k] & r[k][j];"),
    "or": ("int n, int r[n][n]", "r[i][j] = r[i][j] || (r[i][k] && r[k][j]);"),
    "widest": ("int n, int r[n][n]", "int c = r[i][k] < r[k][j] ? r[i][k] : r[k][j]; if (c > r[i][j]) r[i][j] = c;"),
}


def step(parameters: str, body: str) -> JudgedNest:
    (nest,) = judged(source(parameters, body))
    return nest


def source(parameters: str, body: str) -> str:
    return (
        "double fmin(double, double); static int smaller(int a, int b) { return a < b ? a : b; }"
        f"void f({parameters}) {{ for (int k = 0; k < n; k++) for (int i = 0; i < n; i++)"
        f" for (int j = 0; j < n; j++) {{ {body} }} }}"
    )


@pytest.mark.parametrize("name", SHORTEST)
def test_a_step_of_shortest_paths_is_parallel_where_no_cycle_is_negative(name: str) -> None:
    text = source(*SHORTEST[name])
    (nest,) = judged(text)
    outer, *inner = nest.verdicts
    assert not outer.can_run_in_parallel
    assert outer.conditions == ()
    for verdict in inner:
        assert verdict.kind == "unknown"
        assert [promise.text for promise in verdict.conditions] == [SAID]
        assert verdict.under_conditions == "parallel"
    (nest,) = judged(text, (Acyclic("d"),))
    outer, *inner = nest.verdicts
    assert not outer.can_run_in_parallel
    for verdict in inner:
        assert verdict.kind == "parallel"
        assert [one.subject for one in verdict.assumptions if one.origin == "directive"] == ["d"]


@pytest.mark.parametrize("name", OTHER)
def test_a_step_that_may_change_its_row_is_not_parallel_by_that_promise(name: str) -> None:
    text = source(*OTHER[name])
    for promises in ((), (Acyclic("d"),)):
        (nest,) = judged(text, promises)
        for verdict in nest.verdicts:
            assert not verdict.can_run_in_parallel
            assert Acyclic("d") not in verdict.conditions


@pytest.mark.parametrize("name", PROVED)
def test_a_step_of_a_closure_is_parallel(name: str) -> None:
    outer, *inner = step(*PROVED[name]).verdicts
    assert not outer.can_run_in_parallel
    assert [verdict.kind for verdict in inner] == ["parallel", "parallel"]


@pytest.mark.parametrize(
    "body",
    [
        "r[i][j] |= r[i][k] & r[k][j]; r[j][i] = r[i][j];",
        "r[i][j] = r[i][k] & r[k][j];",
        "if (r[i][k] && r[k][j]) r[i][j] = r[k][j];",
        "if (r[i][k] == 1 && r[k][j] == 1) r[i][j] = 2;",
        "int a = r[i][k]; if (r[k][j]) r[i][j] = a + 1;",
    ],
)
def test_what_only_looks_like_a_closure_is_not_parallel(body: str) -> None:
    _, rows, _ = step("int n, int r[n][n]", body).verdicts
    assert rows.kind not in {"parallel", "reduction"}


def test_a_value_from_before_another_write_is_not_the_columns() -> None:
    (judged_nest,) = judged(
        "void f(int n, int d[n][n], int k) { for (int i = 0; i < n; i++) { int a = d[i][k]; d[i][k] = 9;"
        " for (int j = 0; j < n; j++) if (d[i][j] > a + d[k][j]) d[i][j] = a + d[k][j]; } }",
        (Acyclic("d"),),
    )
    assert judged_nest.verdicts[0].kind not in {"parallel", "reduction"}


@pytest.mark.parametrize("text", [SAID, "d  has no negative cycle", "d has no negative diagonal"])
def test_spellings(text: str) -> None:
    assert read_promise(text) == Acyclic("d")


def test_a_skipped_pivot_needs_no_promise_and_gets_no_absurd_one() -> None:
    nest = step(
        "int n, int d[n][n], int via[n][n]",
        "if (i == k || j == k) continue;"
        "if (d[i][j] > d[i][k] + d[k][j]) { d[i][j] = d[i][k] + d[k][j]; via[i][j] = k; }",
    )
    outer, *inner = nest.verdicts
    assert outer.conditions == ()
    assert [verdict.kind for verdict in inner] == ["parallel", "parallel"]
