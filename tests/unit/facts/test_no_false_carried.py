"""Scalars whose loops only look carried: copies of an accumulator, integers that constants move."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict


def verdicts(body: str) -> tuple[LoopVerdict, ...]:
    (nest,) = judged(f"int f(int n, int *restrict a, int *restrict b) {{ int s = 0, t; {body} return s; }}")
    return nest.verdicts


@pytest.mark.parametrize(
    ("body", "operator"),
    [
        ("t = s; s = t + b[i];", "+"),
        ("t = s; int e = b[i]; s = t > e ? t : e;", "max"),
        ("s = ({ int p = s; int q = b[i]; p < q ? p : q; });", "min"),
    ],
)
def test_a_reduction_may_read_a_copy_of_its_accumulator(body: str, operator: str) -> None:
    (verdict,) = verdicts(f"for (int i = 0; i < n; i++) {{ {body} }}")
    assert [(r.variable, r.operator) for r in verdict.reductions] == [("s", operator)]


@pytest.mark.parametrize(
    "body",
    [
        "t = s; s = t + b[i]; a[i] = t;",
        "t = s; s = t + b[t];",
        "t = s; s += 1; s = t + b[i];",
        "t = s; s = t + b[i] * t;",
        "char c = s; s = c + b[i];",
    ],
)
def test_a_copy_that_has_other_uses_does_not_reduce(body: str) -> None:
    (verdict,) = verdicts(f"for (int i = 0; i < n; i++) {{ {body} }}")
    assert verdict.kind == "carried"


@pytest.mark.parametrize(
    ("body", "kinds"),
    [
        ("for (int j = 0; j <= i; j++) a[s++] = j;", ["parallel", "parallel"]),
        ("for (int j = 2; j < i; j++) a[s++] = j;", ["unknown", "unknown"]),
        ("for (int j = 0; j < b[i]; j++) a[s++] = j;", ["unknown", "unknown"]),
        ("for (int j = 0; j <= i; j++) { s += b[j]; a[j] = s; }", ["carried", "carried"]),
    ],
)
def test_an_integer_that_constants_move_is_no_proof_of_a_recurrence(body: str, kinds: list[str]) -> None:
    assert [v.kind for v in verdicts(f"for (int i = 0; i < n; i++) {body}")] == kinds
