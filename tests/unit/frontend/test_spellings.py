from __future__ import annotations

import re
from collections.abc import Callable

import pytest

Lines = Callable[[str], list[str]]

HEADERS = [
    ("for (int i = 0; i < n; i++)", "for int i = 0; < n; +1"),
    ("for (int i = 0; i <= n; ++i)", "for int i = 0; < n + 1; +1"),
    ("for (int i = n - 1; i >= 0; i--)", "for int i = n - 1; > -1; -1"),
    ("for (int i = n; i > 0; --i)", "for int i = n; > 0; -1"),
    ("for (int i = 0; i != n; i++)", "for int i = 0; < n; +1"),
    ("for (int i = 0; i != n; i += 3)", "for int i = 0; != n; +3"),
    ("for (int i = 0; n > i; i += 2)", "for int i = 0; < n; +2"),
    ("for (int i = 0; n >= i; i = i + 2)", "for int i = 0; < n + 1; +2"),
    ("for (int i = 0; i < n; i = 2 + i)", "for int i = 0; < n; +2"),
    ("for (int i = n; i > 0; i -= 4)", "for int i = n; > 0; -4"),
    ("for (int i = n; i-- > 0;)", "for int i = n - 1; > -1; -1"),
    ("for (int i = n; i; i--)", "for int i = n; > 0; -1"),
    ("for (int i = 0; i < n && i < m; i++)", "for int i = 0; < n, m; +1"),
    ("for (int i = 0; i < (n < m ? n : m); i++)", "for int i = 0; < n, m; +1"),
    ("for (int i = 0; i + 1 < n; i++)", "for int i = 0; < n - 1; +1"),
    ("for (long i = 2; i < n * m; i++)", "for long i = 2; < m*n; +1"),
    ("for (int i = 0; i < n / 2; i++)", "for int i = 0; < n/2; +1"),
    ("for (int i = 0; i < g->nx; i++)", "for int i = 0; < g->nx; +1"),
    ("int i; for (i = 0; i < n; i++)", "for i = 0; < n; +1"),
    ("int i = 3; for (; i < n; i++)", "for i = 3; < n; +1"),
    ("int i = idx[0]; for (i = 1; i < n; i++)", "for i = 1; < n; +1"),
    ("int i = idx[0]; for (i = n; i-- > 2;)", "for i = n - 1; > 1; -1"),
    ("int i = idx[0]; for (i = i + 1; i < n; i++)", "for long i'n = 0; < -i + n - 1; +1"),
    ("int i = m; for (i += 2, m = 1; m < n; m++)", "for m = 1; < n; +1"),
    ("int i, j; i = j = 0; for (j = 1; j <= n; j++)", "for j = 1; < n + 1; +1"),
    ("int i, j; for (i = 0, j = 1; i < n; i++)", "for i = 0; < n; +1"),
    ("int lo = n - 2; for (int i = lo; i < 10; i++)", "for int i = n - 2; < 10; +1"),
    ("const int k = 4 * 8; for (int i = 0; i < k; i++)", "for int i = 0; < 32; +1"),
    ("enum { E = 5 }; for (int i = 0; i < E; i++)", "for int i = 0; < 5; +1"),
    ("enum { D = 5, E = 2 * D, F }; for (int i = E; i < F; i++)", "for int i = 10; < 11; +1"),
    ("for (unsigned long i = 0; i < sizeof(point); i++)", "for unsigned long i = 0; < 40; +1"),
]


@pytest.mark.parametrize(("header", "expected"), HEADERS, ids=[header for header, _ in HEADERS])
def test_header(lines: Lines, header: str, expected: str) -> None:
    assert lines(f"{header} a[i] = 1;")[0] == f"0: {expected}"


def test_unknown_bound_keeps_its_reads(lines: Lines) -> None:
    found = lines("for (int k = idx[n]; k < idx[n + 1]; k++) { a[k] = 1; idx[k] = 2; }")
    assert found[0].startswith("0: for int k = ?; < ?; +1  [")


