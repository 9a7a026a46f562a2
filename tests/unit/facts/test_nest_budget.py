"""One budget for all that is asked about a nest: what it leaves undecided says so, and it never changes an answer."""

from __future__ import annotations

from itertools import pairwise

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NEST_OPERATIONS, NestBudget, TooComplexError
from warplens.analysis.dependence.verdicts.parallelism import TOO_MUCH, TOO_MUCH_TO_PROMISE, loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.promise import Promise

UNLIMITED = 1_000_000_000
BUDGETS = (1, 100, 1000, 5000, 20_000, 100_000, NEST_OPERATIONS, UNLIMITED)
DEFINITE = {"parallel", "reduction", "carried"}

HEADS = "".join(f"for (int {i} = 0; {i} < n; {i}++) " for i in "abcdef")
STRIDES = "x[a*n*m + b*m*k + c*k + d*2 + e%3] = x[a*n*k + b*m + c*p + f/2] + x[c*m + d*k + e];"
TABLES = "y[p[i]] += x[q[i]]; z[p[i]] = x[i]; w[q[i]] = z[p[i]]; g(i);"
NESTS = {
    "strides": f"void f(int n, int m, int k, int p, double *x) {{ {HEADS} {STRIDES} }}",
    "sweep": "void f(int n, double a[64][64]) { for (int i = 1; i < n; i++) for (int j = 1; j < n; j++)"
    " a[i][j] = a[i - 1][j] + a[i][j - 1]; }",
    "sum": "double f(int n, double *x) { double s = 0; for (int i = 0; i < n; i++) s += x[i]; return s; }",
    "rows": "void f(int n, int m, double *x) { for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
    " x[i * m + j] = 2 * x[i * m + j]; }",
    "scratch": "void f(int n, double *x) { double t[32]; for (int i = 0; i < n; i++) {"
    " for (int j = 0; j < 32; j++) t[j] = x[32 * i + j]; for (int j = 0; j < 32; j++) x[32 * i + 31 - j] = t[j]; } }",
    "tables": f"void g(int); void f(int n, int *p, int *q, double *restrict x, double *restrict y,"
    f" double *restrict z, double *restrict w) {{ for (int i = 0; i < n; i++) {{ {TABLES} }} }}",
    "packed": "void f(int n, double *a) { for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++)"
    " a[i * (i + 1) / 2 + j] = i + j; }",
    "shift": "void f(int n, int m, double *x) { for (int i = 0; i < n; i++) x[i + m] = x[i]; }",
}


def nest_of(source: str) -> LoopNest:
    return delinearise(only_nest(source))


def within(nest: LoopNest, operations: int, promises: tuple[Promise, ...] = ()) -> tuple[LoopVerdict, ...]:
    return loop_verdicts(nest, promises, NestBudget(operations))


@pytest.mark.parametrize("name", NESTS)
def test_no_budget_turns_a_definite_answer_into_another_one(name: str) -> None:
    nest = nest_of(NESTS[name])
    answers = [within(nest, operations) for operations in BUDGETS]
    for smaller, larger in pairwise(answers):
        for one, other in zip(smaller, larger, strict=True):
            assert one.kind not in DEFINITE or one.kind == other.kind
            assert not one.conditions or other.conditions or other.kind in DEFINITE


@pytest.mark.parametrize("name", sorted(NESTS.keys() - {"strides"}))
def test_answers_within_the_budget_are_those_without_one(name: str) -> None:
    nest = nest_of(NESTS[name])
    budget = NestBudget()
    assert loop_verdicts(nest, (), budget) == within(nest, UNLIMITED)
    assert not budget.is_spent


def test_a_spent_budget_leaves_unknown_loops_with_their_reason() -> None:
    nest = nest_of(NESTS["strides"])
    verdicts = within(nest, 1000)
    assert {v.kind for v in verdicts} == {"unknown"}
    assert all(TOO_MUCH in v.reason or "takes too many operations to decide" in v.reason for v in verdicts)
    assert {v.reason for v in within(nest, 1)} == {TOO_MUCH}


def test_what_needs_no_integer_sets_is_decided_behind_what_explodes() -> None:
    body = f"{HEADS} {STRIDES} for (int j = 0; j < n; j++) y[j] = j;"
    parameters = "int n, int m, int k, int p, double *x, double *restrict y"
    nest = nest_of(f"void f({parameters}) {{ for (int t = 0; t < n; t++) {{ {body} }} }}")
    budget = NestBudget(5000)
    *_, simple = loop_verdicts(nest, (), budget)
    assert budget.is_spent
    assert simple.kind == "parallel"


def test_promises_that_are_not_searched_are_said() -> None:
    nest = nest_of(NESTS["tables"])
    (full,) = within(nest, UNLIMITED)
    assert full.conditions
    cut = [within(nest, operations)[0] for operations in BUDGETS]
    assert any(TOO_MUCH_TO_PROMISE in v.reason for v in cut)
    assert all(v.conditions in ((), full.conditions) for v in cut)
    assert all(within(nest, UNLIMITED, v.conditions)[0].can_run_in_parallel for v in cut if v.conditions)


def test_the_same_nest_uses_the_same_operations() -> None:
    used = []
    for _ in range(2):
        budget = NestBudget()
        loop_verdicts(nest_of(NESTS["tables"]), (), budget)
        used.append((budget.used, budget.kept))
    assert used[0] == used[1]


def test_a_budget_is_never_overdrawn() -> None:
    budget = NestBudget(100)
    budget.use(60)
    with pytest.raises(TooComplexError):
        budget.use(60)
    assert budget.used == budget.limit
    budget.count(1000)
    assert budget.used == budget.limit
    budget.use_kept(20)
    with pytest.raises(TooComplexError):
        budget.use_kept(40)
    with pytest.raises(TooComplexError):
        budget.use_kept(1)
