"""What an undecided loop would have to be promised: which names, none too many, and nothing that could not help."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support.iteration_order.labels import judged
from support.iteration_order.promised import Promised, matters_in_any_order
from warplens.analysis.dependence.verdicts.parallelism import _Judge, loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import Loop, LoopNest
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.promise import Promise

UNSEEN = """
int check(int y, double *row); void show(int done, int all); void touch(int i, double *y);
double *row_of(double *m, int y); double weigh(double *row, int n);
struct ops { void (*apply)(int, double *); }; int omp_get_thread_num(void);
int printf(const char *, ...); int rand(void); int monitor(int done, int *failed);
"""

NestsOf = Callable[[str], list[LoopNest]]


def verdicts(source: str) -> tuple[LoopVerdict, ...]:
    """Verdicts of the loops of the only nest."""
    ((found),) = (nest.verdicts for nest in judged(UNSEEN + source))
    return found


def loop(body: str, before: str = "", after: str = "") -> LoopVerdict:
    parameters = "int n, double *restrict y, int *restrict idx, struct ops *o, int (*op)(int)"
    return verdicts(f"int f({parameters}) {{ {before} for (int i = 1; i < n; i++) {{ {body} }} {after} return 0; }}")[0]


@pytest.mark.parametrize(
    ("body", "suggestion", "kind"),
    [
        ("y[i] = weigh(y, i);", "weigh is independent", "parallel"),
        ("touch(i, y);", "touch is independent", "parallel"),
        ("touch(i, y); y[i] += weigh(y, i);", "touch is independent, weigh is independent", "parallel"),
        ("o->apply(i, y);", "o->apply is independent", "parallel"),
        ("y[i] = op(i);", "op is independent", "parallel"),
        ("touch(i, y); y[idx[i]] = i;", "touch is independent, idx has no repeats", "parallel"),
        ("y[idx[i]] = i;", "idx has no repeats", "parallel"),
        ("double t = 1; touch(i, &t); y[i] = t;", "touch is independent", "parallel"),
        ("double *q = row_of(y, i); for (int j = 0; j < n; j++) q[j] = j;", "row_of is independent", "parallel"),
        ("y[0] += weigh(y, i);", "weigh is independent", "reduction"),
        ("double w = weigh(y, i); if (w > y[0]) y[0] = w;", "weigh is independent", "reduction"),
    ],
)
def test_what_is_missing_is_offered(body: str, suggestion: str, kind: str) -> None:
    verdict = loop(body)
    assert verdict.kind == "unknown"
    assert (verdict.suggestion, verdict.under_conditions) == (f"// warplens: {suggestion}", kind)


@pytest.mark.parametrize(
    "body",
    [
        "touch(i, y); y[i] = y[i - 1];",
        "touch(i, y); y[0] = y[0] * 2 + i;",
        'touch(i, y); printf("%n", idx + i);',
        "touch(i, y); y[i] = rand();",
        "touch(i, y); y[i] = omp_get_thread_num();",
        "touch(i, y); y[i] = __atomic_fetch_add(idx, 1, 0);",
        "touch(i, y); if (y[i] > 3) break;",
        "static int called; touch(called++, y); y[called] = 1;",
        "(op + 1)(i);",
        "if (weigh(y, i) > y[0]) y[0] = weigh(y, i);",  # who knows what it says the second time
        "y[0] = y[0] < weigh(y, i) ? weigh(y, i) : y[0];",
        "if (weigh(y, i) > t) if (weigh(y, i) > t) { t = weigh(y, i); at = i; }",
    ],
)
def test_what_no_promise_would_help_offers_none(body: str) -> None:
    verdict = loop(body, "double t = 0; int at = 0;", "y[at] = t;")
    assert verdict.kind in {"unknown", "carried"}
    assert (verdict.conditions, verdict.under_conditions, verdict.suggestion) == ((), "", "")


def test_a_function_of_the_file_that_prints_or_keeps_state_is_not_to_be_promised() -> None:
    called = 'static void say(int i) { printf("%d", i); } static int next(void) { static int n; return n++; }'
    for body, said in (("say(i); touch(i, y);", ("touch", "output in any order")), ("touch(next(), y);", ())):
        (verdict,) = verdicts(f"{called} void f(int n, double *y) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
        assert tuple(promise.subject for promise in verdict.conditions) == said


def test_a_variable_handed_by_address_that_not_each_iteration_sets_is_in_the_way() -> None:
    assert loop("if (y[i] > 0) touch(i, &t); y[i] = t;", before="double t = 0;").conditions == ()
    assert loop("t = 0; touch(i, &t); y[i] = t;", before="double t;").suggestion == "// warplens: touch is independent"


def test_none_of_the_promises_can_be_left_out() -> None:
    body = "if (bad) continue; show(++done, n); touch(i, y); y[idx[i]] = i; if (check(i, y)) bad = 1;"
    before = "int bad = 0, done = 0, seen = 0;"
    loops = f"for (int i = 0; i < n; i++) {{ {body} seen++; }}"
    source = f"int f(int n, double *y, int *idx) {{ {before} {loops} return bad + seen; }}"
    (verdict,) = verdicts(source)
    assert {p.subject for p in verdict.conditions} == {"show", "touch", "check", "bad", "done", "idx"}
    assert verdict.under_conditions == "reduction"
    for left_out in verdict.conditions:
        fewer = tuple(p for p in verdict.conditions if p != left_out)
        ((without,),) = (nest.verdicts for nest in judged(UNSEEN + source, fewer))
        assert not without.can_run_in_parallel, left_out


@pytest.mark.parametrize(
    ("place", "asked"),
    [
        pytest.param("y[idx[k] + at[i]] = i", {"at"}, id="one value for all iterations"),
        pytest.param("y[to[idx[k]] + at[i]] = i", {"at"}, id="one that leads to one"),
        pytest.param("y[idx[k] * n + i] = y[idx[k + 1] * n + i + 1]", {"idx"}, id="two that may be the same"),
        pytest.param("y[to[idx[i]]] = i", {"idx", "to"}, id="one that leads to another in each"),
        pytest.param("int j = at[i]; y[to[j] + idx[k]] = i", {"at", "to"}, id="by a variable of the iteration"),
    ],
)
def test_nothing_is_asked_of_the_one_value_that_all_iterations_see(
    monkeypatch: pytest.MonkeyPatch, place: str, asked: set[str]
) -> None:
    found: list[tuple[str, Promise]] = []

    def ask(judge: _Judge, loop: Loop, promises: tuple[Promise, ...]) -> LoopVerdict:
        found.extend((loop.iterator, promise) for promise in promises)
        return _Judge(judge.views, promises, judge.solver_of_conditions, is_asked=True).verdict(loop)

    monkeypatch.setattr(_Judge, "verdict_if", ask)
    parameters = "int n, double *restrict y, int *restrict idx, int *restrict at, int *restrict to"
    verdicts(f"void f({parameters}) {{ for (int k = 0; k < n; k++) for (int i = 0; i < n; i++) {{ {place}; }} }}")
    assert {promise.subject for iterator, promise in found if iterator == "i" and promise.kind == "injective"} == asked


def test_what_is_promised_already_is_not_asked_for_again() -> None:
    source = "void f(int n, double *y, int *idx) { for (int i = 0; i < n; i++) { touch(i, y); y[idx[i]] = i; } }"
    ((verdict,),) = (nest.verdicts for nest in judged(UNSEEN + source, (Independent("touch"),)))
    assert verdict.conditions == (Injective("idx"),)
    body = "if (y[i] > 0) d++; show(d, n); if (d > 9) touch(i, y);"
    counting = f"void f(int n, double *y) {{ int d = 0; for (int i = 0; i < n; i++) {{ {body} }} }}"
    vouched = (Independent("show"), Independent("d"))
    ((verdict,),) = (nest.verdicts for nest in judged(UNSEEN + counting, vouched))
    assert verdict.conditions == (Independent("touch"),)


def test_a_promise_holds_for_the_loop_that_it_is_said_of(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        UNSEEN + "void f(int n, double *y) { for (int t = 0; t < n; t++) for (int i = 0; i < n; i++) touch(i, y); }"
    )
    outer, inner = (verdict.loop for verdict in loop_verdicts(nest))
    for said, kinds in (
        (None, ["parallel", "parallel"]),
        (outer, ["parallel", "unknown"]),
        (inner, ["unknown", "parallel"]),
    ):
        found = loop_verdicts(nest, (Independent("touch", loop=said),))
        assert [verdict.kind for verdict in found] == kinds


def test_the_promise_is_stated_as_an_assumption_once_it_is_made() -> None:
    source = "void f(int n, double *y, int *k) { for (int i = 0; i < n; i++) { touch(i, y); y[k[i]] = i; } }"
    promises = (Independent("touch"), Injective("k"), Injective("y"))
    ((verdict,),) = (nest.verdicts for nest in judged(UNSEEN + source, promises))
    assert verdict.kind == "parallel"
    said = {a.subject: a for a in verdict.assumptions if a.origin == "directive"}
    assert set(said) == {"touch", "k"}
    assert {a.kind for a in said.values()} == {"promise"}
    assert "calls of `touch`" in said["touch"].text


CASES = {
    "row": Promised(
        "void touch(int i, double *y);\nvoid f(int n, double *y) {\n for (int i = 1; i < n; i++) touch(i, y);\n}",
        "void touch(int i, double *y) { y[i] = 3 * y[i] + i; }",
        "void touch(int i, double *y) { y[i] = 3 * y[i - 1] + i; }",
    ),
    "result": Promised(
        "double weigh(int i, double *y);\nvoid f(int n, double *restrict x, double *y) {\n"
        " for (int i = 0; i < n; i++) x[i] += weigh(i, y);\n}",
        "double weigh(int i, double *y) { return y[0] + 2 * y[i]; }",
        "double weigh(int i, double *y) { return y[0] += 1; }",
    ),
    "pointer": Promised(
        "double *row_of(double *m, int i);\nvoid f(int n, double *m) {\n"
        " for (int i = 0; i < n; i++) { double *q = row_of(m, i); for (int j = 0; j < n; j++) q[j] = 2 * q[j] + i; }\n"
        "}",
        "double *row_of(double *m, int i) { return m + 64 * i; }",
        "double *row_of(double *m, int i) { return m + i; }",
    ),
    "table": Promised(
        "void touch(int i, double *y);\nvoid f(int n, double *restrict x, double *y, int *idx) {\n int k[64];\n"
        " for (int i = 0; i < n; i++) k[i] = (i * 3 + idx[0] * 0) % 64;\n"
        " for (int i = 0; i < n; i++) { touch(i, y); x[k[i]] = y[i]; }\n}",
        "void touch(int i, double *y) { y[i] = 3 * y[i] + i; }",
        "void touch(int i, double *y) { y[0] = 3 * y[0] + i; }",
    ),
    "counter": Promised(
        "void show(int done, double *y, int i);\nint f(int n, double *y) {\n int done = 0;\n"
        " for (int i = 0; i < n; i++) { if (y[i] > 0) done++; show(done, y, i); }\n return done;\n}",
        "void show(int done, double *y, int i) { y[i] = -y[i] + 0 * done; }",
        "void show(int done, double *y, int i) { y[i] = done; }",
    ),
    "flag": Promised(
        "int check(int i, double *y);\nint f(int n, double *y) {\n int bad = 0;\n"
        " for (int i = 0; i < n; i++) { if (bad) continue; y[i] += 1; if (check(i, y)) bad = 1; }\n return bad;\n}",
        "int check(int i, double *y) { return y[i] == 12345; }",
        "int check(int i, double *y) { return i == 2; }",
    ),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_where_the_promise_is_kept_any_order_gives_the_same(case: Promised, tmp_path: Path) -> None:
    assert matters_in_any_order(case, tmp_path) == (False, True)
