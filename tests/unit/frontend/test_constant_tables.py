"""Constant tables: their values as numbers, what they say as subscripts, and when nothing may be taken from them."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts

LONG = ", ".join(str((37 * k) % 1009) for k in range(1009))


def facts(source: str) -> NestFacts:
    """Facts of the only nest."""
    (found,) = judged(source)
    return analyse_nest(found.nest)


@pytest.mark.parametrize(
    ("table", "bound", "trips"),
    [
        ("static const int tab[] = {3, 5, 7};", "tab[2]", "7"),
        ("static int const tab[3] = {3, 5, 7};", "2 * tab[1]", "10"),
        ("const unsigned char tab[] = {3, 5, 255};", "tab[2]", "255"),
        ("static const int tab[4] = {3};", "tab[3] + 6", "6"),
        ("enum { K = 4 }; static const int tab[2] = {K, K * 3 - 1};", "tab[1]", "11"),
        ("static const int tab[3] = {1, 2, 3}; extern const int tab[3];", "tab[2]", "3"),
        (f"static const int tab[1009] = {{{LONG}}};", "tab[2]", "74"),
    ],
)
def test_a_constant_subscript_is_a_number(table: str, bound: str, trips: str) -> None:
    found = facts(f"{table} void f(double *a) {{ for (int i = 0; i < {bound}; i++) a[i] = i; }}")
    assert [str(count.average) for count in found.trip_counts] == [trips]


def test_a_table_of_the_function_and_a_subscript_that_is_known() -> None:
    body = "static const short tab[] = {3, 5, 7}; int k = 1; for (int i = 0; i < tab[k]; i++) a[i] = i;"
    assert str(facts(f"void f(double *a) {{ {body} }}").trip_counts[0].average) == "5"


@pytest.mark.parametrize(
    "table",
    [
        "static int tab[] = {3, 5, 7};",
        "static const volatile int tab[] = {3, 5, 7};",
        "extern const int tab[3];",
        "static const int tab[] = {3, 5, [2] = 7};",
        "static const unsigned char tab[] = {3, 5, 263};",
        "static const int tab[] = {3, 5, (unsigned char)263};",
        "static const int tab[2] = {3, 5};",
        "static const long tab[] = {3, 5, 4 - 5u};",
        f"static const int tab[1009] = {{(int)0, {LONG.partition(', ')[2]}}};",
        f"static const int tab[5000] = {{{LONG}}};",
        "int other; static const int tab[] = {3, 5, sizeof other};",
    ],
)
def test_what_is_no_table_of_known_values_gives_no_number(table: str) -> None:
    found = facts(f"{table} void f(double *a) {{ for (int i = 0; i < tab[2]; i++) a[i] = i; }}")
    assert str(found.trip_counts[0].average) not in {"0", "7", "74", "263", "4", "3", "5"}


def test_a_local_array_hides_a_table() -> None:
    table = "static const int tab[] = {3, 5, 7};"
    found = facts(f"{table} void f(double *a, const int *tab) {{ for (int i = 0; i < tab[2]; i++) a[i] = i; }}")
    assert "7" not in str(found.trip_counts[0].average)


PERMUTE = "void f(double *restrict y, const double *restrict x) {{ for (int i = 0; i < 4; i++) y[{}] = x[i]; }}"


@pytest.mark.parametrize(
    ("table", "subscript"),
    [
        ("static const int perm[4] = {2, 0, 3, 1};", "perm[i]"),
        ("static const unsigned char perm[] = {2, 0, 3, 1};", "8 * perm[i] + 3"),
        ("static const int perm[4] = {2, 0, 3, 1}; static const int *p(void) { return perm; }", "perm[i]"),
    ],
)
def test_a_table_without_repeats_is_injective_by_its_initialiser(table: str, subscript: str) -> None:
    (verdict,) = facts(f"{table} {PERMUTE.format(subscript)}").verdicts
    assert (verdict.kind, verdict.reason) == ("parallel", "`perm` holds no value twice: its initialiser")
    assert not [a for a in verdict.assumptions if a.kind == "promise"]


@pytest.mark.parametrize(
    ("table", "subscript"),
    [
        ("static const int perm[4] = {2, 0, 2, 1};", "perm[i]"),
        ("static const int perm[4] = {2, 0};", "perm[i]"),
        ("static int perm[4] = {2, 0, 3, 1};", "perm[i]"),
        ("static const int perm[4] = {2, 0, 3, 1};", "((const unsigned char *)perm)[i]"),
        ("static const int perm[4] = {2, 0, 3, 1};", "perm[i] / 2"),
        ("static const int perm[5] = {2, 0, 3, 1, 7};", "perm[i] & 1"),
    ],
)
def test_a_table_with_repeats_or_read_otherwise_is_not(table: str, subscript: str) -> None:
    (verdict,) = facts(f"{table} {PERMUTE.format(subscript)}").verdicts
    assert verdict.kind in {"unknown", "carried"}


def test_an_increasing_table_of_row_starts() -> None:
    source = (
        "static const int row[5] = {0, 3, 3, 7, 9}; void f(double *restrict y) {"
        " for (int i = 0; i < 4; i++) for (int j = row[i]; j < row[i + 1]; j++) y[j] = i; }"
    )
    assert [verdict.kind for verdict in facts(source).verdicts] == ["parallel", "parallel"]
    falling = source.replace("0, 3, 3, 7, 9", "9, 7, 3, 3, 0")
    assert facts(falling).verdicts[0].kind != "parallel"
