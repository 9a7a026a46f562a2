"""Elements that all iterations set to one value: no order matters, unless the value or who reads it does."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict

HEADER = (
    "struct S { int bad; double sum; struct { int *at; } in; };"
    " void f(int n, int k, int t, double *restrict x, double *restrict y, double (*restrict u)[64],"
    " struct S *restrict s, int *restrict idx, double *const *restrict rows, double g(int))"
)


def verdict(body: str) -> LoopVerdict:
    """Of the loop over `i`."""
    ((found, *_),) = (nest.verdicts for nest in judged(f"{HEADER} {{ for (int i = 1; i < n; i++) {{ {body} }} }}"))
    return found


@pytest.mark.parametrize(
    ("body", "stores"),
    [
        pytest.param("u[0][t] = y[t - 1]; u[i][t] = y[i] - x[i];", ["u"], id="a border beside the rest"),
        pytest.param("u[0][t] = u[1][t - 1]; u[i][t] = x[i];", ["u"], id="from elsewhere in the same array"),
        pytest.param("x[0] = 2 * y[k] + t; x[n] = k;", ["x", "x"], id="two elements, two values"),
        pytest.param("if (y[i] < 0) x[k] = y[idx[3]];", ["x"], id="through a table, under a condition"),
        pytest.param("if (y[i] < 0) s->bad = 1; s->sum += y[i];", ["s"], id="a member beside a sum"),
        pytest.param("if (y[i] < 0) s->bad = 1; else if (y[i] > 9) s->bad = 1;", ["s"], id="two statements"),
        pytest.param("x[idx[i]] = sqrt(y[0]);", ["x"], id="somewhere"),
        pytest.param("for (int j = 0; j < k; j++) x[j] = rows[0][t];", ["x"], id="through a row that stands"),
    ],
)
def test_writes_of_one_value_need_no_order(body: str, stores: list[str]) -> None:
    found = verdict(body)
    assert found.kind == "reduction"
    assert [r.variable for r in found.reductions if r.operator == "store"] == stores


@pytest.mark.parametrize(
    "body",
    [
        pytest.param("u[0][t] = u[1][t]; u[i][t] = x[i];", id="what an iteration writes"),
        pytest.param("x[0] = y[i];", id="another one each time"),
        pytest.param("x[0] = i;", id="a number of the loop"),
        pytest.param("x[0] = 1; if (y[i] > 0) x[0] = 2;", id="two values in one element"),
        pytest.param("x[0] = (int)y[0]; if (y[i] > 0) x[0] = y[0];", id="converted or not"),
        pytest.param("y[i] = x[0]; x[0] = 1;", id="read before"),
        pytest.param("if (y[i] > 0) x[0] = 1; y[i] = x[0];", id="read where it may not be set"),
        pytest.param("x[0] += y[0]; x[0] = 1;", id="added to as well"),
        pytest.param("double *p = rows[i]; x[0] = p[0];", id="through a row of the iteration"),
        pytest.param("x[0] = y[k++];", id="a subscript that moves"),
        pytest.param("x[0] = g(0);", id="from a call that may count"),
        pytest.param("double w[2]; w[0] = y[i]; x[0] = w[0];", id="from memory of the iteration"),
        pytest.param("double w = y[i]; x[0] = w;", id="from a variable of the iteration"),
        pytest.param("for (int j = 0; j < k; j++) x[0] = j;", id="the last of an inner loop, each time"),
        pytest.param("s->bad = 1; s->in.at = idx + i; y[i] = s->bad;", id="a member that is read"),
    ],
)
def test_other_writes_of_one_element_do(body: str) -> None:
    assert not verdict(body).can_run_in_parallel
