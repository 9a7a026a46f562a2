"""Rows behind pointers: how far accesses to them are apart, as far as costs go."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import facts_of
from warplens.analysis.facts.nest_facts import NestFacts

LOOPS = "for (int i = 1; i < n - 1; i++) for (int j = 1; j < n - 1; j++)"


def strides(facts: NestFacts) -> dict[str, tuple[str, ...]]:
    """Bytes per iteration of each loop around, outer first, by the access as it is written."""
    return {
        fact.access.written: tuple(str(stride) for _, stride in fact.stride_bytes) for fact in facts.sequential_accesses
    }


def of(parameters: str, body: str) -> NestFacts:
    return facts_of(f"void f(int n, {parameters}) {{ {body} }}\n")


def test_rows_are_as_long_as_the_longest_that_is_used() -> None:
    facts = of("double **a, double **b", f"{LOOPS} b[i][j] = a[i - 1][j] + a[i][j + 1];")
    assert strides(facts) == dict.fromkeys(("a[i - 1][j]", "a[i][j + 1]", "b[i][j]"), ("8*n", "8"))
    assert {a.subject for a in facts.assumptions if a.kind == "layout"} == {"a", "b"}


def test_columns_of_rows_are_a_row_apart() -> None:
    facts = of("double **a", "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) a[i][j] = 0;")
    assert strides(facts) == {"a[i][j]": ("8", "8*n")}


NO_LENGTH = {
    "one element of each": ("double **a", "for (int i = 0; i < n; i++) a[i][0] = 0;", ("None",)),
    "as long as data says": (
        "double **a, int *m",
        "for (int i = 0; i < n; i++) for (int j = 0; j < m[i]; j++) a[i][j] = 0;",
        ("None", "8"),
    ),
}


@pytest.mark.parametrize("name", NO_LENGTH)
def test_rows_of_which_the_length_is_not_known_lie_anywhere(name: str) -> None:
    parameters, body, expected = NO_LENGTH[name]
    facts = of(parameters, body)
    assert strides(facts)[facts.sequential_accesses[-1].access.written] == expected
    assert not [a for a in facts.assumptions if a.kind == "layout"]


def test_a_row_that_another_loop_chooses_is_walked_as_any_row() -> None:
    body = "int at = 0; for (int s = 0; s < 9; s++) { for (int i = 0; i < n; i++) u[at][i] = s; at = 1 - at; }"
    assert strides(of("double *u[2]", body)) == {"u[at][i]": ("None", "8")}
