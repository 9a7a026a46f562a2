"""Members of a struct that the nest sets as a whole, or through a pointer, are not the same in each iteration."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged

BEFORE = """
struct pair { int at, n; }; struct outer { struct pair in; int k; }; struct pair made(int i);
typedef struct { int quot, rem; } parts; parts divided(int a, int b);
"""
HEADER = "void f(int n, double *restrict a, const struct pair *restrict q, const struct pair *p)"


def kind(body: str, before: str = "") -> str:
    """Verdict of the loop over `i`."""
    source = BEFORE + f"{HEADER} {{ {before} for (int i = 0; i < n; i++) {{ {body} }} }}"
    ((found, *_),) = (nest.verdicts for nest in judged(source))
    return found.kind


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("struct pair d = q[i]; a[d.at + i] = i;", ""),
        ("const struct pair d = q[i]; a[d.at] = i;", ""),
        ("d = q[i]; a[d.at + i] = i;", "struct pair d;"),
        ("d = q[i]; a[d.at] = i;", "struct pair d;"),
        ("struct pair d = made(i); a[d.at] = i;", ""),
        ("struct pair d = {q[i].n, 0}; a[d.at + i] = i;", ""),
        ("parts d = divided(i, 3); a[d.quot * 3 + d.rem] = i;", ""),
        ("struct outer d; d.in = q[i]; a[d.in.at + i] = i;", ""),
        ("{ struct pair d = q[i]; a[d.at + i] = 0; } { struct pair d = q[i + 1]; a[d.n + i] = 1; }", ""),
        ("d->at = q[i].n; a[z.at + i] = i;", "struct pair z, *d = &z;"),
        ("*d = q[i]; a[z.at + i] = i;", "struct pair z, *d = &z;"),
        ("struct pair d = q[i]; for (int k = 0; k < d.n; k++) a[d.at + k] = i;", ""),
    ],
)
def test_data_decides_what_they_hold(body: str, before: str) -> None:
    assert kind(body, before) == "unknown"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("a[d.at + i] = i;", "struct pair d = *p;"),
        ("a[p->at + i] = i;", ""),
        ("struct pair e = q[i]; a[d.at + i] = e.n;", "struct pair d = *p;"),
    ],
)
def test_others_are_numbers_of_the_nest(body: str, before: str) -> None:
    assert kind(body, before) == "parallel"


BY_VALUE = """
typedef struct { int nx; double w[3]; } shape; typedef struct { int n; double *data; } vec; shape kept;
static double use(shape p, const double *x, int i) { p.nx += 1; return x[i] * p.nx; }
static void add(vec v, int i) { v.n = 3; v.data[i] += v.n; }
static shape grown(shape p) { p.nx *= 2; p.w[0] = 7; return p; }
static double deep(shape p, int d) { if (d == 0) return p.w[0]; p.w[0] += 1; p.nx--; return deep(p, d - 1); }
static double many(shape p, int i) { double s = 0; for (int k = 0; k < 3; k++) { p.w[k] += i; s += p.w[k]; } return s; }
"""


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = use(*s, x, i);",
        "y[i] = use(kept, x, i);",
        "shape t = grown(*s); y[i] = t.nx + t.w[0];",
        "y[i] = deep(*s, 3);",
        "y[i] = many(s[0], i);",
        "y[i] = many(kept, i);",
        "shape t = s[0]; t.nx += i; t.w[1] = t.nx; y[i] = t.w[1];",
    ],
)
def test_a_struct_passed_by_value_is_a_copy(body: str) -> None:
    header = "void f(int n, shape *s, vec v, double *y, const double *x)"
    found = judged(f"{BY_VALUE}{header} {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    assert found[-1].verdicts[0].kind == "parallel"


@pytest.mark.parametrize("body", ["add(v, i);", "add(v, 0);"])
def test_what_a_struct_that_is_passed_by_value_leads_to_is_the_callers(body: str) -> None:
    """The function changes its copy, so that it can't stand in place of the call: where it writes is not followed."""
    found = judged(f"{BY_VALUE}void f(int n, vec v) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    assert found[-1].verdicts[0].kind == "unknown"
