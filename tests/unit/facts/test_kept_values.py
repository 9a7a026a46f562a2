"""Flags that say what went wrong: where nothing does they keep their values, which is said of no other variable."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.kept import Kept
from warplens.analysis.ir.promises.promise import Promise

UNSEEN = "int check(int y, double *row); double solve(int k, int *failed); void note(int code);\n"
KEPT = Kept("bad")


def loop(body: str, promises: tuple[Promise, ...] = ()) -> LoopVerdict:
    before = "int bad = 0, worst = 0, r = 0; double t = 0;"
    source = f"int f(int n, double *restrict y, int *restrict x) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} "
    ((verdict, *_),) = (nest.verdicts for nest in judged(f"{UNSEEN}{source} return bad + worst + r + t; }}", promises))
    return verdict


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("y[i] = solve(i, &bad);", id="handed by address"),
        pytest.param("if (bad) continue; y[i] = solve(i, &bad); if (y[i] < 0) bad = 7;", id="by address and set"),
        pytest.param("if (!bad) { int s = check(i, y); if (s) { note(s); bad |= s; } x[i] = 1; }", id="codes joined"),
        pytest.param("int s = check(i, y); if (s) bad = s;", id="the code of a call"),
        pytest.param("if (bad == 0) { if (check(i, y)) bad = 3; else if (x[i]) bad = -2; }", id="two codes"),
        pytest.param("if (bad) y[i] = 0; else y[i] = solve(i, &bad);", id="it decides between two values"),
        pytest.param("for (int j = 0; j < 3; j++) if (!bad) y[3 * i + j] = solve(j, &bad);", id="in a loop inside"),
    ],
)
def test_a_flag_of_failures_keeps_its_value_where_nothing_fails(body: str) -> None:
    offered = loop(body)
    assert KEPT in offered.conditions
    assert offered.under_conditions == "reduction"
    verdict = loop(body, offered.conditions)
    assert verdict.kind == "reduction"
    assert [(r.variable, r.operator) for r in verdict.reductions] == [("bad", "store")]
    (said,) = (a for a in verdict.assumptions if a.subject == "bad")
    assert (said.kind, said.origin) == ("promise", "directive")
    assert not loop(body, tuple(p for p in offered.conditions if p != KEPT)).can_run_in_parallel


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("if (check(i, y)) bad = i;", id="the place of the last one"),
        pytest.param("note(i); if (x[i] > 3) bad = x[i];", id="a value of memory"),
        pytest.param("int s = x[i]; note(s); if (s > 3) bad = s;", id="a value of memory by a copy"),
        pytest.param("if (check(i, y)) bad++; y[i] = bad;", id="a count"),
        pytest.param("int s = check(i, y); if (s > bad) bad = s;", id="a maximum"),
        pytest.param("int s = check(i, y); if (s != bad) { bad = s; y[i] = 1; }", id="what changed"),
        pytest.param("if (check(i, y)) bad = 1; y[bad] += i;", id="a subscript"),
        pytest.param("if (check(i, y)) bad = 1; y[i] = bad;", id="a stored value"),
        pytest.param("if (check(i, y)) bad = 1; int s = !bad; y[i] = s ? 2 : x[i] + s;", id="a stored value by a copy"),
        pytest.param("if (check(i, y)) bad = 1; for (int j = 0; j < bad; j++) y[i] += j;", id="a bound"),
        pytest.param("t += y[i] * bad; bad = check(i, y);", id="set in each iteration"),
        pytest.param("y[i] = bad ? 1 : 2; for (int j = 0; j < 2; j++) bad = j;", id="an iterator"),
        pytest.param("if (check(i, y)) t = solve(i, &r); y[i] = t;", id="no integer"),
    ],
)
def test_what_holds_more_than_a_failure_is_not_said_to_keep_its_value(body: str) -> None:
    flags = tuple(Kept(name) for name in ("bad", "t"))
    assert {*flags}.isdisjoint(loop(body).conditions)
    called = tuple(Independent(name) for name in ("check", "solve", "note"))
    assert loop(body, (*called, *flags)).kind == loop(body, called).kind


def test_a_flag_that_nothing_is_in_before_keeps_no_value() -> None:
    body = "for (int i = 0; i < n; i++) y[i] = solve(i, &bad); return bad; }"
    for before, conditions in (("int bad;", ()), ("int bad; bad = n;", (Independent("solve"), KEPT))):
        (nest,) = judged(f"{UNSEEN} int f(int n, double *restrict y) {{ {before} {body}")
        assert nest.verdicts[0].conditions == conditions


def test_a_flag_that_is_no_ones_but_the_iterations_needs_no_promise() -> None:
    verdict = loop("int own = 0; y[i] = solve(i, &own); if (own) y[i] = 0;")
    assert verdict.conditions == (Independent("solve"),)


def test_no_flag_is_said_to_keep_its_value_where_all_code_is_in_the_file() -> None:
    assert loop("if (!bad && x[i]) { y[i] = 2; bad = 1; }").conditions == ()
    assert loop("if (x[i] == 1) bad = 1; if (x[i] == 2) bad = 2;").conditions == ()


def test_where_a_flag_only_reports_that_is_what_is_offered() -> None:
    assert Independent("bad") in loop("if (bad) continue; y[i] = 2; if (check(i, y)) bad = 1;").conditions
