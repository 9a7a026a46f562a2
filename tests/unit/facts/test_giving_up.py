"""Which flags a loop without unseen calls may be told to ignore: those by which it gives up."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.comment import directive_text

GIVE_UP = {
    "continue": "if (st) continue; if (a[i] < 0) { st = 5; continue; } b[i] = a[i] * 2;",
    "nested": "if (!st) { if (a[i] < 0) st = 5; else b[i] = a[i] * 2; }",
    "compared": "if (st == 0) { if (a[i] < 0) st = -1; else b[i] = a[i]; }",
    "with something else": "if (st == 0 && a[i] > 1) { if (a[i] > 9) st = 1; else b[i] = a[i]; }",
}
OTHERS = {
    "the first one": "if (!st && a[i] > 0) { st = 1; b[i] = 1; }",
    "where the first one is": "if (!st && a[i] > 0) { st = 1; at = i; }",
    "all from the first one on": "if (a[i] > 0) st = 1; if (st) b[i] = 1;",
    "a copy of it": "int t = st; if (a[i] > 0) st = 1; if (t) b[i] = 1;",
    "another number": "if (a[i] > 0) st = 1; if (st != 2) b[i] = 1; if (st == 1) b[i] = 2;",
    "its value": "if (a[i] > 0) st = 1; b[i] = st;",
    "set and reset": "if (a[i] > 0) st = 1; if (a[i] < 0) st = 0; if (!st) b[i] = 1;",
}


def promised(nests_of: Callable[[str], list[LoopNest]], body: str) -> str:
    nests = nests_of(
        "int f(int n, double *restrict a, double *restrict b) { int st = 0, at = 0;"
        f" for (int i = 0; i < n; i++) {{ {body} }} return st + at; }}"
    )
    verdict = analyse_nest(nests[0]).verdicts[0]
    assert verdict.kind not in {"parallel", "reduction"}
    return directive_text(verdict.conditions) if verdict.conditions else ""


@pytest.mark.parametrize("body", GIVE_UP.values(), ids=GIVE_UP)
def test_a_flag_that_ends_the_work_may_be_promised_only_to_report(
    nests_of: Callable[[str], list[LoopNest]], body: str
) -> None:
    assert promised(nests_of, body) == "// warplens: st is independent"


@pytest.mark.parametrize("body", OTHERS.values(), ids=OTHERS)
def test_what_iterations_before_left_in_other_flags_is_wanted(
    nests_of: Callable[[str], list[LoopNest]], body: str
) -> None:
    assert "st is independent" not in promised(nests_of, body)
