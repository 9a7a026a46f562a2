"""What pointers may be set from, whatever the order of statements, and which objects share memory by it."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest

DECLARATIONS = """struct vector { double *data; int n; };
double *given(int);
void set(double **);
static double *next_of(double *p) { return p + 1; }
double g[100];
static double *somewhere(int k) { return g + k; }
"""


def nest_of(text: str) -> LoopNest:
    """The last nest of a function with parameters to choose from."""
    parameters = "int n, int c, double *a, double *b, struct vector *v, struct vector *w"
    source = f"{DECLARATIONS}void f({parameters}) {{ double *q, *r; {text} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    return unit.functions[-1].nests[-1].nest


def shared(nest: LoopNest) -> set[frozenset[str]]:
    """Pairs of objects, by their names in the source."""
    return {
        frozenset((array.name.partition("'")[0], other.partition("'")[0]))
        for array in nest.arrays
        for other in array.may_point_into
    }


LOOP = "for (int i = 0; i < n; i++) { q[i] = a[i] + b[i]; }"
MET = {
    "a branch": ("if (c) q = a; else q = b + 1;", {"qa", "qb"}),
    "over another pointer": ("r = a + c; if (c) q = r; else q = given(0);", {"qa"}),
    "a sum from either side": ("if (c) q = c + a; else q = &a[c];", {"qa"}),
    "set later": ("q = given(0); while (c--) { " + LOOP + " q = b; }", {"qb"}),
    "a call of this file": ("if (c) q = next_of(a);", {"qa"}),
    "a call of another file": ("q = given(1);", set()),
    "set through its address": ("set(&q);", set()),
    "its address kept": ("double **pq = &q; *pq = a;", {"qa", "qb"}),
    "values are no addresses": ("q = given(1); *q = *a; q[1] = b[c];", set()),
    "a number beside": ("c = a - b; q = given(1) + c;", set()),
    "a conditional": ("q = c ? a : given(0);", {"qa"}),
    "swapped": ("if (c) { double *t = a; a = b; b = t; } q = given(0);", set()),
    "swapped and one kept": ("if (c) { r = a; double *t = a; a = b; b = t; q = r; }", {"qa", "qb"}),
    "set and swapped": ("if (c) { double *t = a; a = b; b = t; } else a = b; q = given(0);", {"ab"}),
}


@pytest.mark.parametrize("name", MET)
def test_objects_that_a_pointer_may_lead_to(name: str) -> None:
    text, pairs = MET[name]
    assert shared(nest_of(text if LOOP in text else text + LOOP)) == {frozenset(pair) for pair in pairs}


def test_members_are_told_by_their_paths() -> None:
    text = "if (c) q = v->data; for (int i = 0; i < n; i++) q[i] = v->data[i] + w->data[i];"
    assert shared(nest_of(text)) == {frozenset(("q", "v->data"))}


def test_a_structure_that_stands_for_another_shares_its_members() -> None:
    text = "if (c) v = w; for (int i = 0; i < n; i++) v->data[i] = w->data[i] + v->n;"
    assert frozenset(("v->data", "w->data")) in shared(nest_of(text))


def test_a_global_that_a_function_returns() -> None:
    text = "if (c) q = somewhere(c); for (int i = 0; i < n; i++) q[i] = g[i];"
    assert shared(nest_of(text)) == {frozenset("qg")}
