"""Subscripts that fit in no integer set: what they are computed from is not asked about, and they prove nothing."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.integer_sets.nest_budget import NestBudget
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest

NestsOf = Callable[[str], list[LoopNest]]
TILE = "int r = i % len, c = i / len;"


def verdict(nests_of: NestsOf, body: str) -> tuple[LoopVerdict, NestBudget]:
    names = "int n, int len, int ld, int k, double *restrict x, const double *restrict y, const char *restrict has"
    (nest,) = nests_of(f"void f({names}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    budget = NestBudget()
    found, *_ = loop_verdicts(delinearise(nest, budget), budget=budget)
    return found, budget


@pytest.mark.parametrize("guard", ["", "if (has[i])", "if (i > k)", "if (r != 3)"])
@pytest.mark.parametrize("target", ["x[r + c * ld]", "x[k + r + (k + c) * ld]", "x[(r + c * ld) * 4 + 1]"])
def test_a_tile_in_a_larger_matrix_is_a_matter_of_sizes_and_cheap_to_ask_about(
    nests_of: NestsOf, target: str, guard: str
) -> None:
    found, budget = verdict(nests_of, f"{TILE} {guard} {target} = y[i];")
    assert found.kind == "unknown"
    assert found.suggestion == "// warplens: x has no shared elements"
    assert budget.used < budget.limit // 5


@pytest.mark.parametrize(
    "body",
    [
        f"{TILE} x[r * c * ld] = y[i];",
        f"{TILE} x[r + c * ld] += x[r + c * ld + ld];",
        f"{TILE} x[(k + r) * (k + c)] = y[i];",
        "x[i / len * ld] = y[i];",
        "x[k * (i % len) * ld] = y[i];",
    ],
)
def test_what_is_not_asked_about_is_neither_carried_nor_independent(nests_of: NestsOf, body: str) -> None:
    assert verdict(nests_of, body)[0].kind == "unknown"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        (f"{TILE} if (i == k) x[r * c * ld] = y[i];", "parallel"),
        (f"{TILE} x[i] = y[r + c * ld];", "parallel"),
        (f"{TILE} x[r * c * ld] = y[i]; x[0] = i;", "carried"),
        (f"{TILE} x[r] = x[r] + y[c * ld]; x[0] = i;", "carried"),
    ],
)
def test_where_a_statement_runs_and_other_subscripts_still_decide(nests_of: NestsOf, body: str, kind: str) -> None:
    assert verdict(nests_of, body)[0].kind == kind
