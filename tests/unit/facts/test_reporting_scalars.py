"""Flags and counters that only report: offered where nothing else hangs on what they hold in between."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.promise import Promise

UNSEEN = (
    "int check(int y, double *row); void show(int done, int all); double *take(int k); int monitor(int k, int *z);\n"
)


def loop(body: str, promises: tuple[Promise, ...] = ()) -> LoopVerdict:
    before = "int done = 0, bad = 0, last = 0;"
    source = f"int f(int n, double *restrict y, int *restrict x) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} "
    ((verdict, *_),) = (nest.verdicts for nest in judged(f"{UNSEEN}{source} return done + bad + last; }}", promises))
    return verdict


def offered(body: str) -> set[str]:
    said = {promise.subject for promise in loop(body).conditions if promise.kind == "independent"}
    return said & {"done", "bad", "last"}


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("if (x[i]) done++; show(done, n); y[i] = 1;", {"done"}),
        ("if (x[i]) done++; if (done % 10 == 0) show(i, n); y[i] = 1;", {"done"}),
        ("if (bad) continue; y[i] = 2; if (check(i, y)) bad = 1;", {"bad"}),
        ("if (bad) continue; if (check(i, y)) bad = 1; y[i] = 2; if (y[i] > i) bad = 1;", {"bad"}),
        ("int mine = bad; if (mine) continue; if (check(i, y)) mine = 1; if (mine) bad = 1;", {"bad"}),
        ("if (bad) continue; if (x[i]) done++; show(done, n); if (check(i, y)) bad = 1;", {"bad", "done"}),
        ("int mine = bad; if (mine) continue; if (check(i, y)) mine = 1; if (mine == 1) bad = mine;", {"bad"}),
        ("int ok = !bad; if (check(i, y)) ok = 0; if (!ok) { bad = 1; y[i] = 1; } else if (ok != 1) bad = 1;", {"bad"}),
        ("if (bad) continue; int r = check(i, y); if (!(r != 3 || x[i])) bad = r; if (x[i]) bad = 3;", {"bad"}),
    ],
)
def test_a_flag_or_a_counter_that_only_reports_is_offered(body: str, names: set[str]) -> None:
    assert offered(body) == names
    assert loop(body).under_conditions == "reduction"


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (x[i]) done++; show(done, n); y[done] = 1;", id="subscript"),
        pytest.param("if (x[i]) done++; show(done, n); y[i] = y[i] + x[done];", id="subscript of a read"),
        pytest.param("if (x[i]) done++; show(done, n); y[i] = done;", id="stored value"),
        pytest.param("if (x[i]) done++; int t = 2 * done; show(t, n); y[i] = t;", id="stored value through another"),
        pytest.param("if (x[i]) done++; y[i] = monitor(done, 0);", id="stored value through a call"),
        pytest.param("if (x[i]) done++; show(done, n); for (int j = 0; j < done; j++) y[i] += j;", id="loop bound"),
        pytest.param("if (x[i]) done++; show(done, n); last = done;", id="another variable"),
        pytest.param("if (x[i]) done++; double *q = take(done); q[0] = i;", id="pointer that a call gives"),
        pytest.param("if (check(i, y)) last = i;", id="the place of the last one"),
        pytest.param("int r = check(i, y); if (r) bad = r;", id="a value that a guard does not say"),
        pytest.param("int r = check(i, y); if (r == 1) { r = x[i]; bad = r; }", id="a value set after the guard"),
        pytest.param("int r = check(i, y); if (r == 1 || x[i]) bad = r;", id="one guard of two"),
        pytest.param("int r = check(i, y); if (r == 1) bad = r; if (r == 2) bad = r;", id="two guarded values"),
        pytest.param("if (bad) continue; if (check(i, y)) bad = 1; if (x[i]) bad = 2;", id="two values"),
        pytest.param("if (bad) continue; monitor(i, &bad);", id="handed by address"),
        pytest.param("if (done < 5) done++; show(done, n);", id="a count that ends itself"),
        pytest.param("if (done > 5) continue; y[i] = 1; if (check(i, y)) done++;", id="a count that ends the work"),
        pytest.param("if (x[i]) done++; else done *= 2; show(done, n);", id="no count"),
    ],
)
def test_a_variable_that_does_more_is_not_offered(body: str) -> None:
    assert offered(body) == set()
    promised = tuple(Independent(name) for name in ("done", "bad", "last", "show", "check", "take", "monitor"))
    assert not loop(body, promised).can_run_in_parallel


def test_a_flag_is_a_store_and_a_counter_a_sum_once_promised() -> None:
    body = "if (bad) continue; if (x[i]) done++; show(done, n); if (check(i, y)) bad = 1;"
    promised = tuple(Independent(name) for name in ("bad", "done", "show", "check"))
    verdict = loop(body, promised)
    assert verdict.kind == "reduction"
    assert {(r.variable, r.operator) for r in verdict.reductions} == {("bad", "store"), ("done", "+")}
    said = {a.subject: a.text for a in verdict.assumptions if a.origin == "directive"}
    assert set(said) == {"bad", "done", "show", "check"}
    assert "leaves in `bad`" in said["bad"]


def test_where_all_code_is_in_the_file_only_a_flag_that_gives_up_is_offered() -> None:
    assert loop("if (bad) continue; y[i] = 2; if (x[i]) bad = 1;").conditions == (Independent("bad"),)
    assert loop("if (bad) y[i] = 2; if (x[i]) bad = 1;").conditions == ()
    assert loop("if (!bad && x[i]) { y[i] = 2; bad = 1; }").conditions == ()


CELLS = """struct state { int failed; long done; int limit; double x[8]; struct { int code; } in; };
int check(int y, double *row); void show(long done, int all); void tell(long *done); long *take(long k);
struct state all;
void f(int n, double *restrict y, const double *restrict x, long *restrict done, struct state *restrict s,
       struct state *restrict t) { for (int i = 0; i < n; i++) { %s } }
