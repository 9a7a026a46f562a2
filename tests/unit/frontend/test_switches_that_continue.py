"""`continue` in a `switch` that stands inside of a branch, and headers that set two variables at once."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts


def kind_of(body: str) -> str:
    parameters = "int n, int mode, double *restrict y, const double *restrict x, const int *restrict set"
    text = f"void f({parameters}) {{ int j, k, on; for (int i = 1; i < n; i++) {{ {body} }} }}"
    *_, last = judged(text)
    return loop_verdicts(last.nest)[0].kind


@pytest.mark.parametrize(
    "body",
    [
        "if (set[i]) { switch (mode) { case 1: if (y[i] > x[i]) continue; break; default: break; } } y[i] = x[i];",
        "if (set[i]) { switch (mode) { case 1: continue; case 2: y[i] = 1; break; } y[i] += 1; } else y[i] = x[i];",
        "if (set[i]) { if (mode) switch (set[i]) { case 1: continue; } y[i] += 2; } y[i] += x[i];",
        "for (j = on = 0; !on && j < 3; j++) on = x[j] > y[i]; y[i] = on;",
        "for (j = k = 0; j < 3; j++) { y[i] += x[j + k]; k++; }",
    ],
)
def test_each_iteration_is_its_own(body: str) -> None:
    assert kind_of(body) == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        "if (set[i]) { switch (mode) { case 1: if (y[i] > x[i]) continue; break; } } y[i] = y[i - 1];",
        "if (set[i]) { switch (mode) { case 1: y[i] = y[i - 1]; continue; } } y[i] = 2;",
        "if (set[i]) { switch (mode) { case 1: continue; } y[0] += x[i]; } y[i] = y[0];",
        "for (j = on = 0; j < 3; j++) y[i + on] = y[i - 1 + j]; ",
        "for (j = k; j < 3; j++) k = set[i]; y[i] = k;",
        "for (j = k = mode; j < 9; j++) y[k] = x[i] + y[j];",
    ],
)
def test_what_iterations_share_is_seen(body: str) -> None:
    assert kind_of(body) in {"unknown", "carried"}
