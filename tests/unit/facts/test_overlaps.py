"""Names that a function leads to one memory: what would have to be said of them, and what a loop is under that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.catalogue import read_promise
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.unshared import Unshared

Nests = Callable[[str], list[LoopNest]]

HEAD = """struct part { double *data; int *at; };
double *part_of(double *x, int k), got(int i, double *v);
long offset(int k);
"""
PARAMETERS = "int n, int k, int *c, double *x, double *y, struct part *s"
TWO = "double *p = x + offset(k), *q = x + offset(k + 1);"
THREE = f"{TWO} double *r = x + offset(k + 2);"


def last(nests_of: Nests, body: str, *said: str) -> LoopVerdict:
    """Of the outermost loop of the last nest."""
    nest = delinearise(nests_of(f"{HEAD}void f({PARAMETERS}) {{ {body} }}")[-1])
    return loop_verdicts(nest, tuple(map(read_promise, said)))[0]


def offered(verdict: LoopVerdict) -> tuple[str, list[str]]:
    return verdict.under_conditions, [promise.subject for promise in verdict.conditions]


def loop(body: str) -> str:
    return f"for (int i = 0; i < n; i++) {{ {body} }}"


OFFERS = {
    "two": (TWO, "p[i] = q[i];", ["p and q do not overlap"]),
    "all of three": (THREE, "p[i] = q[i]; r[i] = q[i] + p[i]; q[i] = 0;", ["p, q and r do not overlap"]),
    "one written": (THREE, "p[i] = q[i] + r[i];", ["p does not overlap q or r"]),
    "the array itself": (TWO, "p[i] = x[i];", ["p and x do not overlap"]),
    "a sum": (TWO, "p[0] += q[i];", ["p and q do not overlap"]),
    "members": (f"{TWO} s->data = x + offset(3);", "s->data[i] = p[i];", ["p and s->data do not overlap"]),
}


@pytest.mark.parametrize("what", OFFERS)
def test_what_has_to_be_said_is_offered_and_decides(nests_of: Nests, what: str) -> None:
    before, body, said = OFFERS[what]
    found = last(nests_of, before + loop(body))
    assert found.kind == "unknown"
    assert offered(found) == ("reduction" if what == "a sum" else "parallel", said)
    under = last(nests_of, before + loop(body), *said)
    assert under.kind == found.under_conditions
    assert [a.subject for a in under.assumptions if a.kind == "promise"] == said


def test_two_groups_are_two_statements(nests_of: Nests) -> None:
    other = "double *u = y + offset(k), *w = y + offset(n);"
    found = last(nests_of, TWO + other + loop("p[i] = q[i]; u[i] = w[i];"))
    assert offered(found) == ("parallel", ["p and q do not overlap", "u and w do not overlap"])


def test_written_names_are_apart_from_each_other_and_from_what_is_read(nests_of: Nests) -> None:
    more = "double *t = x + offset(7);"
    found = last(nests_of, THREE + more + loop("p[i] = r[i] + t[i]; q[i] = r[i] - t[i];"))
    said = {pair for promise in found.conditions for pair in _pairs(promise.subject)}
    assert said == {"pq", "pr", "pt", "qr", "qt"}
    for one in found.conditions:
        others = [promise.subject for promise in found.conditions if promise is not one]
        assert last(nests_of, THREE + more + loop("p[i] = r[i] + t[i]; q[i] = r[i] - t[i];"), *others).kind == "unknown"


def _pairs(text: str) -> list[str]:
    left, _, right = text.partition(" does not overlap ")
    if right:
        return ["".join(sorted((left, name))) for name in right.replace(" or ", ", ").split(", ")]
    names = left.removesuffix(" do not overlap").replace(" and ", ", ").split(", ")
    return [a + b for at, a in enumerate(names) for b in names[at + 1 :]]


STAY = {
    "carried whatever is said": "p[i] = q[i] + p[i + 1];",
    "which elements data decides": "p[c[i]] = q[i] + p[i];",
    "it ends early": "p[i] = q[i]; if (p[i] > 9) break;",
}


@pytest.mark.parametrize("what", STAY)
def test_nothing_is_offered_where_it_does_not_help(nests_of: Nests, what: str) -> None:
    body = TWO + loop(STAY[what])
    assert last(nests_of, body).conditions == ()
    assert not last(nests_of, body, "p and q do not overlap").can_run_in_parallel


@pytest.mark.parametrize(
    "said",
    [
        ("p and r do not overlap",),
        ("p and x do not overlap", "q and x do not overlap"),
        ("r does not overlap p or q",),
        ("p and s->data do not overlap",),
    ],
)
def test_what_is_said_of_other_pairs_does_not_help(nests_of: Nests, said: tuple[str, ...]) -> None:
    found = last(nests_of, THREE + loop("p[i] = q[i];"), *said)
    assert found.kind == "unknown"
    assert [promise.subject for promise in found.conditions] == ["p and q do not overlap"]


def test_of_one_name_at_several_places_its_elements_are_said_to_be_each_iterations_own(nests_of: Nests) -> None:
    body = loop("double *p = x; if (c[i]) p = x + c[i]; p[i] = 1; p = x; if (c[0]) p = x + 1; p[i] = 2;")
    (promise,) = last(nests_of, body).conditions
    assert promise == Unshared("p")
    nest = delinearise(nests_of(f"{HEAD}void f({PARAMETERS}) {{ {body} }}")[-1])
    assert loop_verdicts(nest, (promise,))[0].kind == "parallel"


def test_names_of_called_functions_are_not_the_loops(nests_of: Nests) -> None:
    """What is said of the caller's `p` says nothing of a `p` in a function whose body stands in the loop."""
    choice = "double *p; if (c[i]) p = x; else p = y; x[i] = p[i];"
    called = f"static void put(double *x, double *y, int i, int *c) {{ {choice} }}\n"
    nest = nests_of(f"{HEAD}{called}void f({PARAMETERS}) {{ {loop('put(x, y, i, c);')} }}")[-1]
    (found,) = loop_verdicts(delinearise(nest))
    assert (found.reason, found.conditions) == ("`p` may point into `x`", ())
    assert loop_verdicts(delinearise(nest), (read_promise("p and x do not overlap"),))[0].kind == "unknown"
    assert offered(last(nests_of, loop(choice))) == ("parallel", ["p and x do not overlap"])