"""


def of_cells(body: str, promises: tuple[Promise, ...] = ()) -> LoopVerdict:
    ((verdict, *_),) = (nest.verdicts for nest in judged(CELLS % body, promises))
    return verdict


@pytest.mark.parametrize(
    ("body", "names"),
    [
        ("y[i] = x[i]; (*done)++; show(*done, n);", ("done",)),
        ("y[i] = x[i]; done[0] += 2; show(done[0], n);", ("done",)),
        ("y[i] = x[i] * s->limit; s->done++; show(s->done, n);", ("s->done",)),
        ("if (s->failed) continue; y[i] = x[i]; if (check(i, y)) s->failed = 1;", ("s->failed",)),
        ("if (s->in.code) continue; y[i] = x[i]; if (check(i, y)) s->in.code = 7;", ("s->in.code",)),
        ("if (all.failed) continue; y[i] = all.limit; if (check(i, y)) all.failed = 1;", ("all.failed",)),
        (
            "if (s->failed) continue; y[i] = x[i]; s->done++; show(s->done, n); if (check(i, y)) s->failed = 1;",
            ("s->done", "s->failed"),
        ),
    ],
)
def test_a_place_in_memory_may_report_as_a_variable_does(body: str, names: tuple[str, ...]) -> None:
    verdict = of_cells(body)
    assert verdict.kind == "unknown"
    said = {p.subject for p in verdict.conditions if p.kind == "independent"} - {"check", "show"}
    assert (said, verdict.under_conditions) == (set(names), "reduction")
    decided = of_cells(body, verdict.conditions)
    assert decided.kind == "reduction"
    assert set(names) <= {a.subject for a in decided.assumptions if a.kind == "promise"}


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y[i] = *done; (*done)++; show(*done, n);", id="stored value"),
        pytest.param("y[*done] = 1; (*done)++; show(*done, n);", id="subscript"),
        pytest.param("y[i] = 1; (*done)++; show(*done, n); tell(done);", id="handed on by address"),
        pytest.param("y[i] = 1; t[i].done++; show(t[0].done, n);", id="of each iteration"),
        pytest.param("y[i] = 1; s->done++; show(s->done, n); *s = *t;", id="the struct as a whole"),
        pytest.param("y[i] = 1; if (s->done < 5) s->done++; show(s->done, n);", id="a counter that ends itself"),
        pytest.param("y[i] = 1; s->done = i; show(s->done, n);", id="the last one"),
        pytest.param("y[i] = 1; s->done++; show(s->done, n); s->limit = s->done;", id="another member"),
        pytest.param("y[i] = 1; s->x[3] += x[i]; show(s->x[3], n);", id="an element of a member"),
        pytest.param("y[i] = 1; if (x[i] > 0) s++; s->done++; show(s->done, n);", id="a pointer that moves"),
        pytest.param("for (int j = 0; j < *done; j++) y[i] += j; (*done)++; show(*done, n);", id="loop bound"),
    ],
)
def test_a_place_in_memory_that_something_hangs_on_is_not_offered(body: str) -> None:
    assert of_cells(body).conditions == ()
    said = tuple(Independent(name) for name in ("show", "tell", "done", "s->done", "t->done", "s"))
    assert not of_cells(body, said).can_run_in_parallel


def test_a_promise_of_one_place_says_nothing_of_another() -> None:
    said = (Independent("check"), Independent("s->failed"))
    for other in (
        "s->done = s->done / 2 + i;",
        "y[i] = s->limit; s->limit = i;",
        "s->in.code = s->in.code ^ s->limit++;",
    ):
        body = f"if (s->failed) continue; {other} if (check(i, y)) s->failed = 1;"
        assert of_cells(body, said).kind in {"carried", "unknown"}
