"""A loop that waits for somebody else has no iterations: it is no kernel, never parallel, and has no count."""

from __future__ import annotations

import pytest
from support.c_nests import parsed
from support.iteration_order.labels import judged, parse
from warplens.analysis.analyse_nest import analyse_nest

DECLARED = """
int ready[64], go, other; volatile int stop; int *flag; double cell[64][256]; int test(int); int poll(void);
void usleep(unsigned); int __atomic_load_n(int *, int); int __sync_lock_test_and_set(int *, int);
static int is_set(const int *p) { return *p != 0; } static int step(void) { return --other; }
"""
WAITING = [
    "while (ready[i] == 0);",
    "while (ready[i - 1] == 0) { }",
    "for (; !go; ) ;",
    "do { usleep(1); } while (*flag != i);",
    "while (stop) ;",
    "for (;;) { if (ready[i]) break; }",
    "while (!is_set(&ready[i])) ;",
    "while (__atomic_load_n(&go, 2) == 0) ;",
    "while (__sync_lock_test_and_set(&go, 1)) ;",
    "while (!go) other++;",
    "while (!go || n < 3) { usleep(5); usleep(6); }",
]
WORKING = [
    ("while (go > i) go--;", "parallel"),
    ("while (flag[0] > 1) flag[0] = flag[0] / 2;", "unknown"),
    ("for (int k = 0; flag[k]; k++) x[k] = 1;", "unknown"),
    ("for (int k = 0; k < flag[0]; k++) x[k] = 2 * x[k];", "parallel"),
    ("int k = 0; do x[k] = 2 * x[k]; while (++k < n);", "parallel"),
]


def of_rows(body: str) -> str:
    return f"{DECLARED}void f(int n, double *x) {{ for (int i = 1; i < 64; i++) {{ {body} cell[i][0] = 1; }} }}"


@pytest.mark.parametrize("body", WAITING)
def test_a_loop_that_waits_is_no_loop_over_iterations(body: str) -> None:
    facts = parsed.facts_of(of_rows(body))
    assert [verdict.kind for verdict in facts.verdicts] == ["unknown"]
    assert "waits" in facts.verdicts[0].reason
    assert facts.verdicts[0].conditions == ()
    assert facts.kernels == ()
    assert not any("trips" in name for name in facts.parameters)


@pytest.mark.parametrize("body", WAITING)
def test_alone_it_is_not_analysed(body: str) -> None:
    unit = parse(f"{DECLARED}void f(int n, int i) {{ {body} for (int j = 0; j < n; j++) cell[0][j] = 2; }}")
    (waiting,) = unit.functions[-1].opaque
    assert "waits" in waiting.reason
    (nest,) = (one.nest for function in unit.functions for one in function.nests)
    assert [verdict.kind for verdict in analyse_nest(nest).verdicts] == ["parallel"]


@pytest.mark.parametrize(("body", "kind"), WORKING)
def test_a_loop_that_changes_what_it_asks_is_one(body: str, kind: str) -> None:
    (nest,) = judged(of_rows(body))
    assert nest.verdicts[1].kind == kind


def test_a_call_that_goes_on_with_its_work_does_not_wait() -> None:
    (nest,) = judged(of_rows("while (step()) ;"))
    assert "waits" not in nest.verdicts[0].reason


@pytest.mark.parametrize("body", ["while (!test(n)) x[i] = 1;", "while (flag[0]) x[i] = 1;", "while (go) x[i] = 1;"])
def test_what_asks_the_same_in_each_iteration_is_never_parallel(body: str) -> None:
    (nest,) = judged(of_rows(body))
    assert nest.verdicts[1].kind == "unknown"
    assert nest.verdicts[1].conditions == ()
