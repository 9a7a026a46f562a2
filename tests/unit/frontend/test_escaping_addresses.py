"""Variables whose address a call only borrows are followed as others are; those that others keep are not."""

from __future__ import annotations

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.independent import Independent

DECLARATIONS = """static void set(int *k) { *k += 1; }
static int *kept; static void keep(int *k) { kept = k; }
static int *same(int *k) { return k; }
void unseen(int *k); double frexp(double, int *);
static void range(int *s, int *e, const int *p) { if (*p) { *s = p[0]; *e = p[1]; } else { *s = p[1]; *e = p[2]; } }
"""


def nest_of(body: str) -> LoopNest:
    source = f"{DECLARATIONS}void f(int n, double *a, const int *p) {{ {body} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    return unit.functions[-1].nests[-1].nest


COUNTED = {
    "set before": "int i; set(&i); for (; i < n; i++) a[i] = 1;",
    "the limit set before": "int m; frexp(a[0], &m); for (int i = 0; i < m; i++) a[i] = 1;",
    "both set in a loop around": "for (int k = 0; k < n; k++) { int i, e; range(&i, &e, p + k);"
    "for (; i < e; i++) a[i] = 1; }",
}


@pytest.mark.parametrize("name", COUNTED)
def test_a_loop_that_starts_where_a_call_says_is_parallel(name: str) -> None:
    assert analyse_nest(nest_of(COUNTED[name])).verdicts[-1].kind == "parallel"


def test_a_variable_that_a_call_sets_keeps_no_value_over_it() -> None:
    text = dump(nest_of("int k = 3, m = 5; set(&k); for (int i = 0; i < n; i++) a[i * k] = a[m];"))
    assert "a[5]" in text
    assert "a[3*i]" not in text


NOT_PARALLEL = {
    "a call moves the iterator": "for (int i = 0; i < n; i++) { a[i] = 1; set(&i); }",
    "kept": "int k = 0; keep(&k); for (int i = 0; i < n; i++) { *kept = i; a[k] += k; }",
    "returned": "int k = 0, *q = same(&k); for (int i = 0; i < n; i++) { *q += 2; a[k] = 1; }",
    "set through a copy": "int k = 0, *q = &k; for (int i = 0; i < n; i++) { a[k] = i; *q = i; }",
    "moved by a call": "int k = 0; for (int i = 0; i < n; i++) { set(&k); a[k] = a[k - 1]; }",
    "unseen": "int k = 0; for (int i = 0; i < n; i++) { unseen(&k); a[k] = a[k - 1]; }",
}


@pytest.mark.parametrize("name", NOT_PARALLEL)
def test_what_others_change_is_not_taken_for_fixed(name: str) -> None:
    assert analyse_nest(nest_of(NOT_PARALLEL[name])).verdicts[0].kind in {"carried", "unknown"}


def test_a_pointer_of_unknown_origin_is_assumed_not_to_point_to_a_variable() -> None:
    nest = nest_of("int k = 4, *q = kept; unseen(&k); for (int i = 0; i < n; i++) q[i] = k;")
    (verdict,) = analyse_nest(nest).verdicts
    assert verdict.kind == "parallel"
    assert [a.text for a in verdict.assumptions if "k" in a.subject] == ["`kept` is assumed not to point to `k`."]


CONSTANT = {
    "a local": "const int k = 2 * n; unseen(&k); for (int i = 0; i < k; i++) { unseen(&k); a[k + i] = a[i]; }",
    "a parameter": "for (int i = 0; i < c; i++) { unseen(&c); a[c + i] = a[i]; }",
    "kept": "const int k = 4; keep(&k); for (int i = 0; i < k; i++) a[k + i] = a[i];",
    "of the nest": "for (int j = 0; j < n; j++) { const int k = 9; for (int i = 0; i < k; i++) "
    "{ unseen(&k); a[k + i] = a[i]; } }",
    "of a called function": "for (int i = 0; i < c; i++) { with_constant(a, c, i); }",
}
CHANGED = {
    "a pointer to const": "const int *k = p; for (int i = 0; i < n; i++) { move(&k); a[i] = *k; }",
    "volatile": "const volatile int k = 2; unseen(&k); for (int i = 0; i < k; i++) a[k + i] = a[i];",
    "not const": "int k = n; unseen(&k); for (int i = 0; i < n; i++) { unseen(&k); a[k + i] = a[i]; }",
    "another one of its name inside": "const int k = n; for (int i = 0; i < n; i++) { int k = 0; unseen(&k); "
    "for (int j = 0; j < k; j++) a[k + j] = a[j]; }",
}


def under_promise(body: str) -> list[LoopVerdict]:
    """Verdicts where the functions of other files are independent, of a function with a `const` parameter `c`."""
    own = """static void with_constant(double *a, const int m, int i) { const int k = m; unseen(&k); a[i + k] = a[i]; }
    void move(const int **p);"""
    source = f"{DECLARATIONS}{own}void f(int n, double *a, const int *p, const int c) {{ {body} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    promises = tuple(Independent(name) for name in ("unseen", "move"))
    return list(analyse_nest(unit.functions[-1].nests[-1].nest, promises).verdicts)


@pytest.mark.parametrize("name", [*CONSTANT, *CHANGED])
def test_a_constant_keeps_its_value_whoever_has_its_address(name: str) -> None:
    found = under_promise((CONSTANT | CHANGED)[name])[-1]
    assert (found.kind == "parallel") == (name in CONSTANT)
