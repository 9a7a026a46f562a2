"""Sizes that decide whether a loop is parallel: the relation that is offered, the verdict under one that is said."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.examples import examples
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.catalogue import read_promise
from warplens.analysis.ir.size_relation import size_relation

DECLARED = "int guess(int); void touch(int, double *); struct v { int ld; double *d; };"
PARAMETERS = "struct v *x, int n, int m, int k, int ld, int T, double *restrict p, double *restrict q, const int *idx"


def verdicts(body: str, *said: str) -> tuple[LoopVerdict, ...]:
    """Verdicts of the loops of the only nest."""
    source = f"{DECLARED}\nvoid f({PARAMETERS}) {{ {body} }}"
    ((found),) = (nest.verdicts for nest in judged(source, tuple(map(read_promise, said))))
    return found


def offered(verdict: LoopVerdict) -> list[str]:
    return [promise.subject for promise in verdict.conditions if promise.kind == "size"]


@pytest.mark.parametrize(
    ("body", "relations"),
    [
        ("for (int i = 0; i < n; i++) { p[i] = 1; p[i + ld] = 2; p[i + 2*ld] = 3; }", ["ld >= n"]),
        ("for (int i = 0; i < n; i++) p[i] = p[i + m];", ["m >= n"]),
        ("for (int i = 0; i < n; i++) { p[i] = p[i + m]; touch(i, q); }", ["m >= n"]),
        ("for (int i = 0; i < n; i++) p[i] = p[idx[m]];", ["idx[m] >= n"]),
        ("for (int i = 0; i < n; i++) x->d[i] = x->d[i + x->ld];", ["x->ld >= n"]),
        ("for (int i = m; i < n; i++) p[i] -= p[0];", ["m >= 1"]),
        ("for (int i = 0; i < n; i++) p[i] = p[k];", ["k >= n"]),
        ("for (int i = m; i < n; i++) p[i] = p[k];", ["k >= n"]),
        ("for (int i = 0; i < n; i++) p[i + k] = p[i + m];", ["k >= m + n"]),
        ("for (int i = 0; i < n; i++) p[i] = p[i + m*k];", ["k*m >= n"]),
    ],
)
def test_the_relation_that_keeps_iterations_apart_is_offered(body: str, relations: list[str]) -> None:
    (verdict,) = verdicts(body)
    assert verdict.kind == "unknown"
    assert offered(verdict) == relations
    (decided,) = verdicts(body, *relations)
    assert decided.kind == ("unknown" if "touch" in body else "parallel")


def test_two_places_that_must_differ_are_unequal() -> None:
    body = "double (*b)[64] = (double (*)[64])p; for (int i = 1; i < n; i++) b[i][k] = b[i - 1][m];"
    (verdict,) = verdicts(body)
    assert offered(verdict) == ["k != m"]
    for said, kind in (("m != k", "parallel"), ("k > m", "parallel"), ("k >= m", "unknown")):
        assert verdicts(body, said)[0].kind == kind


def test_the_relation_has_to_do_for_all_iterations_of_the_loops_around() -> None:
    body = "for (int t = 0; t < T; t++) for (int i = t; i < n; i++) p[i] = p[m + t];"
    outer, inner = verdicts(body)
    assert outer.kind == "carried"
    assert offered(inner) == ["m >= n"]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 1; i < n; i++) p[i] = p[i - 1];",
        "for (int i = 0; i < n; i++) { p[i] = p[i + m]; m++; }",
        "for (int i = 0; i < n; i++) { int h = guess(i); p[i] = p[i + h]; }",
        "for (int i = 0; i < n; i++) { p[i] = p[i + m]; p[0] = p[n] * 2 + i; }",  # carried whatever `m` is
    ],
)
def test_no_relation_is_offered_that_nobody_could_say_or_that_would_not_help(body: str) -> None:
    assert offered(verdicts(body)[0]) == []


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ("for (int i = 0; i < n; i++) p[i] = p[i + m];", "m >= n - 1"),
        ("for (int i = 0; i < n; i++) p[i] = p[i + m];", "m >= k"),
        ("for (int i = 0; i < n; i++) p[i] = p[i + m];", "m != 0"),
        ("for (int i = 0; i < n; i++) p[i] = p[i + m];", "i > 5"),  # of an iterator nothing can be said
        ("for (int i = 0; i < n; i++) { p[i] = p[i + m]; m++; }", "m >= n"),  # it does not stay
        ("for (int i = 1; i < n; i++) p[i] = p[i - 1];", "n >= 5"),
        ("for (int i = 1; i < n; i++) p[i] = p[i - 1];", "m >= n"),
    ],
)
def test_a_relation_that_does_not_keep_iterations_apart_changes_nothing(body: str, said: str) -> None:
    (without,), (verdict,) = verdicts(body), verdicts(body, said)
    assert verdict.kind in {"unknown", "carried"}
    assert verdict.kind == without.kind


def test_only_relations_that_are_needed_are_assumed() -> None:
    body = "for (int i = 0; i < n; i++) { p[i] = p[i + m]; q[i] = q[i + k]; }"
    (verdict,) = verdicts(body, "ld >= n", "m >= n", "n >= 2", "k > n")
    assert verdict.kind == "parallel"
    assert {a.subject for a in verdict.assumptions if a.kind == "promise"} == {"m >= n", "k > n"}
    assert all(a.origin == "directive" for a in verdict.assumptions if a.kind == "promise")
    (free,) = verdicts("for (int i = 0; i < n; i++) p[i] = q[i + m];", "m >= n")
    assert not any(a.kind == "promise" for a in free.assumptions)


def test_what_is_said_already_is_not_asked_for_again() -> None:
    body = "for (int i = 0; i < n; i++) { p[i] = p[i + m]; q[i] = q[i + k]; }"
    assert offered(verdicts(body)[0]) == ["k >= n", "m >= n"]
    assert offered(verdicts(body, "m >= n")[0]) == ["k >= n"]


OFFSETS = st.tuples(st.integers(1, 2), st.integers(-1, 2), st.integers(-1, 1), st.integers(-3, 3))


@settings(max_examples=examples(60))
@given(st.lists(OFFSETS, min_size=2, max_size=3), st.integers(0, 1))
@example([(2, 2, 0, 3), (1, 0, -1, 0), (2, 1, -1, -2)], 0)
def test_where_the_relations_hold_no_two_iterations_meet(places: list[tuple[int, int, int, int]], start: int) -> None:
    (write, *reads) = [f"{a}*i + ({b})*m + ({c})*k + ({d})" for a, b, c, d in places]
    body = f"for (int i = {start}; i < n; i++) p[{write}] = {' + '.join(f'p[{read}]' for read in reads)};"
    (verdict,) = verdicts(body)
    relations = [relation for name in offered(verdict) if (relation := size_relation(name))]
    if not relations:
        return
    (decided,) = verdicts(body, *offered(verdict))
    assert decided.kind == "parallel"

    def holds(n: int, m: int, k: int) -> bool:
        at = {"n": n, "m": m, "k": k}
        return all(any(all(p.evaluate(at) >= 0 for p in case) for case in each.cases) for each in relations)

    near = [at for at in product(range(2, 7), range(-8, 14), range(-8, 14)) if holds(*at)]
    kept = near or [at for at in product(range(2, 5), range(-60, 61), range(-60, 61)) if holds(*at)][:50]
    for n, m, k in kept:
        a, b, c, d = places[0]
        written = {i: a * i + b * m + c * k + d for i in range(start, n)}
        for e, f, g, h in places:
            touched = {i: e * i + f * m + g * k + h for i in range(start, n)}
            assert not any(written[i] == touched[j] for i in written for j in touched if i != j)
    assert kept


SHIFTED = """int shift(int n);
void f(int n, double *p) {
 int m = shift(n);
 for (int i = 0; i < n; i++) p[i] = 2 * p[i + m] + i;
}"""


@pytest.mark.parametrize(("shift", "differs"), [("n", False), ("n + 3", False), ("1", True), ("n - 1", True)])
def test_where_the_relation_holds_any_order_gives_the_same(shift: str, differs: bool, tmp_path: Path) -> None:
    changed = any_order(SHIFTED, promises=(read_promise("m >= n"),))
    assert [each.line for each in changed.loops] == [4]
    outcome = run(changed, tmp_path, f"int shift(int n) {{ return {shift}; }}")
    assert outcome.differs == ((4,) if differs else ())
    assert outcome.idle == ()