def test_a_promise_replaces_the_assumption_about_pointers_that_callers_pass(nests_of: Nests) -> None:
    body = loop("x[i] = y[i];")
    assert [a.kind for a in last(nests_of, body).assumptions] == ["alias"]
    said = last(nests_of, body, "x and y do not overlap")
    assert [(a.kind, a.origin) for a in said.assumptions] == [("promise", "directive")]
    assert "in this loop" in said.assumptions[0].text
    other = last(nests_of, body, "c and x do not overlap")
    assert [a.kind for a in other.assumptions] == ["alias"]


def test_a_variable_may_be_named_as_what_a_pointer_does_not_lead_to(nests_of: Nests) -> None:
    body = "double t = 0, *p = y; if (k) p = &t; " + loop("p[i] = x[i]; t += 1;") + " y[0] = t;"
    assert offered(last(nests_of, body)) == ("reduction", ["p and t do not overlap"])
    assert last(nests_of, body, "p and t do not overlap").kind == "reduction"


def test_it_is_said_of_one_loop(nests_of: Nests) -> None:
    source = f"{HEAD}void f({PARAMETERS}) {{ {TWO} for (int j = 0; j < n; j++) {loop('p[i] = q[i] + j;')} }}"
    nest = delinearise(nests_of(source)[-1])
    inner = nest.root.body[0].id
    found = loop_verdicts(nest, (replace(read_promise("p and q do not overlap"), loop=inner),))
    assert [verdict.kind for verdict in found] == ["unknown", "parallel"]
    assert found[0].conditions == ()


