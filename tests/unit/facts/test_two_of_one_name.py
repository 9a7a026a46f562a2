"""Assumptions about two pointers that have one name in the source."""

from __future__ import annotations

from iteration_order.labels import judged
from warplens.analysis.ir.promise import Promise


def test_two_pointers_of_one_name_are_not_said_to_differ_from_themselves() -> None:
    parameters = "int n, double *x, double *y, int c, int d"
    body = "{ double *q = c ? x : y; q[i] = 1; } { double *q = d ? x : y; q[i] = 2; }"
    source = f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    (open_,) = judged(source)
    assert open_.verdicts[0].suggestion == "// warplens: q has no shared elements"
    (said,) = judged(source, (Promise("q", "unshared"),))
    assert said.verdicts[0].kind == "parallel"
    assert [(a.kind, a.subject) for a in said.verdicts[0].assumptions] == [("promise", "q")]
