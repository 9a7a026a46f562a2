"""Work arrays handed to functions of other files: each iteration would have to have its own, and that is said."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.comment import directive_text
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.private import Private

DECLARATIONS = """void *malloc(unsigned long); void free(void *); double *given(int);
void fill(double *w, int k); double use(const double *w, int k); void solve(const int *n, double *x, int *info);
struct pair { double x[2]; int k; }; void make(struct pair *p, int k);
static void twice(double *x) { double *e = x + (int)x[0]; for (int j = 0; j < 3; j++) { e[1] *= 2; e += 3; } }
"""
NEEDED = {
    "an array": ("double w[9];", "fill(w, i); a[i] = w[0] + w[8];", "fill is independent, w is private"),
    "allocated": ("double *w = malloc(72);", "fill(w, i); a[i] = w[0];", "fill is independent, w is private"),
    "handed on only": ("double w[9];", "fill(w, i); a[i] = use(w, i);", "fill is independent, w is private"),
    "a part of it": ("double w[9];", "fill(w + 3, i); a[i] = w[4];", "fill is independent, w is private"),
    "by an inner loop": (
        "double w[9];",
        "for (int j = 0; j < 3; j++) fill(w + 3 * j, i); a[i] = w[4];",
        "fill is independent, w is private",
    ),
    "a result": ("int info;", "solve(&n, a + i, &info); if (info) a[i] = 0;", "solve is independent, info is private"),
    "a struct": ("struct pair p;", "make(&p, i); a[i] = p.x[1] + p.k;", "make is independent, p is private"),
    "cut in parts": (
        "double *w = malloc(72), *p = w, *q = p + 4;",
        "fill(p, i); for (int j = 0; j < 4; j++) q[j] = p[j] * 2; a[i] = q[1] + q[n & 3];",
        "fill is independent, w is private",
    ),
    "parts that change places": (
        "double *w = malloc(72), *p = w, *q = w + 4, *s;",
        "fill(p, i); for (int j = 0; j < 4; j++) q[j] = p[j] * 2; a[i] = q[1]; s = p; p = q; q = s;",
        "fill is independent, w is private",
    ),
    "parts that change places, one handed on only": (
        "double *w = malloc(72), *p = w, *q = w + 4, *s;",
        "fill(p, i); a[i] = use(q, 4) + q[i & 3]; s = p; p = q; q = s;",
        "fill is independent, w is private",
    ),
    "a part where data says": (
        "double *w = malloc(72), *p;",
        "fill(w, i); p = w + (int)a[i]; p[0] = p[1] + w[2]; a[i] = p[0];",
        "fill is independent, w is private",
    ),
    "a part in a called function": (
        "double *w = malloc(72);",
        "fill(w, i); twice(w); a[i] = w[4];",
        "fill is independent, w is private",
    ),
    "added to what a call filled": (
        "double w[9];",
        "fill(w, i); w[2] += w[1]; a[i] = w[2];",
        "fill is independent, w is private",
    ),
    "filled later in an inner loop": (
        "double w[9];",
        "for (int j = 0; j < n; j++) { if (j) w[2] += w[1]; fill(w, i); } a[i] = w[2];",
        "fill is independent, w is private",
    ),
    "the caller's, filled here": ("", "v[1] = 2; fill(v, i); a[i] = v[1];", "fill is independent, v is private"),
    "the caller's, filled by a call": (
        "",
        "fill(v, i); for (int j = 0; j < 4; j++) v[j + 4] = v[j] * 2; a[i] = v[5];",
        "fill is independent, v is private",
    ),
    "the caller's, parts of it in turn": (
        "",
        "for (int j = i; j < i + 4; j++) { v[j - i] = a[i]; fill(v + (j - i), i); } a[i] = v[1];",
        "fill is independent, v is private",
    ),
    "read by what is assumed pure": (
        "double w[9];",
        "for (int j = 0; j < n; j++) w[j] = i; a[i] = use(w, i);",
        "w is private",
    ),
}
NOT_NEEDED = {
    "one per iteration": ("", "double w[9]; fill(w, i); a[i] = w[0];", "fill is independent"),
    "a part for each": ("double *w = malloc(72);", "fill(w + i, i); a[i] = 1;", "fill is independent"),
    "filled before it is handed on": (
        "double w[2];",
        "w[0] = i; w[1] = a[i]; fill(w, i); a[i] = w[0];",
        "fill is independent",
    ),
    "set before": ("double w[9]; fill(w, 0);", "fill(w, i); a[i] = 1;", "fill is independent"),
    "given": ("double *w = given(n);", "fill(w, i); a[i] = 1;", "fill is independent"),
    "the caller's": ("", "fill(a, i);", "fill is independent"),
    "the caller's, read only": ("", "fill(v, i); a[i] = v[1];", "fill is independent"),
    "the caller's, a part for each": ("", "fill(v + 4 * i, i); v[4 * i] += 1;", "fill is independent"),
}


@pytest.mark.parametrize("name", [*NEEDED, *NOT_NEEDED])
def test_each_iteration_needs_what_others_would_overwrite(nests_of: Callable[[str], list[LoopNest]], name: str) -> None:
    before, body, promises = (NEEDED | NOT_NEEDED)[name]
    source = (
        f"{DECLARATIONS}void f(int n, double *a, double *v) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} }}\n"
    )
    nest = nests_of(source)[-1]
    verdict = analyse_nest(nest).verdicts[0]
    assert (verdict.kind, directive_text(verdict.conditions)) == ("unknown", f"// warplens: {promises}")
    decided = analyse_nest(nest, verdict.conditions).verdicts[0]
    assert decided.kind == verdict.under_conditions
    assert {a.subject for a in decided.assumptions if a.kind == "promise"} == {p.subject for p in verdict.conditions}


def test_what_somebody_reads_later_has_no_copies(nests_of: Callable[[str], list[LoopNest]]) -> None:
    source = f"{DECLARATIONS}int f(int n, double *a) {{ int info; for (int i = 0; i < n; i++) solve(&n, a + i, &info); "
    nest = nests_of(source + "return info; }")[-1]
    said = (Independent("solve"), Private("info"))
    assert analyse_nest(nest).verdicts[0].conditions == ()
    assert analyse_nest(nest, said).verdicts[0].kind == "unknown"


@pytest.mark.parametrize("owner", ["void f(int n, double *a) { double w[9];", "void f(int n, double *a, double *w) {"])
@pytest.mark.parametrize("body", ["w[2] = w[2] * 2 + i; fill(w, i);", "a[i] = w[3]; fill(w, i); w[3] = i;"])
def test_what_is_read_before_a_call_could_fill_it_has_no_copies(
    nests_of: Callable[[str], list[LoopNest]], owner: str, body: str
) -> None:
    source = f"{DECLARATIONS}{owner} for (int i = 0; i < n; i++) {{ {body} }} }}"
    nest = nests_of(source)[-1]
    said = (Independent("fill"), Private("w"))
    assert analyse_nest(nest).verdicts[0].conditions == ()
    assert not analyse_nest(nest, said).verdicts[0].can_run_in_parallel


PLACED_BY_OTHERS = {
    "changed places if data says so": "fill(p, i); a[i] = q[0]; if (a[i] > 0) { s = p; p = q; q = s; }",
    "changed places behind a jump": "fill(p, i); a[i] = q[0]; if (a[i] > 0) continue; s = p; p = q; q = s;",
    "changed places and moved": "fill(p, i); a[i] = q[0]; s = p; p = q; q = s; if (a[i] > 0) p += 1;",
    "set after it is used": "fill(p, i); a[i] = p[0]; p = w + (int)a[i];",
    "set if data says so": "if (a[i] > 0) p = w + (int)a[i]; fill(p, i); a[i] = p[0];",
    "moved on if data says so": "fill(p, i); a[i] = p[0]; if (a[i] > 0) p++;",
}


@pytest.mark.parametrize("name", PLACED_BY_OTHERS)
def test_a_part_that_is_where_other_iterations_left_it_stays_in_the_way(
    nests_of: Callable[[str], list[LoopNest]], name: str
) -> None:
    before = "double *w = malloc(72), *p = w, *q = w + 4, *s;"
    loop = f"for (int i = 0; i < n; i++) {{ {PLACED_BY_OTHERS[name]} }}"
    nest = nests_of(f"{DECLARATIONS}void f(int n, double *a, double *v) {{ {before} {loop} }}")[-1]
    assert "w" in nest.scratch
    said = (Independent("fill"), Private("w"))
    assert analyse_nest(nest).verdicts[0].conditions == ()
    assert not analyse_nest(nest, said).verdicts[0].can_run_in_parallel