BODIES = [
    ("a[i*n + j] = b[j];", ["a[i*n + j] = b[j]"]),
    ("c[i][j] += a[i];", ["c[i:n][j:m] += a[i]"]),
    ("*(a + i) = *b;", ["a[i] = b[0]"]),
    ("int q = i*m + j; a[q + 1]++;", ["int q = ((i * m) + j)", "a[i*m + j + 1] += 1.0"]),
    ("const double *row = b + i*n; a[j] = row[j];", ["a[j] = b[i*n + j]"]),
    ("const double *row = &b[i*n]; a[j] = row[j - 1];", ["a[j] = b[i*n + j - 1]"]),
    ("p[i].x = p[j].v[2];", ["p[i].x = (float)p[j].v[2]"]),
    ("p[i].v[j] = 0;", ["p[i][j:5].v = 0.0"]),
    ("p->v[j] = 0;", ["p[0][j:5].v = 0.0"]),
    ("g->data[i * g->ny + j] = 0;", ["g->data[g->ny*i + j] = 0.0"]),
    ("double (*v)[4] = (double (*)[4])a; v[i][2] = 1;", ["a[i][2:4] = 1.0"]),
    ("a[idx[i]] = 1;", ["a[?idx[i]] = 1.0"]),
    ("a[i % 2] = 1;", ["a[?(i % 2)] = 1.0"]),
    ("int k = i; a[i] = b[k++]; a[k] = 0;", ["int k = i", "a[i] = b[i]", "k += 1", "a[i + 1] = 0.0"]),
    ("int k = i; a[++k] = 0;", ["int k = i", "k += 1", "a[i + 1] = 0.0"]),
    ("a[i] = i > j ? b[i] : 2;", ["a[i] = ((i > j) ? b[i] : 2.0)"]),
    ("a[i] = sqrtf((float)b[i]) + fabs(b[j]);", ["a[i] = ((double)sqrtf((float)b[i]) + fabs(b[j]))"]),
    ("a[i] = a[j] = 1;", ["a[j] = 1.0", "a[i] = 1.0"]),
    ("a[i] = 2 * 3 + sizeof(double);", ["a[i] = 14.0"]),
    ("int j = 1; a[j] = 2;", ["int j'2 = 1", "a[1] = 2.0"]),
    ("g0(i);", ["g0!(i)"]),
    ("double v[3] = {a[i], [1] = 2};", ["v[0:3] = a[i]", "v[1:3] = 2.0"]),
    ("double v[3] = {[2] = a[i], [0] = 2};", ["v[2:3] = a[i]", "v[0:3] = 2.0"]),
    ("double v[3] = {[1] = a[i], 2};", ["opaque: an aggregate initialiser"]),
    ("double v[2] = {a[i], 2}; a[j] = v[i];", ["v[0:2] = a[i]", "v[1:2] = 2.0", "a[j] = v[i:2]"]),
    ("point q = {.y = 3, .v = {4}}; a[j] = q.y;", ["q.y = 3.0", "q.v[0] = 4.0", "a[j] = (double)q.y"]),
    ('point q = p[i], r = {0}; char s[] = "x"; a[j] = q.y;', ["q = p[i]", "a[j] = (double)q.y"]),
    ("struct { point at; } one = {p[i]};", ["one.at = p[i]"]),
    ("a[i] = load(j).v[i];", ["a[i] = <memory reached through a call's result: load!(j), i>"]),
    ("a[i] = *where(j);", ["a[i] = where!(j)"]),
    ("o[i].items[j].y = 0;", ["o[i][3*j:16].items.y = 0.0"]),
    ("o[i].items[2].y = 0;", ["o[i].items[2].y = 0.0"]),
    ("double *v = p[i].v; v[j] = v[1];", ["p[i][j:5].v = p[i].v[1]"]),
    ("double *v = p[i].v + 1; v[j] = 0;", ["p[i][j + 1:5].v = 0.0"]),
    ("struct item *t = &o[i].items[j]; t[1].x = 1;", ["o[i][3*j + 3:16].items.x = 1.0"]),
    ("struct item *t = o[i].items; t[j].x = 0;", ["o[i][3*j:16].items.x = 0.0"]),
    ("o->items[i].value = j;", ["o[0][i:6].items.value = (double)j"]),
    ("double *v = __builtin_assume_aligned(b + i, 64); a[j] = v[j];", ["a[j] = b[i + j]"]),
    ("if (__builtin_expect(i > j, 0)) a[i] = __builtin_expect_with_probability(j, 1, .9);",
     ["if (i > j)", "a[i] = (double)j"]),
    ("int k = i; for (int q = k++; q < n; q++) a[q] = k;",
     ["int k = i", "int q = k", "k += 1", "for q = i; < n; +1", "a[q] = (double)k"]),
    ("a[i] = ((int *)b)[0];", ["a[i] = (double)b[0]"]),
    ("if (i == j) continue; a[i] = 1;", ["if (i == j)", "else", "a[i] = 1.0"]),
    ("if (i > j) { a[i] = 0; continue; } a[i] = 1;", ["if (i > j)", "a[i] = 0.0", "else", "a[i] = 1.0"]),
    ("if (i > j) break; a[i] = 1;", ["if (i > j)", "break out of 1", "a[i] = 1.0"]),
    ("if (i > j) return;", ["if (i > j)", "return out of 0"]),
    ("while (n > i) a[i] = 0;", ["for long while'n = 0; < ?; +1  [a `while` loop: its condition counts no variable]",
                                 "a[i] = 0.0"]),
    ("if (i && n++) a[i] = 0;", ["if i", "int condition' = n", "n += 1", "if condition'", "a[i] = 0.0"]),
    ("a[i] = i && (m = b[i]);", ["int condition' = (i != 0)", "if condition'", "m = (int)b[i]", "condition' = (m != 0)",
                                 "a[i] = (double)condition'"]),
    ('__asm__ volatile("nop");', ["opaque: inline assembly"]),
    ("switch (i) { case 0: a[i] = 1; break; default: a[j] = 2; }",
     ["if (i == 0)", "a[i] = 1.0", "else", "a[j] = 2.0"]),
    ("switch (g0(i)) { case 0: a[i] = 1; }", ["long switch' = g0!(i)", "if (switch' == 0)", "a[i] = 1.0"]),
    ("switch (i) { case 0: a[i] = 1; case 1: a[j] = 2; }",
     ["if (i == 0)", "a[i] = 1.0", "a[j] = 2.0", "else", "if (i == 1)", "a[j] = 2.0"]),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), BODIES, ids=[body for body, _ in BODIES])
