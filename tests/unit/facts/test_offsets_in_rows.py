"""Numbers that are offsets in rows of constant length: that they lie in the row is what somebody knows of them."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.catalogue import read_promise


def verdict(body: str, *said: str, header: str = "int i = 0; i < n; i++") -> LoopVerdict:
    names = "int n, int m, int k, int j, double *restrict p, double *restrict q"
    source = f"void f({names}) {{ for ({header}) {{ {body} }} }}"
    ((found, *_),) = (nest.verdicts for nest in judged(source, tuple(map(read_promise, said))))
    return found


READ = "p[4*i + k] /= p[4*i + 3];"
BOTH = "for (int c = 0; c < 2; c++) { int o = (c + k + 1) % 3; p[4*i + o] *= p[4*i + k] + q[4*i + k]; q[4*i + o] = 0; }"


@pytest.mark.parametrize(
    ("body", "header", "offered"),
    [
        (READ, "int i = 0; i < n; i++", ["k >= 0", "k <= 3"]),
        (READ, "int i = 0; i < n; i += 2", ["k >= 0", "k <= 7"]),
        (BOTH, "int i = 0; i < n; i++", ["k >= 0", "k <= 3"]),
        ("p[i + k] /= p[i + 3];", "int i = 0; i < n; i++", ["k + n <= 3"]),
    ],
)
def test_all_of_the_row_is_offered(body: str, header: str, offered: list[str]) -> None:
    found = verdict(body, header=header)
    assert found.kind == "unknown"
    assert [promise.subject for promise in found.conditions if promise.kind == "size"] == offered


@pytest.mark.parametrize(
    ("body", "said", "kind"),
    [
        (READ, ("k >= 0", "k <= 3"), "parallel"),
        (READ, ("k >= 0",), "unknown"),
        (READ, ("k <= 3",), "unknown"),
        (READ, ("k >= 0", "k <= 7"), "unknown"),
        (BOTH, ("k >= 0", "k <= 3"), "parallel"),
        (READ.replace("+ 3", "+ 7"), ("k >= 0", "k <= 3"), "unknown"),
    ],
)
def test_neither_bound_may_be_left_out(body: str, said: tuple[str, ...], kind: str) -> None:
    assert verdict(body, *said).kind == kind