def test_with_a_function_that_is_vouched_for(nests_of: Nests) -> None:
    found = last(nests_of, TWO + loop("p[i] = q[i] + got(i, y);"))
    assert [(p.subject, p.kind) for p in found.conditions] == [
        ("got", "independent"),
        ("p and q do not overlap", "separate"),
    ]


OWN = "void ask(int i, int *v); void use(int **p); void see(int *p); struct row { char *name; int *v; int id; };\n"


def of_rows(nests_of: Nests, before: str, body: str) -> LoopVerdict:
    source = f"{OWN}void g(int n, struct row **r, int *restrict c) {{ {before} {loop(body)} }}"
    nest = delinearise(nests_of(source)[-1])
    said = tuple(Independent(name) for name in ("ask", "use", "see"))
    return loop_verdicts(nest, said)[0]


@pytest.mark.parametrize(
    ("before", "body"),
    [
        ("", "int t; ask(i, &t); c[i] = r[i]->name[t];"),
        ("int *p; use(&p);", "p[i] = c[i]; see(p);"),
        ("struct row *q; ask(0, &n); see((int *)&q);", "int t = 0; ask(i, &t); q[i].id = t;"),
    ],
)
def test_what_no_pointer_leads_to_from_one_iteration_to_another_is_apart(
    nests_of: Nests, before: str, body: str
) -> None:
    assert of_rows(nests_of, before, body).kind == "parallel"


@pytest.mark.parametrize(
    ("before", "body", "reason"),
    [
        ("int t = 0; ask(0, &t); int *p; use(&p);", "t = i; p[i] = 2; ask(i, &t);", "`p` may point to `t`"),
        ("int t = 0, *p = &t;", "*p = i; c[i] = t;", "`t` is reached through a pointer too"),
        ("int *p; use(&p);", "static int t; t = i; ask(i, &t); c[i] = p[t];", "`p` may point to `t`"),
        ("int *p; use(&p);", "int **q = &p; *q = c; p[i] = i; see(p);", "`p`"),
    ],
)
def test_a_variable_of_all_iterations_may_be_what_a_pointer_leads_to(
    nests_of: Nests, before: str, body: str, reason: str
) -> None:
    verdict = of_rows(nests_of, before, body)
    assert verdict.kind == "unknown"
    assert reason in verdict.reason


TABLES = """struct curve { float table[8]; int n; }; struct curves { float **table[8]; } all;
struct piece { void *data; };
typedef float pixel[4];
"""


@pytest.mark.parametrize(
    "declared", ["pixel v;", "float v[4];", "static pixel v;", "__typeof__(all.table[0][0][0]) v[4];"]
)
def test_what_is_stored_in_an_array_does_not_lead_pointers_to_it(nests_of: Nests, declared: str) -> None:
    body = "v[0] = x[i]; for (int c = 0; c < 1; c++) v[c] = d->table[(int)(v[c] * 7)]; y[i] = v[0];"
    source = f"{TABLES}void f(int n, struct piece *p, float *restrict x, float *restrict y) {{ {declared} "
    nest = delinearise(nests_of(f"{source} const struct curve *d = (struct curve *)p->data; {loop(body)} }}")[-1])
    assert "may point" not in loop_verdicts(nest)[0].reason


def test_a_pointer_that_is_set_to_an_array_leads_to_it(nests_of: Nests) -> None:
    source = f"{TABLES}void f(int n, struct piece *p, float *restrict x, float *restrict y) {{ pixel v; p->data = v; "
    body = "v[0] = x[i]; d->table[1] = 2; y[i] = v[0];"
    nest = delinearise(nests_of(f"{source} struct curve *d = p->data; {loop(body)} }}")[-1])
    assert not loop_verdicts(nest)[0].can_run_in_parallel
