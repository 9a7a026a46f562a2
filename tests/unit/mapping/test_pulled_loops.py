"""Rows that add to elements of each other: the loop inside is pulled out of them, or shared by a team with atomics."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import facts_of
from support.every_mapping import every_mapping
from support.mapped_nests import in_points, lines
from warplens.analysis.mapping.source_nest import SourceNest

HEAD = "f(int n, int m, int a[n][m], int b[n][m], int c[n][m], int w[n], int v[m])"
SUMS = f"{HEAD} {{ for (int j = 0; j < n; j++) {{ %s }} }}"
AXPY = SUMS % "int s = w[j]; for (int i = 0; i < m; i++) v[i] += a[j][i] * s;"
GUARDED = SUMS % "if (w[j] != 0) { int s = w[j]; for (int i = 0; i < m; i++) v[i] += a[j][i] * s; }"
COLUMN = "for i = 0; < m; +1"


def test_a_thread_has_the_whole_sum_of_an_element() -> None:
    assert lines(in_points(AXPY)) == [
        *(COLUMN, "  if (0 < n)", "    held = v[i]", "    for j = 0; < n; +1", "      s = w[j]"),
        *("      held += (a[j][i] * s)", "    v[i] = held"),
    ]


def test_a_condition_on_the_row_is_asked_by_each_thread() -> None:
    assert lines(in_points(GUARDED)) == [
        *(COLUMN, "  for j = 0; < n; +1", "    if (w[j] != 0)", "      s = w[j]", "      v[i] += (a[j][i] * s)"),
    ]


def test_loops_behind_heads_are_pulled_one_after_the_other() -> None:
    body = "for (int i = 0; i < n; i++) { int s = a[i][k]; for (int j = 0; j < m; j++) c[i][j] += s * b[k][j]; }"
    found = lines(in_points(f"{HEAD} {{ for (int k = 0; k < n; k++) {body} }}"))
    assert found[:2] == ["for i = 0; < n; +1", "  for j = 0; < m; +1"]
    assert found[-2].strip() == "held += (s * b[k][j])"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("int s = v[j]; for (int i = 0; i < m; i++) v[i] += a[j][i] * s;", id="a head reads the sums"),
        pytest.param("if (v[j] > 0) for (int i = 0; i < m; i++) v[i] += a[j][i];", id="the condition reads the sums"),
        pytest.param("for (int i = 0; i < w[j]; i++) v[i] += a[j][i];", id="a row has its own length"),
        pytest.param("for (int i = 0; i < m; i++) v[i] += a[j][i]; w[j] = v[0];", id="a sum is used behind it"),
    ],
)
def test_loops_that_need_their_row_stay(body: str) -> None:
    assert in_points(SUMS % body) is None


@pytest.mark.parametrize("source", [AXPY, GUARDED])
def test_a_team_of_a_row_adds_atomically_and_one_of_an_element_does_not(source: str) -> None:
    kernels = [
        (tuple(loop.iterator for loop in kernel.grid), bool(kernel.reductions))
        for mapped in every_mapping(SourceNest(facts_of(f"void {source}")), (32,))
        for kernel in mapped.facts.kernels
        if kernel.team is not None
    ]
    assert {(("j", "lane"), True), (("i", "lane"), False)} <= set(kernels)


def test_a_condition_between_rows_is_asked_inside_of_them() -> None:
    body = "if (w[i] > 0) { int s = w[i]; for (int j = 0; j < m; j++) a[i][j] = s; }"
    assert lines(in_points(f"{HEAD} {{ for (int i = 0; i < n; i++) {body} }}")) == [
        *("for i = 0; < n; +1", "  for j = 0; < m; +1", "    if (w[i] > 0)", "      s = w[i]", "      a[i][j] = s"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (a[i][0] > 0) for (int j = 0; j < m; j++) a[i][j] = 1;", id="it reads what is written"),
        pytest.param(
            "if (w[i]) for (int j = 0; j < m; j++) a[i][j] = 1; else b[i][0] = 2;", id="there is another side"
        ),
        pytest.param("if (w[i]) for (int j = 0; j < w[i]; j++) a[i][j] = 1;", id="the loop's end is read"),
    ],
)
def test_other_conditions_stay_outside(body: str) -> None:
    assert in_points(f"{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}") is None


def test_a_counter_that_is_set_before_its_loop_is_the_loops_own() -> None:
    counted = f"{HEAD} {{ for (int i = 0; i < n; i++) {{ int j = 0; while (j < m) {{ a[i][j] += 1; j++; }} }} }}"
    assert lines(in_points(counted)) == ["for i = 0; < n; +1", "  for j = 0; < m; +1", "    a[i][j] += 1"]
