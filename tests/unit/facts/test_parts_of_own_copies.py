"""Copies of objects of which an iteration sets a part: what is read beside it comes from elsewhere."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict

DECLARED = """void *malloc(unsigned long);
struct inner { int kind; double depth; };
struct part { double now, before; double rows[2]; struct inner in; };
"""


def verdict(before: str, body: str) -> LoopVerdict:
    parameters = "int n, const double *restrict x, double *restrict y, struct part *restrict q"
    (nest,) = judged(f"{DECLARED}void f({parameters}) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} }}")
    return nest.verdicts[0]


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("struct part s;", "s.now = x[i]; y[i] = s.now * s.before; s.before = x[i];"),
        ("struct part s;", "s.rows[0] = x[i]; y[i] = s.rows[0] * s.rows[1]; s.rows[1] = x[i];"),
        ("struct part s;", "s.in.kind = i; y[i] = s.in.kind * s.in.depth; s.in.depth = x[i];"),
        ("struct part *p = malloc(sizeof *p);", "p->now = x[i]; y[i] = p->now * p->before; p->before = x[i];"),
        ("double t[4];", "((float *)t)[0] = x[i]; y[i] = t[0]; ((float *)t)[1] = x[i];"),
        ("float t[4];", "*(double *)t = x[i]; y[i] = t[0] + t[2]; t[2] = x[i];"),
        ("struct part s;", "s.now = x[i]; q[i] = s; s.before = x[i];"),
        ("struct part s;", "s.now = x[i]; s.in.kind = i; y[i] = s.in.depth; s.in = q[i].in;"),
    ],
)
def test_one_part_does_not_fill_another(before: str, body: str) -> None:
    found = verdict(before, body)
    assert (found.kind, found.private) == ("carried", ())


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("struct part s; s.before = 2;", "s.now = x[i]; y[i] = s.now * s.before;"),
        ("struct part s = *q;", "s.in.kind = i; y[i] = s.in.kind * s.in.depth + s.rows[1];"),
        ("struct part s = *q;", "s.now = x[i]; s.rows[0] = s.rows[1] = i; q[i + 1] = s;"),
    ],
)
def test_what_no_iteration_sets_is_copied_in(before: str, body: str) -> None:
    found = verdict(before, body)
    assert (found.kind, found.private, found.copied_in) == ("parallel", ("s",), ("s",))
    assert "copies of `s` start with what it holds before the loop" in found.reason


@pytest.mark.parametrize(
    "body",
    [
        "s = q[i]; y[i] = s.now + s.in.depth; s.now = 1;",
        "s.now = x[i]; y[i] = s.now; s.before = i; y[i] += s.before;",
        "s.now = s.before = i; s.rows[0] = s.rows[1] = x[i]; s.in.kind = 0; s.in.depth = 1; q[i] = s;",
    ],
)
def test_what_an_iteration_sets_itself_is_not(body: str) -> None:
    found = verdict("struct part s;", body)
    assert (found.kind, found.private, found.copied_in) == ("parallel", ("s",), ())


def test_an_array_that_begins_with_values_is_asked_whether_it_is_wanted_too() -> None:
    parameters = "int n, const double *restrict x, double *restrict y"
    loop = "for (int i = 0; i < n; i++) if (x[i] > 0) { t[0] = x[i]; y[i] = t[0]; }"
    (nest,) = judged(f"void f({parameters}) {{ double t[2] = {{1, 2}}; {loop} y[0] = t[0]; }}")
    assert nest.verdicts[0].kind == "unknown"
    assert "`t` is used after the loop" in nest.verdicts[0].reason


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("if (s.in.kind) s.now = x[i]; y[i] = s.now;", "parallel"),
        ("if (q->in.kind > n) s.now = x[i]; else s.before = x[i]; y[i] = s.now + s.before;", "parallel"),
        ("if (s.in.kind) if (s.rows[0] > 1) s.now = s.before = x[i]; y[i] = s.now + s.before;", "parallel"),
        ("if (s.in.kind) { s.now = x[i]; if (s.rows[0] > 1) s.before = s.now; } y[i] = s.before;", "parallel"),
        ("y[i] = s.now; if (s.in.kind) s.now = x[i];", "unknown"),
        ("if (s.in.kind) s.now = x[i]; y[i] = s.now; s.in.kind = i;", "carried"),
        ("if (x[i] > 0) s.now = x[i]; y[i] = s.now; s.before = 1; y[i] += s.before;", "carried"),
        ("if (s.in.kind) s.now = x[i]; y[i] = s.now; s.now = 0;", "carried"),
        ("if (s.in.kind) s.now = x[i]; if (s.rows[0] > 1) y[i] = s.now; else s.now = 2;", "unknown"),
    ],
)
def test_a_branch_that_all_iterations_take_sets_a_part_in_all_or_none(body: str, kind: str) -> None:
    assert verdict("struct part s = *q;", body).kind == kind
