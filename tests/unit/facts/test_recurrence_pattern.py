"""What a carried loop computes is named only where it is that; what would help an undecided loop is offered."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.increasing import Increasing
from warplens.analysis.ir.promises.injective import Injective

FactsOf = Callable[[str], NestFacts]
NestsOf = Callable[[str], list[LoopNest]]


@pytest.mark.parametrize(
    ("body", "pattern"),
    [
        ("x[i] = x[i - 1] + b[i];", "prefix sum (scan): parallel algorithms exist"),
        ("x[i] += x[i - 1];", "prefix sum (scan): parallel algorithms exist"),
        ("x[i] = b[i] - x[i - 1];", "first-order linear recurrence: a scan of affine maps, parallel algorithms exist"),
        ("x[i] = b[i] * x[i - 1];", "first-order linear recurrence: a scan of affine maps, parallel algorithms exist"),
        ("x[i] = x[i - 1] + x[i - 2];", "linear recurrence of order 2: a scan of matrices, parallel algorithms exist"),
        ("x[i] = x[i - 1] * x[i - 1];", ""),
        ("x[i] = b[i] / x[i - 1];", ""),
        ("x[i] = x[i - 4] * x[i - 4];", "distance 4: chunks of 4 iterations are parallel"),
        ("x[i] = x[i - 4] * x[i - 6];", "distance 4: chunks of 4 iterations are parallel"),
    ],
)
def test_name_of_a_recurrence(facts_of: FactsOf, body: str, pattern: str) -> None:
    source = f"f(int n, double *restrict x, double *restrict b) {{ for (int i = 8; i < n; i++) {body} }}"
    (verdict,) = facts_of(source).verdicts
    assert verdict.kind == "carried"
    assert verdict.pattern == pattern


@pytest.mark.parametrize(
    ("value", "is_wavefront"),
    [
        ("a[i - 1][j] + a[i][j - 1]", True),
        ("a[i - 1][j + 1] + a[i][j - 1]", True),
        ("a[i - 1][1] + a[i][j - 1]", False),
    ],
)
def test_wavefront_needs_constant_distances(facts_of: FactsOf, value: str, is_wavefront: bool) -> None:
    loops = "for (int i = 1; i < n; i++) for (int j = 1; j < 98; j++)"
    facts = facts_of(f"f(int n, double (*restrict a)[99]) {{ {loops} a[i][j] = {value}; }}")
    outer, inner = facts.verdicts
    assert (outer.kind, inner.kind) == ("carried", "carried")
    assert outer.pattern.startswith("wavefront") == is_wavefront


def test_increasing_rows_make_the_outer_loop_parallel(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        "void f(int n, const int *restrict row, double *restrict v) "
        "{ for (int i = 0; i < n; i++) for (int k = row[i]; k < row[i + 1]; k++) v[k] = v[k] * i + 1; }"
    )
    outer, inner = loop_verdicts(nest)
    assert (outer.kind, inner.kind) == ("unknown", "parallel")
    assert outer.suggestion == "// warplens: row is increasing"
    said = loop_verdicts(nest, (Increasing("row"),))
    assert [verdict.kind for verdict in said] == ["parallel", "parallel"]
    assert [a.subject for a in said[0].assumptions if a.origin == "directive"] == ["row"]


def test_a_fact_about_a_table_that_the_loop_changes_is_not_used(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        "void f(int n, int *restrict idx, double *restrict v) "
        "{ for (int i = 0; i < n; i++) { v[idx[i]] = i; idx[i] = 0; } }"
    )
    (verdict,) = loop_verdicts(nest, (Injective("idx"),))
    assert verdict.kind == "unknown"


def test_an_allocated_work_array_may_be_one_per_iteration(nests_of: NestsOf) -> None:
    (nest,) = nests_of(
        "double *get(int); void f(int n, double (*restrict a)[99]) { double *t = get(9); for (int i = 0; i < n; i++) "
        "{ for (int k = 0; k < 9; k++) t[k] = a[i][k]; for (int k = 0; k < 9; k++) a[i][k] = t[8 - k]; } }"
    )
    arrays = tuple(replace(a, is_allocated=a.name == "t") for a in nest.arrays)
    verdict = loop_verdicts(replace(nest, arrays=arrays))[0]
    assert (verdict.kind, verdict.private) == ("parallel", ("t",))
    assert (
        loop_verdicts(replace(nest, arrays=tuple(replace(a, is_allocated=False) for a in arrays)))[0].kind == "carried"
    )
