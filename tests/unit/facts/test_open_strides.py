"""Iterators multiplied by sizes of which nothing is known: exact where all sizes meet, else a promise on elements."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.unshared import Unshared

SAID = (Unshared("x"),)


def outer(body: str, promises: tuple[Promise, ...] = ()) -> LoopVerdict:
    declared = "long n, long m, long s, long t, double *restrict x, const double *restrict y, const int *restrict flag"
    source = f"void f({declared}) {{ for (long i = 1; i < n; i++) {body} }}"
    return loop_verdicts(delinearise(only_nest(source)), promises)[0]


@pytest.mark.parametrize(
    ("body", "sizes"),
    [
        ("for (long j = 0; j < m; j++) x[i * s + j * t] = y[i] + j;", "`s`, `t`"),
        ("for (long j = 0; j < m; j++) { x[i * s + j * t] = 0; x[i * s + j * t] += y[j]; }", "`s`, `t`"),
        ("{ long a = i / m, b = i % m; x[a * s + b * t] = y[i]; }", "`s`, `t`"),
        (
            "for (long j = 0; j < m; j++) { x[i * s + j * t] = y[j]; x[i * s + j * t + n * m] = i; }",
            "`m`, `n`, `s`, `t`",
        ),
        ("for (long j = 0; j < m; j++) if (flag[i]) x[i * s + j * t] = y[j] + i;", "`s`, `t`"),
    ],
)
def test_sizes_that_nobody_knows_are_a_matter_of_the_elements(body: str, sizes: str) -> None:
    verdict = outer(body)
    assert (verdict.kind, verdict.reason) == ("unknown", f"whether two iterations meet in `x` depends on {sizes}")
    assert (verdict.conditions, verdict.under_conditions) == (SAID, "parallel")
    assert outer(body, SAID).kind == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        "x[i * s] = x[(i - 1) * s] + y[i];",
        "for (long j = 0; j < m; j++) x[i * s + j * t] = x[(i - 1) * s + j * t] + 1;",
        "for (long j = 0; j < m; j++) x[j * t] = y[i];",
        "{ long a = i % 2; x[a * s] = y[i]; }",
    ],
)
def test_a_meeting_whatever_the_sizes_are_is_a_witness(body: str) -> None:
    verdict = outer(body)
    assert verdict.kind == "carried"
    assert all(dependence.exact for dependence in verdict.dependences)
    assert verdict.conditions == ()
    assert outer(body, SAID).kind == "carried"


@pytest.mark.parametrize(
    "body",
    [
        "if (flag[i]) x[i * s] = x[(i - 1) * s] + y[i];",
        "for (long j = 0; j < m; j++) if (flag[j]) x[i * s + j * t] = x[(i - 1) * s + j * t] * 2;",
        "x[i * i * s] = y[i];",
    ],
)
def test_no_promise_is_offered_where_more_than_the_sizes_decides(body: str) -> None:
    verdict = outer(body)
    assert verdict.kind == "unknown"
    assert Unshared("x") not in verdict.conditions
