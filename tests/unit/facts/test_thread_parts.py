"""`omp_get_thread_num()` may pick a thread's part of an array; anything else that depends on it stays undecided."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.unshared import Unshared

NestsOf = Callable[[str], list[LoopNest]]
DECLARED = """int omp_get_thread_num(void); int omp_get_max_threads(void);
struct par { double e; int n; struct par *next; }; double use(struct par *);
"""


def verdict(nests_of: NestsOf, parameters: str, body: str) -> LoopVerdict:
    (nest,) = nests_of(f"{DECLARED} void f(int n, int m, {parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    return loop_verdicts(nest)[0]


@pytest.mark.parametrize(
    ("parameters", "body"),
    [
        ("double *x, double *w", "int t = omp_get_thread_num(); w[t] = x[i]; x[i] = w[t] * 2;"),
        ("double *x, double *w", "w[omp_get_thread_num()] = x[i]; x[i] = w[omp_get_thread_num()] * 2;"),
        ("double *x, double *w", "int t = 2 * omp_get_thread_num(); w[t + 1] = x[i]; x[i] = w[t + 1] * 2;"),
        (
            "double *x, double *w",
            (
                "double *mine = w + m * omp_get_thread_num(); for (int j = 0; j < m; j++) mine[j] = x[i * m + j];"
                "for (int j = 0; j < m; j++) x[i * m + j] = mine[0];"
            ),
        ),
        (
            "double *x, struct par *w",
            "int t = omp_get_thread_num(); (w + t)->e = x[i]; x[i] = (w + t)->e * (w + t)->n;",
        ),
    ],
)
def test_parts_that_are_set_first_are_one_per_iteration(nests_of: NestsOf, parameters: str, body: str) -> None:
    found = verdict(nests_of, parameters, body)
    assert found.kind == "parallel"
    assert "w" in found.private
    (said,) = (a for a in found.assumptions if a.subject == "w" and "thread" in a.text)
    assert said.kind == "context"


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("int t = omp_get_thread_num(); x[i] = w[t]; w[t] = i;", "carried"),
        ("int t = omp_get_thread_num(); w[t] = i; x[i] = w[t + 1];", "carried"),
        ("int t = 2 * omp_get_thread_num(); w[t] = i; x[i] = w[t]; w[t + 2] = i;", "carried"),
        ("int t = omp_get_thread_num(); w[t] = i; x[i] = w[0];", "carried"),
        ("int t = omp_get_thread_num(); w[t] += x[i];", "reduction"),
        ("int t = omp_get_thread_num(); x[i] = t;", "unknown"),
        ("if (omp_get_thread_num() == 0) x[i] = 1;", "unknown"),
        ("int t = omp_get_thread_num(); for (int j = 0; j < t; j++) x[i * n + j] = 1;", "unknown"),
        ("int t = omp_get_thread_num(); int s = t + 1; x[i] = s;", "unknown"),
        ("x[i] = omp_get_max_threads();", "parallel"),
    ],
)
def test_other_uses_of_the_number(nests_of: NestsOf, body: str, kind: str) -> None:
    assert verdict(nests_of, "double *x, double *w", body).kind == kind


WITHIN = "double *mine = w + m * omp_get_thread_num(); int h = k[i] & 7; mine[h] = x[i]; x[i] = mine[h];"


def test_data_may_decide_where_in_its_part_a_thread_writes(nests_of: NestsOf) -> None:
    (nest,) = nests_of(f"{DECLARED} void f(int n, int m, int *k, double *x, double *w) "
                       f"{{ for (int i = 0; i < n; i++) {{ {WITHIN} }} }}")  # fmt: skip
    alone, told = loop_verdicts(nest)[0], loop_verdicts(nest, (Unshared("w"),))[0]
    assert "thread" not in alone.reason
    assert told.can_run_in_parallel


@pytest.mark.parametrize("at", ["k[i] & omp_get_thread_num()", "(k[i] + omp_get_thread_num()) % 8",
                                "k[i] < omp_get_thread_num()", "k[i] / (omp_get_thread_num() + 1)"])  # fmt: skip
def test_a_number_that_is_computed_with_otherwise_is_a_value(nests_of: NestsOf, at: str) -> None:
    found = verdict(nests_of, "int *k, double *x, double *w", f"w[{at}] = x[i];")
    assert (found.kind, found.suggestion) == ("unknown", "")
    assert "depends on the thread" in found.reason


def test_an_address_that_is_stored_is_a_value_unless_something_is_reached_through_it(nests_of: NestsOf) -> None:
    stored = "int t = omp_get_thread_num(); w[t].next = w + t; x[i] = use(w + t);"
    found = verdict(nests_of, "double *x, struct par *w", stored)
    assert (found.kind, found.suggestion) == ("unknown", "// warplens: use is independent")
    reached = verdict(nests_of, "double *x, struct par *w", "w[i].next = w + m; w[i].next->e = x[i];")
    assert reached.kind == "unknown"
    assert reached.suggestion == ""
