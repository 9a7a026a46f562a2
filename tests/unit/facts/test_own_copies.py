"""Arrays that iterations use as scratch paper: when copies do, when a promise is missing, and when none would help."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.private import Private

ROWS = "for (int j = 0; j < m; j++) for (int k = 0; k < n; k++) t[j*n + k] = i;"
PARAMETERS = "int n, int m, int *restrict b, double *restrict y, int *restrict z"


def verdict(body: str, *, is_said: bool = False, before: str = "", after: str = "") -> LoopVerdict:
    """Of the loop over `i`."""
    promises = (Private("t"),) if is_said else ()
    source = f"void f({PARAMETERS}) {{ int t[9]; {before} for (int i = 0; i < n; i++) {{ {body} }} {after} }}"
    return [nest.verdicts[0] for nest in judged(source, promises)][-1]


@pytest.mark.parametrize(
    "body",
    [
        "t[0] = i; for (int j = 0; j < 8; j++) t[j + 1] = t[j] * 2; y[i] = t[8];",
        "t[8] = i; for (int j = 7; j >= 0; j--) t[j] = t[j + 1] * 2; y[i] = t[0];",
        "t[b[i]] = i; y[i] = t[b[i]];",
        "if (b[i]) { t[0] = i; y[i] = t[0]; }",
        (
            "for (int j = 0; j < m; j++) { for (int k = 0; k < j*n; k++) t[k] = i; "
            "for (int k = 0; k < j*n; k++) y[i] += t[k]; }"
        ),
        "for (int k = 0; k < 9; k++) t[k] = 0; y[i] = t[b[i]]; t[b[i]]++;",
        ROWS + " for (int k = 0; k < m*n; k++) y[i] += t[k];",
        "for (int k = 0; k < m*n; k++) t[k] = i; " + ROWS.replace("t[j*n + k] = i", "y[i] += t[j*n + k]"),
    ],
)
def test_what_is_read_was_written_in_the_same_iteration(body: str) -> None:
    found = verdict(body)
    assert (found.kind, "t" in found.private) == ("parallel", True)


@pytest.mark.parametrize(
    "body",
    [
        "for (int k = 0; k < 8; k++) t[k] = 0; y[i] = t[b[i]]; t[b[i]]++;",
        "for (int k = 0; k < m; k++) t[k] = i; y[i] = t[m - 1] + t[b[i]];",
        "t[m] = i; int k = 0; while (t[k] > b[k]) k++; y[i] = k; t[k] = 3;",
        "for (int k = 0; k < m; k++) t[k] = i; for (int k = 0; k < 9; k++) y[i] += t[k];",
        "ROWS for (int k = 0; k < m*n + 1; k++) y[i] += t[k];",
        "for (int k = 0; k < m*n - 1; k++) t[k] = i; " + ROWS.replace("t[j*n + k] = i", "y[i] += t[j*n + k]"),
    ],
)
def test_a_promise_decides_what_sizes_or_data_do(body: str) -> None:
    body = body.replace("ROWS", ROWS)
    found = verdict(body)
    assert found.kind == "unknown"
    assert found.suggestion == "// warplens: t is private"
    said = verdict(body, is_said=True)
    assert (said.kind, "t" in said.private) == ("parallel", True)
    assert [a.subject for a in said.assumptions if a.kind == "promise"] == ["t"]


@pytest.mark.parametrize(
    ("body", "kind"),
    [
        ("y[i] = t[0]; t[0] = i;", "carried"),
        ("if (b[i]) t[0] = i; y[i] = t[0]; t[0] = 3;", "carried"),
        ("y[i] = t[3]; t[b[i]] = i;", "unknown"),
        ("for (int j = 0; j < m; j++) { y[i] = t[j*n]; t[j*n] = i; }", "carried"),
        ("for (int k = 0; k < m*n; k++) y[i] += t[k]; ROWS", "carried"),
        ("t[0] = i; y[i] = t[0] + t[3];", "unknown"),  # a copy would have to start with what is in t[3]
    ],
)
def test_no_promise_is_offered_or_taken_that_is_known_to_be_false(body: str, kind: str) -> None:
    for is_said in (False, True):
        found = verdict(body.replace("ROWS", ROWS), is_said=is_said)
        assert (found.kind, found.conditions) == (kind, ())


@pytest.mark.parametrize(
    "body",
    [
        "FILL(j*n) y[i] += t[j*n];",
        "FILL(j*n) READ((j + 1)*n)",
        "FILL(j*m) READ(j*n)",
        "READ(j*n) FILL(j*n)",
        "FILL((j - 1)*n) READ(j*n - m)",
        "if (b[j]) { FILL(j*n) } READ(j*n)",
        "FILL(j*n) } for (int j = 0; j < n; j++) { READ(j*n)",
    ],
)
def test_a_product_in_one_iteration_says_nothing_of_another_one(body: str) -> None:
    for word, does in (("FILL", "t[k] = i;"), ("READ", "y[i] += t[k];")):
        body = re.sub(word + r"(\((?:[^()]|\([^()]*\))*\))", rf"for (int k = 0; k < \1; k++) {does}", body)
    assert not verdict(f"for (int j = 0; j < m; j++) {{ {body} }}").can_run_in_parallel


def test_what_is_read_behind_the_loop_or_is_not_the_functions_own_gets_no_copies() -> None:
    body = "for (int k = 0; k < m; k++) t[k] = i; y[i] = t[b[i]];"
    nested = "for (int o = 0; o < n; o++) { for (int i = 0; i < n; i++) { %s } z[o] = t[3]; }"
    (found,) = (nest.verdicts for nest in judged(f"void f({PARAMETERS}) {{ int t[9]; {nested % body} }}"))
    assert found[1].conditions == ()
    own = verdict(body.replace("t[", "z["))
    assert own.conditions != (Private("z"),)
    assert "z" not in own.private


def test_a_condition_is_read_in_each_iteration_of_its_loop() -> None:
    body = "int k = 0; while (z[k]) k++; y[i] = k; z[i + 1] = 0;"
    source = f"void f({PARAMETERS}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    ((outer, *_),) = (nest.verdicts for nest in judged(source))
    assert outer.kind == "unknown"


def test_of_several_arrays_of_one_name_the_one_at_the_loop_is_named() -> None:
    block = "{ int t[9]; for (int i = 0; i < n; i++) { for (int k = 0; k < m; k++) t[k] = i; y[i] += t[b[i]]; } }"
    (found,) = (
        nest.verdicts for nest in judged(f"void f({PARAMETERS}) {{ for (int o = 0; o < n; o++) {{ {block * 2} }} }}")
    )
    assert [v.suggestion for v in found if v.conditions] == ["// warplens: t is private"] * 2


COUNTED = """int least(int i);
void f(int n, double *y) {
 int t[64];
 for (int k = 0; k < 64; k++) t[k] = 5;
 for (int i = 0; i < n; i++) {
  int m = least(i);
  for (int k = 0; k < m; k++) t[k] = i;
  y[i] = t[i % 8];
 }
}"""


@pytest.mark.parametrize(("least", "differs"), [("64", False), ("8", False), ("i % 2 ? 8 : 1", True)])
def test_where_the_promise_is_kept_any_order_gives_the_same(least: str, differs: bool, tmp_path: Path) -> None:
    changed = any_order(COUNTED, promises=(Private("t"), Independent("least")))
    assert 5 in {each.line for each in changed.loops}
    outcome = run(changed, tmp_path, f"int least(int i) {{ return {least}; }}")
    assert (5 in outcome.differs) == differs