def test_body(lines: Lines, body: str, expected: list[str]) -> None:
    found = lines(f"for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) {{ {body} }}")
    assert [re.sub(r"@\d+", "", line.partition(": ")[2]) for line in found[2:]] == expected


@pytest.mark.parametrize(
    ("values", "stores"),
    [
        pytest.param("{1, -2}", 64, id="numbers"),
        pytest.param("{1, -2}, " + "{3, 4}", 0, id="a table"),
        pytest.param("{1, a[i]}, " + "{3, 4}", 66, id="what is computed"),
    ],
)
def test_a_long_initialiser_of_constants_is_a_table(lines: Lines, values: str, stores: int) -> None:
    rows = ", ".join(["{3, 4}"] * 31)
    found = lines(f"for (int i = 0; i < n; i++) {{ double v[40][2] = {{{rows}, {values}}}; a[i] = v[i][1]; }}")
    assert len([line for line in found if re.search(r"v\[\d.* = ", line.partition(": ")[2])]) == stores


def test_a_very_long_initialiser_of_computed_values_is_refused(lines: Lines) -> None:
    values = ", ".join(["a[i]"] * 257)
    found = lines(f"for (int i = 0; i < n; i++) {{ double v[300] = {{{values}}}; a[i] = v[i]; }}")
    assert "opaque: a long initialiser" in found[1]


def test_continue_in_a_nested_block_guards_all_that_follows(lines: Lines) -> None:
    found = lines("for (int i = 0; i < n; i++) { if (n) { if (i) continue; a[0] = 1; } a[1] = 2; }")
    assert [line.partition(": ")[2].partition("@")[0] for line in found[1:]] == [
        "if n", "if i", "else", "a[0]", "a[1]", "else", "a[1]",
    ]  # fmt: skip


def test_scalar_changed_in_the_nest_is_no_parameter(lines: Lines) -> None:
    assert lines("int k = 0; for (int i = 0; i < n; i++) { a[k] = 1; k += idx[i]; }")[1].startswith("2: a[?k]")


def test_branches_that_agree_keep_a_value(lines: Lines) -> None:
    found = lines("for (int i = 0; i < n; i++) { int k; if (i > 2) k = i; else k = i; a[k] = 1; }")
    assert found[-1] == "5: a[i]@4 = 1.0"


def test_branches_that_differ_lose_it(lines: Lines) -> None:
    found = lines("for (int i = 0; i < n; i++) { int k = 0; if (i > 2) k = i; a[k] = 1; }")
    assert found[-1].endswith("a[?k]@4 = 1.0")


def test_value_of_a_loop_is_gone_after_it(lines: Lines) -> None:
    found = lines("for (int i = 0; i < n; i++) { int j; for (j = 0; j < 3; j++) a[j] = 0; a[j] = 1; }")
    assert found[-1].endswith("a[?j]@4 = 1.0")
