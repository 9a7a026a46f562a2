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
