"""Loops that errors leave by `longjmp`: parallel if none does, and calls that never come back hide nothing else."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.promise import Promise
from warplens.analysis.ir.promises.uncalled import Uncalled
from warplens.analysis.ir.promises.unordered import Unordered

DECLARED = """#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
jmp_buf env; volatile int code; int touched; void touch(int i);
static void fail(int n) { fprintf(stderr, "%d", n); touched++; longjmp(env, n); }
static void err(int *x, int i) { x[0] = i; }
"""
NEVER = Uncalled("longjmp")


def nest_of(body: str) -> LoopNest:
    parameters = "int n, int *restrict y, const int *restrict x"
    text = f"{DECLARED} void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    *_, last = judged(text)
    return last.nest


def under(body: str, *promises: Promise) -> LoopVerdict:
    return loop_verdicts(nest_of(body), promises)[0]


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] < 0) longjmp(env, 1); y[i] = x[i];",
        'if (x[i] < 0) { fprintf(stderr, "bad %d", i); touched = i; code = 3; longjmp(env, 1); } y[i] = x[i];',
        'if (x[i] < 0) { printf("bad"); for (;; longjmp(env, 1)) code = i; } y[i] = x[i];',
        "if (x[i] < 0) for (;; longjmp(env, 1)) code = i; y[i] = x[i];",
        "if (x[i] < 0) fail(i); y[i] = x[i];",
        "for (int j = 0; j < 3; j++) if (x[j] == i) longjmp(env, 1); y[i] = x[i];",
    ],
)
def test_a_loop_that_only_errors_leave_asks_for_one_promise(body: str) -> None:
    found = under(body)
    assert (found.kind, found.conditions, found.under_conditions) == ("unknown", (NEVER,), "parallel")
    promised = under(body, NEVER)
    assert promised.kind == "parallel"
    assert [a.subject for a in promised.assumptions if a.kind == "promise"] == ["longjmp"]
    assert under(body, Independent("longjmp"), Unordered()).kind == "unknown"


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i] < 0) longjmp(env, 1); y[i] = y[i + 1];",
        "if (x[i] < 0) longjmp(env, 1); touched += y[touched];",
        "if (setjmp(env)) continue; if (x[i] < 0) longjmp(env, 1); y[i] = x[i];",
        "if (x[i] < 0) { y[x[i]] = i; if (y[i]) continue; longjmp(env, 1); } y[i] = x[i];",
        "if (x[i] < 0) for (;; longjmp(env, 1)) { y[0] = i; break; } y[i] = x[i];",
    ],
)
def test_what_else_the_loop_does_still_counts(body: str) -> None:
    assert under(body).kind != "parallel"
    assert under(body, NEVER).kind in {"unknown", "carried"}


@pytest.mark.parametrize(
    "body",
    [
        "if (x[i]) { y[x[i]] = i; continue; } abort();",
        "for (int j = 0; j < 3; j++) { if (x[j]) { y[x[i]] = i; break; } abort(); }",
        "if (x[i]) { y[x[i]] = i; err(y, i); } y[i] = i;",
        "if (x[i] > 3) { if (x[i] > 4) { y[0] = i; goto next; } exit(1); } y[i] = i; next: ;",
    ],
)
def test_only_what_leads_to_the_end_of_the_program_is_left_out(body: str) -> None:
    assert under(body).kind in {"unknown", "carried"}
