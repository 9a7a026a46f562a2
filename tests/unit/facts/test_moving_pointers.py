"""Pointers that lead to other memory in other iterations: when what is only read through them is in nobody's way."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.accesses import accesses_of
from warplens.analysis.ir.nest import LoopNest, walk_statements
from warplens.analysis.ir.polynomial import Polynomial
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.unshared import Unshared

DECLARATIONS = """struct matrix { double **rows; int **columns; double *current; };
struct image { double *data; struct image *next; };
static void row_of(struct matrix *m, int i, int **columns, double **row) {
  *columns = m->columns[i]; *row = m->rows[i];
}
"""
HEAD = "void f(int n, struct matrix *m, struct image **list, double *y, int *c, double *p, double *s)"

Nests = Callable[[str], list[LoopNest]]


def kinds(nests_of: Nests, body: str, *promises: Promise) -> list[str]:
    """Of a loop over `i` and those inside."""
    loop = f"double *q; int *k; for (int i = 0; i < n; i++) {{ {body} }}"
    nest = delinearise(nests_of(f"{DECLARATIONS}{HEAD} {{ {loop} }}")[0])
    return [verdict.kind for verdict in loop_verdicts(nest, promises)]


SET_IN_EACH = {
    "by a function": "row_of(m, i, &k, &q); y[i] = q[0] + k[i];",
    "again in a loop": "row_of(m, i, &k, &q); for (int j = 0; j < 9; j++) if (c[j]) row_of(m, j, &k, &q); y[i] = *q;",
    "in both branches": "if (c[i]) q = m->rows[i]; else q = m->rows[0]; y[i] = q[i];",
    "as a structure": "struct image a = *list[i]; y[i] = a.data[0];",
    "and moved by an inner loop": "q = p + c[i]; for (int j = 0; j < 9; j++) { y[i] += q[0]; q += n; }",
    "with a member": "struct image *a; if (c[i]) a = list[i]; else a = list[0]; y[i] = a->data[i];",
}


@pytest.mark.parametrize("how", SET_IN_EACH)
def test_what_is_only_read_through_a_pointer_set_in_each_iteration_is_in_nobodys_way(nests_of: Nests, how: str) -> None:
    assert kinds(nests_of, SET_IN_EACH[how])[0] == "parallel"


KEPT = {
    "set under a condition": "if (c[i]) row_of(m, i, &k, &p); y[i] = p[0];",
    "set afterwards": "y[i] = p[0]; row_of(m, i, &k, &p);",
    "followed before it is set": "double *o = p; row_of(m, i, &k, &p); y[i] = o[0];",
    "followed from its middle": "q = p + 1; row_of(m, i, &k, &p); y[i] = q[i];",
    "one of two is": "q = p; row_of(m, i, &k, &p); double *w; if (c[i]) w = q; else w = p; y[i] = w[0];",
    "a loop may not run": "for (int j = 0; j < c[i]; j++) row_of(m, j, &k, &p); y[i] = p[0];",
    "set in one case": "switch (c[i]) { case 1: p = m->rows[i]; break; case 2: p = m->rows[0]; } y[i] = p[0];",
    "in a static variable": "static double *w; if (c[i]) row_of(m, i, &k, &w); y[i] = w[0];",
    "from one that is": "double *w = c[i] ? p : s; y[i] = w[0]; p = m->rows[i];",
    "walking": "y[i] = *p; if (c[i]) p++;",
    "moved by an inner loop, then set": "for (int j = 0; j < 9; j++) { y[i] += p[0]; p += n; } p = s + c[i];",
    "moved through what is written": "q = p + c[i]; for (int j = 0; j < 9; j++) { y[i] += q[0]; q += n; } p[i] = 1;",
    "in a list": "struct image *a = list[0]; for (int j = 0; j < n; j++) { y[j] = a->data[0]; a = a->next; }",
    "written": "row_of(m, i, &k, &q); q[0] = i;",
    "a written structure": "struct image *a; if (c[i]) a = list[i]; else a = list[0]; y[i] = a->data[i]; a->data = s;",
}


@pytest.mark.parametrize("how", KEPT)
def test_a_value_of_another_iteration_or_a_write_stays_in_the_way(nests_of: Nests, how: str) -> None:
    assert kinds(nests_of, KEPT[how])[-1 if how == "in a list" else 0] in {"unknown", "carried"}


@pytest.mark.parametrize(
    "body",
    [
        "row_of(m, i, &k, &q); y[k[0]] = i;",
        "row_of(m, i, &k, &q); for (int j = k[0]; j < k[1]; j++) y[j] = i;",
        "row_of(m, i, &k, &q); if (k[0] == 3) y[0] = i;",
        "row_of(m, i, &k, &q); if (k[0] == i) y[k[0]] = q[0];",
    ],
)
def test_the_same_element_of_another_row_is_another_value(nests_of: Nests, body: str) -> None:
    assert kinds(nests_of, body)[0] == "unknown"
    assert kinds(nests_of, body, Injective("k"), Injective("k'"))[0] == "unknown"


def test_sums_at_places_read_from_a_changing_row_need_atomics(nests_of: Nests) -> None:
    assert kinds(nests_of, "row_of(m, i, &k, &q); for (int j = 0; j < 9; j++) y[k[j]] += q[j];")[0] == "reduction"


def test_a_pointer_set_under_a_condition_and_used_after_its_loop_can_have_no_copy_per_iteration(
    nests_of: Nests,
) -> None:
    assert kinds(nests_of, "for (int j = 0; j < n; j++) if (c[j]) p = m->rows[j]; y[i] = p[0];")[1] == "unknown"


def test_rows_of_neighbouring_threads_have_no_known_distance(nests_of: Nests) -> None:
    body = "row_of(m, i, &k, &q); y[i] = q[0] + s[0];"
    (nest,) = nests_of(f"{DECLARATIONS}{HEAD} {{ double *q; int *k; for (int i = 0; i < n; i++) {{ {body} }} }}")
    (kernel,) = analyse_nest(nest).kernels
    found = {a.access.array: (a.is_gathered, dict(a.stride_bytes)[kernel.root]) for a in kernel.accesses}
    assert found["q'"] == (True, None)
    is_gathered, stride = found["s"]
    assert not is_gathered
    assert stride == Polynomial(())


WRITTEN = {
    "by a function": ("row_of(m, i, &k, &q); for (int j = 0; j < n; j++) q[j] = k[j];", ["q"]),
    "one of two": ("row_of(m, i, &k, &q); q[k[0]] += 1; k[0] = i;", ["k", "q"]),
    "a structure's member": ("struct image a = *list[i]; a.data[0] += a.data[1];", ["a.data"]),
    "a member of what is chosen": (
        "struct image *a; if (c[i]) a = list[i]; else a = list[0]; a->data[0] = i;",
        ["a->data"],
    ),
    "at two places": ("row_of(m, i, &k, &q); q[0] = 1; row_of(m, i + n, &k, &q); q[0] = 2;", ["q"]),
}


@pytest.mark.parametrize("how", WRITTEN)
def test_that_rows_are_an_iterations_own_can_be_said(nests_of: Nests, how: str) -> None:
    body, names = WRITTEN[how]
    said = tuple(Unshared(name) for name in names)
    loop = f"double *q; int *k; for (int i = 0; i < n; i++) {{ {body} }}"
    nest = delinearise(nests_of(f"{DECLARATIONS}{HEAD} {{ {loop} }}")[0])
    found = loop_verdicts(nest)[0]
    assert (found.kind, found.under_conditions, found.conditions) == ("unknown", "parallel", said)
    under = loop_verdicts(nest, said)[0]
    assert under.kind == "parallel"
    assert [a.subject for a in under.assumptions if a.kind == "promise"] == names
    for promise in said:
        assert loop_verdicts(nest, tuple(one for one in said if one != promise))[0].kind == "unknown"


NOT_OWN = {
    "kept from before": "if (c[i]) row_of(m, i, &k, &p); p[0] += c[i];",
    "set afterwards": "p[0] += c[i]; row_of(m, i, &k, &p);",
    "packing": "if (c[i]) *p++ = y[i];",
    "of two iterations": "double *o = p; row_of(m, i, &k, &p); o[0] = i; p[0] = o[1];",
    "with a structure that changes": "struct image *a; a = c[i] ? list[i] : *list; a->data[0] = i; a->data = s;",
    "with what is carried": "row_of(m, i, &k, &q); q[0] = i; y[i + 1] = y[i];",
    "with a flag": "row_of(m, i, &k, &q); q[0] = 1; if (c[i]) p = q; if (p) p[1] = 2;",
}


@pytest.mark.parametrize("how", NOT_OWN)
def test_it_is_neither_offered_nor_enough_where_a_pointer_keeps_its_value(nests_of: Nests, how: str) -> None:
    loop = f"double *q; int *k; for (int i = 0; i < n; i++) {{ {NOT_OWN[how]} }}"
    nest = delinearise(nests_of(f"{DECLARATIONS}{HEAD} {{ {loop} }}")[0])
    said = tuple(Unshared(name) for name in ("p", "q", "o", "a->data", "a"))
    assert loop_verdicts(nest)[0].conditions == ()
    assert not loop_verdicts(nest, said)[0].can_run_in_parallel


@pytest.mark.parametrize(
    "before",
    ["q = given(i);", "row_of(m, i, &k, &q);", "if (c[i]) q = given(i); else q = given(n - i);"],
)
def test_a_pointer_is_named_as_in_the_source_whoever_set_it(nests_of: Nests, before: str) -> None:
    """Inside of the loop that sets it; which elements the inner loop writes is for data to say."""
    inner = "for (int j = 0; j < n; j++) q[c[j] + c[j + n]] = j;"
    loop = f"double *q; int *k; for (int i = 0; i < n; i++) {{ {before} {inner} }}"
    nest = delinearise(nests_of(f"double *given(int);\n{DECLARATIONS}{HEAD} {{ {loop} }}")[0])
    found = loop_verdicts(nest)[-1]
    said = Unshared("q")
    assert (found.kind, found.conditions) == ("unknown", (said,))
    under = loop_verdicts(nest, (said,))[-1]
    assert under.kind == "parallel"
    assert [a.subject for a in under.assumptions if a.kind == "promise"] == ["q"]


def test_a_pointer_of_a_called_function_has_no_name_at_the_loop(nests_of: Nests) -> None:
    body = "double *q = given(i); q[c[i] + c[i + 1]] = i; q[c[i + 2]] = 0;"
    called = f"double *given(int);\nstatic void put(int i, int *c) {{ {body} }}\n"
    loop = "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) put(j, c);"
    nest = delinearise(nests_of(f"{called}{DECLARATIONS}{HEAD} {{ {loop} }}")[0])
    assert nest.inlined == ("put",)
    assert all(Unshared("q") not in verdict.conditions for verdict in loop_verdicts(nest))


CALLED = """static void walk(double *x, int k, int n) {
  double *e = x + k; for (int j = 0; j < 3; j++) { e[0] = k; e += n; }
}
static void mirror(double *x, int k, int n) {
  double *e = x + k, *o = x + k * n; for (int j = 0; j < 3; j++) { o[0] = e[0]; e += n; o += n; }
}
static void both(double *x, double *z, int k, int n) {
  double *e = k ? x : z; for (int j = 0; j < 3; j++) { e[0] = 1; e += n; }
}
"""
HANDED = {"one pointer": "walk(y, c[i], n);", "two pointers": "mirror(y, c[i], n);"}
HANDED_OTHERWISE = {
    "one of two arrays": "both(y, s, c[i], n);",
    "a row": "walk(m->rows[0], c[i], n);",
    "a variable that changes": "walk(p, c[i], n); p = s;",
    "left there by another iteration": "walk(y, c[i], n); if (c[i]) y++;",
}


@pytest.mark.parametrize("how", [*HANDED, *HANDED_OTHERWISE])
def test_a_pointer_of_a_called_function_goes_by_the_name_of_what_that_was_handed(nests_of: Nests, how: str) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {(HANDED | HANDED_OTHERWISE)[how]} }}"
    nest = delinearise(nests_of(f"{DECLARATIONS}{CALLED}{HEAD} {{ {loop} }}")[-1])
    verdict = loop_verdicts(nest)[0]
    assert verdict.kind == "unknown"
    named = "y" if how in HANDED else "m->rows" if how == "a row" else ""
    assert verdict.suggestion == (f"// warplens: {named} has no shared elements" if named else "")
    said = loop_verdicts(nest, (Unshared("y"),))[0]
    assert said.can_run_in_parallel == (how in HANDED)
    if how in HANDED:
        assert [a.subject for a in said.assumptions if a.kind == "promise"] == ["y"]


STANDING = {
    "for (int i = 0; i < n; i++) { h = c[i]; q[i] = h; }": ["parallel"],
    "for (int i = 0; i < n; i++) { h = c[i]; q[i] = p[i]; }": ["unknown"],
    "for (int i = 0; i < n; i++) { h = c[i]; q[i] = h; q = p + h; }": ["unknown"],
    "for (int t = 0; t < n; t++) { q[t] = 3; q = p + h; for (int i = 0; i < n; i++) { h = c[i]; q[i] = h; } }": [
        "unknown",
        "parallel",
    ],
}


@pytest.mark.parametrize("loop", STANDING)
def test_a_pointer_stays_although_what_it_was_set_from_changes(nests_of: Nests, loop: str) -> None:
    head = "void f(int n, int h, int *c, double *p)"
    nest = delinearise(nests_of(f"{head} {{ double *q = p + h; {loop} }}")[-1])
    assert [verdict.kind for verdict in loop_verdicts(nest)] == STANDING[loop]


DECIDES = {
    "whether something runs": "k = m->columns[i]; double d = 0; for (int j = 0; j < 9; j++) { if (k[4] > 3) d += k[0];"
    " k += 5; } y[i] = d;",
    "how far a loop goes": "k = m->columns[i]; k += c[i]; double d = 0; for (int j = k[0]; j < k[1]; j++) d += s[j];"
    " y[i] = d;",
    "where a loop ends": "k = m->columns[i]; double d = 0; int g; while ((g = k[0]) != -1) { d += s[g]; k += 5;"
    " if (k[-1] == -1) continue; while ((g = *k++) != -1) d += 2; } y[i] = d + k[0];",
    "how often it moves": "k = m->columns[i]; double d = 0; for (int j = *k++; j--; k += 3) d += k[2]; y[i] = d;",
}


@pytest.mark.parametrize("what", DECIDES)
def test_what_is_read_through_it_may_decide(nests_of: Nests, what: str) -> None:
    assert kinds(nests_of, DECIDES[what])[0] == "parallel"


ELSEWHERE = {
    "it moves from the last": "if (c[i]) k = m->columns[i]; k += c[i]; y[i] = k[0]; k[1] = 3;",
    "it moves by what it leads to": "k += k[3]; y[i] = 1; if (k[0] == i) y[i + 1] = 2;",
    "it moves on": "p += c[i]; y[i] = p[0]; p[1] = 2;",
    "what is written": "k = m->columns[i]; for (int j = 0; j < 9; j++) { if (k[4] > 3) y[i] = j; else y[i + 1] = 2;"
    " k += 5; }",
    "one element": "k = m->columns[i]; k += c[i]; if (k[0] > 3) y[0] = i;",
    "one or the other": "k = m->columns[i]; k += 2; if (k[0]) y[i] = 1; if (!k[0]) y[i + 1] = 2;",
    "where a loop goes": "k = m->columns[i]; k += c[i]; for (int j = k[0]; j < k[1]; j++) y[j] = i;",
}


@pytest.mark.parametrize("what", ELSEWHERE)
def test_one_iteration_says_nothing_of_what_another_reads_there(nests_of: Nests, what: str) -> None:
    assert kinds(nests_of, ELSEWHERE[what])[0] in {"unknown", "carried"}


def test_a_pointer_that_moves_by_what_it_leads_to_has_no_closed_form(nests_of: Nests) -> None:
    for body in ("c += c[3]; y[c[0]] = i;", "y[i] = *c; c += *c;", "y[i] = s[c[1]]; c = c + c[2];"):
        nest = delinearise(nests_of(f"{DECLARATIONS}{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}")[0])
        accesses = [a for statement in walk_statements((nest.root,)) for a in accesses_of(statement)]
        indices = [i for a in accesses for i in a.indices if i is not None]
        assert not any("c[" in name for index in indices for name in index.symbols)
