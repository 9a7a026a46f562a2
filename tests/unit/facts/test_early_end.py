"""Flags that spare work once they are set: nothing else may come of what they spare."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict

HEADER = "int f(int n, int m, double *restrict x, double *restrict y, int *restrict k)"


def verdict(body: str, result: str = "flag") -> LoopVerdict:
    """Of the loop over `i`."""
    source = f"{HEADER} {{ int flag = 0, count = 0; for (int i = 0; i < n; i++) {{ {body} }} return {result}; }}"
    ((found, *_),) = (nest.verdicts for nest in judged(source))
    return found


@pytest.mark.parametrize(
    "body",
    [
        "if (flag) continue; if (x[i] < 0) flag = 1;",
        "if (!flag) for (int j = 0; j < m; j++) if (x[i + j] < 0) { flag = 1; break; }",
        "int is = flag; if (is) continue; double s = 0; for (int j = 0; j < m; j++) s += x[j]; if (s > i) flag = 1;",
        "y[i] = x[i] * 2; if (!flag && x[i] < 0) flag = 1;",
        "if (flag != 3) { int t[2]; t[0] = k[i]; t[1] = t[0] + m; if (x[t[1]] > 0) flag = 3; }",
    ],
)
def test_where_looking_leaves_nothing_behind_it_is_a_store(body: str) -> None:
    found = verdict(body)
    assert [(r.variable, r.operator) for r in found.reductions] == [("flag", "store")]


@pytest.mark.parametrize(
    ("body", "result"),
    [
        pytest.param("if (flag) continue; x[i] *= 2; if (x[i] < 0) flag = 1;", "flag", id="an element"),
        pytest.param("if (flag) continue; count++; if (x[i] < 0) flag = 1;", "count", id="a count"),
        pytest.param("if (flag) continue; count = i; if (x[i] < 0) flag = 1;", "count", id="the last one"),
        pytest.param("if (flag) continue; if (x[i] < 0) flag = i;", "flag", id="other values"),
        pytest.param("if (flag) continue; if (x[i] < 0) flag = 1; if (x[i] > 3) flag = 2;", "flag", id="two values"),
        pytest.param("y[i] = flag; if (x[i] < 0) flag = 1;", "flag", id="its value"),
        pytest.param("int t = 1; if (!flag) t = 2; y[i] = t; if (x[i] < 0) flag = 1;", "flag", id="what it chose"),
        pytest.param("int t[1] = {0}; if (!flag) t[0] = 2; y[i] = t[0]; if (x[i]) flag = 1;", "flag", id="in an array"),
        pytest.param("int t = flag; if (x[i] < 0) flag = 1; y[t + i] = 3;", "flag", id="a place"),
        pytest.param("int t = flag; if (t) continue; t = x[i] > 3; if (t) flag = 1; y[i] = t;", "flag", id="a copy"),
        pytest.param(
            "int j = 0; if (!flag) for (j = 0; j < 5; j++) if (x[i + j] < 0) { flag = 1; break; } y[i] = j;",
            "flag",
            id="how far it looked",
        ),
        pytest.param("int t = 0; if (!flag) t = 3; for (int j = 0; j < t; j++) y[i] += j; if (x[i]) flag = 1;", "flag",
                     id="how often"),
        pytest.param("if (flag) continue; if (x[i] < 0) flag = 1; count += flag;", "count", id="a sum of it"),
        pytest.param("flag += x[i] > 0; if (flag < 5) count = 1;", "flag", id="a counter"),
    ],
)  # fmt: skip
def test_what_else_comes_of_looking_depends_on_the_order(body: str, result: str) -> None:
    assert not verdict(body, result).can_run_in_parallel
