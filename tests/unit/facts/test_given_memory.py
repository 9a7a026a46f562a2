"""Memory that a function of another file gave and takes back: each iteration may have its own if somebody says so."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.private import Private
from warplens.analysis.ir.promises.promise import Promise

UNSEEN = "double *take(int n); void take_free(void *p); double *keep(double *p); void run(double *a, double *b);\n"
INDEPENDENT = Independent("run")
FILLED = "for (int j = 0; j < 8; j++) a[j] = x[i + j]; run(a, b); for (int j = 0; j < 8; j++) b[j] *= 2; y[i] = b[3];"


def loop(before: str, body: str, after: str, promises: tuple[Promise, ...] = ()) -> LoopVerdict:
    source = f"double f(int n, double *restrict y, const double *restrict x) {{ double left = 0; {before} "
    source += f"for (int i = 0; i < n; i++) {{ {body} }} {after} return left; }}"
    (nest,) = judged(UNSEEN + source, promises)
    return nest.verdicts[0]


@pytest.mark.parametrize(
    "before",
    [
        pytest.param("double *a = take(8), *b = take(8);", id="given where it is declared"),
        pytest.param("double *a = 0, *b = 0; if (n > 0) { a = take(8); b = (double *)take(8); }", id="given later"),
    ],
)
def test_copies_of_what_was_given_and_is_taken_back_may_be_promised(before: str) -> None:
    free = "take_free(a); take_free(b);"
    offered = loop(before, FILLED, free)
    assert offered.conditions == (INDEPENDENT, Private("a"), Private("b"))
    verdict = loop(before, FILLED, free, offered.conditions)
    assert (verdict.kind, verdict.private) == ("parallel", ("a", "b"))
    assert any("what it holds after the loop is assumed not to be used" in a.text for a in verdict.assumptions)
    for left_out in offered.conditions[1:]:
        rest = tuple(promise for promise in offered.conditions if promise != left_out)
        assert not loop(before, FILLED, free, rest).can_run_in_parallel


@pytest.mark.parametrize(
    ("before", "body", "after"),
    [
        pytest.param("double *a = take(8), *b = take(8);", FILLED, "take_free(a);", id="one is not taken back"),
        pytest.param(
            "double *a = take(8), *b = take(8);", FILLED, "left = b[2]; take_free(a); take_free(b);", id="read after"
        ),
        pytest.param(
            "double *a = take(8), *b = take(8); keep(b);", FILLED, "take_free(a); take_free(b);", id="handed on before"
        ),
        pytest.param(
            "double *a = take(8), *b = y;", FILLED, "take_free(a); take_free(b);", id="the caller's, taken back"
        ),
        pytest.param(
            "double *a = take(8), *b = take(8);",
            "y[i] = b[2]; for (int j = 0; j < 8; j++) b[j] = x[j] + i; run(a, b);",
            "take_free(a); take_free(b);",
            id="what an iteration before wrote is read",
        ),
        pytest.param(
            "double *a = take(8), *b = take(8);",
            "for (int j = 0; j < 8; j++) b[j] += x[i + j]; run(a, a); y[i] = 0;",
            "take_free(a); take_free(b);",
            id="a sum",
        ),
    ],
)
def test_what_somebody_may_want_has_no_copies(before: str, body: str, after: str) -> None:
    assert Private("b") not in loop(before, body, after).conditions
    said = (INDEPENDENT, Private("a"), Private("b"))
    assert "b" not in loop(before, body, after, said).private


def test_what_the_loop_only_reads_may_have_been_given_full() -> None:
    verdict = loop("double *a = take(n);", "run(a, y + i); y[i] += a[i];", "take_free(a);")
    assert Private("a") not in verdict.conditions
