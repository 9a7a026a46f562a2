"""What pointers may be set from, whatever the order of statements, and which objects share memory by it."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.source_names import c_name

DECLARATIONS = """struct vector { double *data; int n; };
double *given(int);
void set(double **);
static double *next_of(double *p) { return p + 1; }
double g[100];
static double *somewhere(int k) { return g + k; }
static double *set_from(double *p, const double *z) { p[0] = z[0]; return p; }
static double *copied(double *p) { double *t = given(3); t[0] = p[0]; return t; }
static double *either(double *p, double *z) { if (p[0] > 0) p = z; return p; }
static double *data_of(struct vector *u, struct vector *z) { z->n = 3; return u->data; }
"""


def nest_of(text: str, declarations: str = "") -> LoopNest:
    """The last nest of a function with parameters to choose from."""
    parameters = "int n, int c, double *a, double *b, struct vector *v, struct vector *w"
    source = f"{DECLARATIONS}{declarations}void f({parameters}) {{ double *q, *r; {text} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    return unit.functions[-1].nests[-1].nest


def shared(nest: LoopNest) -> set[frozenset[str]]:
    """Pairs of objects, by their names in the source."""
    return {frozenset((c_name(array.name), c_name(other))) for array in nest.arrays for other in array.may_point_into}


LOOP = "for (int i = 0; i < n; i++) { q[i] = a[i] + b[i]; }"
MET = {
    "a branch": ("if (c) q = a; else q = b + 1;", {"qa", "qb"}),
    "over another pointer": ("r = a + c; if (c) q = r; else q = given(0);", {"qa"}),
    "a sum from either side": ("if (c) q = c + a; else q = &a[c];", {"qa"}),
    "set later": ("q = given(0); while (c--) { " + LOOP + " q = b; }", {"qb"}),
    "a call of this file": ("if (c) q = next_of(a);", {"qa"}),
    "the first of two that a call gets": ("if (c) q = set_from(a, b);", {"qa"}),
    "a copy that a call gives": ("if (c) q = copied(a);", set()),
    "either of two that a call gets": ("if (c) q = either(a, b);", {"qa", "qb"}),
    "a call of another file": ("q = given(1);", set()),
    "set through its address": ("set(&q);", set()),
    "its address kept": ("double **pq = &q; *pq = a;", {"qa", "qb"}),
    "values are no addresses": ("q = given(1); *q = *a; q[1] = b[c];", set()),
    "a number beside": ("c = a - b; q = given(1) + c;", set()),
    "a conditional": ("q = c ? a : given(0);", {"qa"}),
    "a block's last item": ("if (c) q = ({ double *t = a; c--; t + 1; });", {"qa"}),
    "swapped": ("if (c) { double *t = a; a = b; b = t; } q = given(0);", set()),
    "swapped and one kept": ("if (c) { r = a; double *t = a; a = b; b = t; q = r; }", {"qa", "qb"}),
    "set and swapped": ("if (c) { double *t = a; a = b; b = t; } else a = b; q = given(0);", {"ab"}),
}


@pytest.mark.parametrize("name", MET)
def test_objects_that_a_pointer_may_lead_to(name: str) -> None:
    text, pairs = MET[name]
    assert shared(nest_of(text if LOOP in text else text + LOOP)) == {frozenset(pair) for pair in pairs}


def test_a_member_that_a_call_returns_is_that_of_the_structure_it_got() -> None:
    nest = nest_of("q = data_of(v, w); for (int i = 0; i < n; i++) q[i] = v->data[i] + w->data[i];")
    assert shared(nest) == {frozenset(("q", "v->data"))}


def test_members_are_told_by_their_paths() -> None:
    text = "if (c) q = v->data; for (int i = 0; i < n; i++) q[i] = v->data[i] + w->data[i];"
    assert shared(nest_of(text)) == {frozenset(("q", "v->data"))}


def test_a_structure_that_stands_for_another_shares_its_members() -> None:
    text = "if (c) v = w; for (int i = 0; i < n; i++) v->data[i] = w->data[i] + v->n;"
    assert frozenset(("v->data", "w->data")) in shared(nest_of(text))


def test_a_global_that_a_function_returns() -> None:
    text = "if (c) q = somewhere(c); for (int i = 0; i < n; i++) q[i] = g[i];"
    assert shared(nest_of(text)) == {frozenset("qg")}


PAIRS = """struct pair { double *p, *q; };
static struct pair pair_of(double *x) { struct pair made = { x, x }; return made; }
static void set_pair(struct pair *s, double *x) { s->p = s->q = x; }
static void make_pair(struct pair *s, int k) { s->p = malloc(k * 8); s->q = malloc(k * 8); }
static struct pair new_pair(double *x, int k) {
  struct pair made = { malloc(*x * k), malloc(k) };
  return made;
}
"""
PAIR = "struct { double *p, *q; } s"
MEMBERS = {
    "a list": (f"{PAIR} = {{ a, b }};", {"as.p", "bs.q"}),
    "a list with names": (f"{PAIR} = {{ .q = a }};", {"as.q"}),
    "a member": (f"{PAIR}; s.p = a;", {"as.p"}),
    "through a pointer": ("struct pair s, *t = &s; t->p = a;", {"as.p"}),
    "through a pointer's copy": ("struct pair s, *t = &s, *u = t; u->q = b;", {"bs.q"}),
    "copied as bytes": ("struct pair s, t; t.p = a; memcpy(&s, &t, sizeof s);", {"as.p"}),
    "numbers copied": ("struct pair s; memcpy(s.p, a, n * sizeof *a);", set()),
    "returned by a call": ("struct pair s = pair_of(a);", {"as.p", "as.q", "s.ps.q"}),
    "set by a call": ("struct pair s; set_pair(&s, b);", {"bs.p", "bs.q", "s.ps.q"}),
    "swapped": ("struct pair s; q = s.p; s.p = s.q; s.q = q;", set()),
    "made by a call": ("struct pair s; make_pair(&s, n);", set()),
    "made by a call that returns it": ("struct pair s = new_pair(a, n);", set()),
    "swapped and one set from the other": (
        "struct pair s; q = s.p; s.p = s.q; s.q = q; if (c) s.p = s.q + 1;",
        {"s.ps.q"},
    ),
}


@pytest.mark.parametrize("name", MEMBERS)
def test_members_that_may_lead_to_arrays(name: str) -> None:
    text, pairs = MEMBERS[name]
    found = shared(nest_of(text + "for (int i = 0; i < n; i++) s.p[i] = s.q[i] + a[i] + b[i];", PAIRS))
    assert {"".join(sorted(pair)) for pair in found} == pairs


ROWS = {
    "a list": ("double *m[2] = { a, a + 1 };", "a"),
    "a list of one row twice": ("double *m[2] = { a + n, n + a };", "a"),
    "a list of rows": ("double *m[2] = { a, a + n };", ""),
    "a list of short rows": ("double *m[2] = { a, a + 3 };", ""),
    "a list of arrays": ("double *m[2] = { a, b };", ""),
    "one by one": ("double *m[2]; m[0] = a; m[1] = &a[1];", "a"),
    "a pointer that moves between": ("double *m[2]; m[0] = a; a += n; m[1] = a;", ""),
    "in turns": ("double *m[2]; if (c) { m[0] = a; m[1] = b; } else { m[0] = b; m[1] = a; }", ""),
    "one after the other": ("double *m[2]; m[0] = a; m[1] = b; set(m); m[0] = b; m[1] = a;", ""),
    "all the same": ("double *m[9]; for (int k = 0; k < 9; k++) m[k] = a + c;", "a"),
    "one element on": ("double *m[9]; for (int k = 0; k < 9; k++) m[k] = &a[k + c];", "a"),
    "one element on, four rows on": ("double *m[9]; for (int k = 0; k < 9; k += 4) m[k] = a + k;", ""),
    "rows of a block": ("double *m[9]; for (int k = 0; k < 9; k++) m[k] = a + k * n;", ""),
    "rows of three": ("double *m[9]; for (int k = 0; k < 9; k++) m[k] = &a[3 * k];", ""),
    "a pointer that moves": ("double *m[9]; for (int k = 0; k < 9; k++) { m[k] = a; a += n; }", ""),
    "a count that moves": ("double *m[9]; for (int k = 0; k < 9; k++) { m[k] = a + c; c += n; }", ""),
    "the row before": ("double *m[9]; m[0] = a; for (int k = 1; k < 9; k++) m[k] = m[k - 1] + n;", ""),
    "some rows": ("double *m[9]; for (int k = 0; k < 9; k++) if (!m[k]) { m[k] = a; break; }", ""),
    "no rows": ("double *m[9]; for (int k = 0; k < 9; k++) m[k] = 0;", ""),
    "copied": ("double *l[2] = { a, a }, *m[2]; memcpy(m, l, sizeof m);", "a"),
    "behind another name": ("double *l[2] = { a, a }, **m = l;", "a"),
}


@pytest.mark.parametrize("name", ROWS)
def test_rows_that_certainly_overlap(name: str) -> None:
    text, start = ROWS[name]
    nest = nest_of(text + "for (int i = 0; i < n; i++) m[0][i] = m[1][i];")
    assert {array.rows_from for array in nest.arrays} == {start}


def test_structures_made_with_one_number_are_apart() -> None:
    text = "struct pair s, t; make_pair(&s, n); make_pair(&t, n); for (int i = 0; i < n; i++) s.p[i] = t.p[i + 1];"
    assert shared(nest_of(text, PAIRS)) == set()


def test_a_member_that_was_handed_in_is_set_from_an_array_here() -> None:
    text = "v->data = a; for (int i = 0; i < n; i++) v->data[i] = a[i + 1] + w->data[i];"
    assert shared(nest_of(text)) == {frozenset(("v->data", "a"))}
