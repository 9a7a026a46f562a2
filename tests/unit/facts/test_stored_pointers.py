"""Members that a loop sets and follows: each iteration its own, or what another one has set."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.nest import LoopNest

DECLARATIONS = """#include <stdlib.h>
typedef struct { double *p; int k; } S; struct outer { S in; int n; };
double x[99], z[99]; int c[99];
"""
HEAD = "void f(int n, S *s, S t, struct outer *o, double *q)"


def kind(nests_of: Callable[[str], list[LoopNest]], body: str) -> str:
    """Of a loop over `i`."""
    nest = nests_of(f"{DECLARATIONS}{HEAD} {{ S g; g.p = x; for (int i = 0; i + 1 < n; i++) {{ {body} }} }}")[-1]
    return loop_verdicts(delinearise(nest))[0].kind


@pytest.mark.parametrize(
    "body",
    [
        "z[i] = g.p[0]; g.p = q;",
        "z[i] = s->p[0]; s->p = q;",
        "z[i] = s->p[0]; *s = t;",
        "double *r = s->p + c[i]; z[i] = r[0]; s->p = r;",
        "double *r = s[c[i]].p + c[i]; z[i] = r[0]; s[i].p = r;",
        "z[i] = s[i + 1].p[0]; s[i].p = q;",
        "z[i] = s[i].p[0]; s[i + 1] = t;",
        "z[i] = o->in.p[i]; o->in.p = q;",
        "z[i] = o->in.p[i]; o->in = t;",
        "for (int j = 0; j < 3; j++) { z[3 * i + j] = s[j].p[0]; s[j].p = q; }",
    ],
)
def test_a_pointer_that_another_iteration_may_have_set_is_in_the_way(
    nests_of: Callable[[str], list[LoopNest]], body: str
) -> None:
    assert kind(nests_of, body) in {"unknown", "carried"}


@pytest.mark.parametrize(
    "body",
    [
        "s[i].p = malloc(8 * n); for (int j = 0; j < n; j++) s[i].p[j] = 0;",
        "S own = s[i]; z[i] = own.p[0];",
        "s[i].p = q; s[i].k = i;",
        "z[i] = s->p[i]; z[i] += s->k;",
        "z[i] = s[i].p[0]; s[i].k = 2;",
        "z[i] = o[i].in.p[0]; o[i].n = 2;",
    ],
)
def test_a_pointer_of_the_iteration_or_of_all_is_not(nests_of: Callable[[str], list[LoopNest]], body: str) -> None:
    assert kind(nests_of, body) == "parallel"
