"""Conditions before a nest become ranges of its parameters, and only while they hold."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.ir.nest import LoopNest

Nests = Callable[[str], list[LoopNest]]


def known(nest: LoopNest) -> set[tuple[str, str]]:
    return {(str(each.value), each.text) for each in nest.known}


@pytest.mark.parametrize(
    ("before", "expected"),
    [
        ("if (n < 4) return;", {("n - 4", "n >= 4")}),
        ("if (!(n > m)) return;", {("-m + n - 1", "n > m")}),
        ("if (n <= 0 || m <= 0) return;", {("n - 1", "n > 0"), ("m - 1", "m > 0")}),
        ("if (n == m) ; else return;", {("-m + n", "n == m"), ("m - n", "n == m")}),
        ("if (n % 4 != 0) { a[0] = 1; return; }", set()),
        ("if (n < 4 && m) return;", set()),
        ("if (n < 4) a[0] = 1;", set()),
        ("if (n < 4) { while (m) return; }", set()),
        ("assert(n > 2);", {("n - 3", "n > 2")}),
        ("if (n < 4) exit(1);", {("n - 4", "n >= 4")}),
        ("if (n < 4) return; n++;", set()),
        ("if (n < 4) return; scan(&n);", set()),
        ("if (n < 4) n = 4;", {("n - 4", "n >= 4")}),
        ("if (n < 4) n = 3;", set()),
        ("if (n < 4) n = m;", set()),
        ("if (n < 4) { n = 4; scan(&n); }", set()),
        ("if (n < 4) { if (m) n = 4; }", set()),
        ("if (n < 4) n = 4; n++;", set()),
        ("if (n < 4) n = 6; else n++;", set()),
        ("if (n >= 4) ; else n = 4;", {("n - 4", "n >= 4")}),
        ("if (n > m) n = m;", {("m - n", "n <= m")}),
        ("if (n > m) { n = m; m--; }", set()),
        ("if (n > m) { while (n > m) n /= 2; }", set()),
        ("n = n < 9 ? n : 9;", {("-n + 9", "n <= 9")}),
        ("n = n > m ? n : m;", {("-m + n", "n >= m")}),
        ("n = n < 9 ? 9 : n;", {("n - 9", "n >= 9")}),
        ("n = n < 9 ? n : 8;", set()),
        ("n = n < 9 ? n : 9; n *= 2;", set()),
        ("m = 100; if (m > n) m = n;", {("-m + n", "m <= n"), ("-m + 100", "m <= 100")}),
        ("m = 7; if (n) m = 9;", {("m - 7", "m >= 7")}),
        ("m = 7; if (n) m = 9; else m = 5;", set()),
        ("__builtin_assume(n <= 10);", {("-n + 10", "n <= 10")}),
        ("if (n-- < 4) return;", set()),
        ("if (n < 4) goto small; return; small:", set()),
        ("if (m) goto late; if (n < 4) return; late:", set()),
        ("if (m) goto inner; if (n < 4) return; if (m > 3) { inner: a[0] = 1; }", set()),
        ("if (m) goto inner; if (n >= 4) { inner: a[0] = 1; } else return;", set()),
        ("void *p = &&late; if (m) goto *p; if (n < 4) return; late:", set()),
        ("if (n < 4) goto none; if (m) { none: return; }", set()),
        ("switch (m) { case 1: if (n < 4) return; }", set()),
        ("if (n < 4) return; switch (m) { case 1: m = 3; }", {("n - 4", "n >= 4")}),
    ],
)
def test_what_is_known_before_a_loop(nests: Nests, before: str, expected: set[tuple[str, str]]) -> None:
    prelude = "#include <assert.h>\n#include <stdlib.h>\nvoid scan(int *);\n"
    (nest,) = nests(
        f"{prelude}void f(int n, int m, double *a) {{ {before} for (int i = 0; i < n * m; i++) a[i] = 0; }}"
    )
    assert known(nest) == expected


def test_a_branch_knows_its_condition_and_the_other_one_its_negation(nests: Nests) -> None:
    first, second, after = nests(
        "void f(int n, double *a) {"
        " if (n > 8) { for (int i = 0; i < n; i++) a[i] = 0; }"
        " else { for (int i = 0; i < n; i++) a[i] = 1; }"
        " for (int i = 0; i < n; i++) a[i] = 2; }"
    )
    assert known(first) == {("n - 9", "n > 8")}
    assert known(second) == {("-n + 8", "n <= 8")}
    assert known(after) == set()


def test_a_label_that_only_its_own_loop_jumps_to_leaves_what_is_known(nests: Nests) -> None:
    _, nest = nests(
        "void f(int n, double *a) { if (n < 4) return;"
        " for (int k = 0; k < 9; k++) { if (a[k] > 0) goto next; a[k] = 1; next: ; }"
        " for (int i = 0; i < n; i++) a[i] = 0; }"
    )
    assert known(nest) == {("n - 4", "n >= 4")}


@pytest.mark.parametrize(
    ("first", "expected"),
    [
        ("if (n < 4) return; break;", {("m - 1", "m > 0")}),
        ("if (n < 4) return;", {("m - 1", "m > 0")}),
        ("m = 7; break;", set()),
    ],
)
def test_a_case_knows_only_what_holds_before_the_switch(
    nests: Nests, first: str, expected: set[tuple[str, str]]
) -> None:
    (nest,) = nests(
        f"void f(int n, int m, int c, double *a) {{ if (m <= 0) return; switch (c) {{ case 1: {first}"
        " case 2: for (int i = 0; i < n * m; i++) a[i] = 0; } }"
    )
    assert known(nest) == expected
    assert "m" in nest.root.limits[0].symbols


def test_a_loop_around_that_changes_the_value_ends_what_is_known(nests: Nests) -> None:
    (nest,) = nests(
        "void f(int n, double *a) { if (n < 8) return; while (a[0] < 1) { n /= 2; "
        "for (int i = 0; i < n; i++) a[i] += 1; } }"
    )
    assert known(nest) == set()


def test_the_smaller_of_two_is_at_most_either(nests: Nests) -> None:
    (nest,) = nests("void f(int n, double *a) { int m = n < 9 ? n : 9; for (int i = 0; i < m; i++) a[i] = 0; }")
    assert {text for _, text in known(nest)} >= {"m <= 9"}
    (nest,) = nests(
        "void f(int n, double *a) { { int m = 3; a[m] = 1; } int m = n < 9 ? n : 9; "
        "for (int i = 0; i < m; i++) a[i] = 0; }"
    )
    assert {text.partition(" ")[2] for _, text in known(nest)} >= {"<= 9"}
    (nest,) = nests("void f(int n, double *a) { const int m = n < 9 ? n : 9; for (int i = 0; i < m; i++) a[i] = 0; }")
    assert {text for _, text in known(nest)} >= {"m <= 9"}
