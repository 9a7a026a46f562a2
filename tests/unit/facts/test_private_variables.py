"""Variables that data decides an iteration sets before it reads them: private if somebody says that each one does."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.private import Private

PARAMETERS = "int n, int m, int *restrict b, double *restrict x, double *restrict y"


def verdict(body: str, *, is_said: bool = False, before: str = "double t = 0;", after: str = "") -> LoopVerdict:
    """Of the loop over `i`."""
    promises = (Private("t"),) if is_said else ()
    source = f"double f({PARAMETERS}) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} {after} return 0; }}"
    return [nest.verdicts[0] for nest in judged(source, promises)][-1]


@pytest.mark.parametrize(
    "body",
    [
        "for (int j = b[i]; j < b[i + 1]; j++) if (j == i) t = x[j]; y[i] = x[i] / t;",
        "if (x[i] > 0) t = x[i]; if (x[i] < 0) t = -x[i]; y[i] = t;",
        "for (int j = 0; j < b[i]; j++) t = x[j]; for (int k = 0; k < m; k++) y[i] += t;",
    ],
)
def test_a_promise_decides_what_data_does(body: str) -> None:
    found = verdict(body)
    assert (found.kind, found.suggestion) == ("unknown", "// warplens: t is private")
    said = verdict(body, is_said=True)
    assert (said.kind, "t" in said.private) == ("parallel", True)
    assert [a.subject for a in said.assumptions if a.kind == "promise"] == ["t"]


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = t; t = x[i];",
        "y[i] = t; if (x[i] > 0) t = x[i];",
        "if (x[i] > 0) t = 0; t += x[i]; y[i] = t;",
        "if (x[i] > 0) t = t * x[i] + 1; y[i] = t;",
        "for (int j = 0; j < b[i]; j++) { y[i] += t; if (x[j] > 0) t = x[j]; }",
    ],
)
def test_none_is_offered_or_taken_where_the_old_value_is_used(body: str) -> None:
    for is_said in (False, True):
        found = verdict(body, is_said=is_said)
        assert found.kind in {"unknown", "carried"}
        assert found.conditions == ()


def test_what_the_last_iteration_leaves_may_be_wanted() -> None:
    body = "if (x[i] > 0) t = x[i]; y[i] = t;"
    assert verdict(body).conditions == (Private("t"),)
    for is_said in (False, True):
        found = verdict(body, is_said=is_said, after="y[0] = t;")
        assert (found.kind, found.conditions) == ("unknown", ())
    assert verdict(body, before="static double t;").conditions == ()


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("if (i < m) t = x[i]; y[i] = 0; if (i < m) y[i] += t;", "parallel"),
        ("if (m == 2) t = x[i]; y[i] = 0; if (m == 2) y[i] += t;", "parallel"),
        ("int is = b[i] > 3; if (is) t = x[i]; y[i] = 0; if (is) y[i] += t;", "parallel"),
        ("if (b[i] > 3) t = x[i]; y[i] = 0; if (b[i] > 4) y[i] += t;", "parallel"),
        ("for (int j = 0; j < m; j++) { if (j > 0) y[i] += t; t = x[j]; }", "parallel"),
        ("if (b[i] > 3) t = x[i]; y[i] = 0; if (b[i] > 2) y[i] += t;", "unknown"),
        ("if (b[i] > 3) t = x[i]; y[i] = 0; if (b[i + 1] > 3) y[i] += t;", "unknown"),
        ("int is = b[i] > 3; if (is) t = x[i]; is = m; if (is) y[i] += t;", "unknown"),
        ("if (i < m) t = x[i]; y[i] = 0; if (i <= m) y[i] += t;", "unknown"),
        ("if (i < 3) t = x[i]; y[i] = 0; if (i <= 3) y[i] += t;", "unknown"),
        ("for (int j = 0; j < m; j++) { if (i > 0) y[i] += t; t = x[j]; }", "carried"),
    ],
)
def test_what_is_set_under_the_condition_that_it_is_read_under_is_private(body: str, kind: str) -> None:
    assert verdict(body).kind == kind


def test_its_last_value_may_be_wanted_too() -> None:
    found = verdict("if (i < m) t = x[i]; y[i] = 0; if (i < m) y[i] += t;", after="y[0] = t;")
    assert (found.kind, found.conditions) == ("unknown", ())


PICKED = """int mine(int i, int j);
void f(int n, double *restrict x, double *restrict y) {
 double t = 3;
 for (int i = 0; i < n; i++) {
  for (int j = 0; j < n; j++) if (mine(i, j)) t = x[j];
  y[i] = t + i;
 }
}"""


@pytest.mark.parametrize(("mine", "differs"), [("j == i", False), ("j == i / 2", False), ("j == 5 && i > 3", True)])
def test_where_the_promise_is_kept_any_order_gives_the_same(mine: str, differs: bool, tmp_path: Path) -> None:
    changed = any_order(PICKED, promises=(Private("t"), Independent("mine")))
    assert 4 in {each.line for each in changed.loops}
    outcome = run(changed, tmp_path, f"int mine(int i, int j) {{ return {mine}; }}")
    assert (4 in outcome.differs) == differs
