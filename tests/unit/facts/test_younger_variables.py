"""Variables of the body whose address a call gets: pointers that were set before the loop can't lead to them."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.promises.independent import Independent

UNSEEN = "int *get(int n); void solve(int *size, const int *k); struct s { int *p; };\n"
VOUCHED = (Independent("get"), Independent("solve"))


def verdict(body: str, before: str = "int *x = get(n);", inlined: str = "") -> LoopVerdict:
    """Of the last loop under the promises."""
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    function = f"void f(int n, const int *restrict k, struct s *o) {{ {before} {loop} }}"
    *_, nest = judged(f"{UNSEEN}{inlined}{function}", VOUCHED)
    return nest.verdicts[0]


@pytest.mark.parametrize(
    ("body", "inlined"),
    [
        ("int t; t = k[i]; solve(&t, k); x[i] = t;", ""),
        ("{ int t = i; t++; solve(&t, k); x[i] = t; }", ""),
        ("x[i] = sized(i, k);", "static int sized(int i, const int *k) { int t = i; solve(&t, k); return t; }\n"),
        ("int t; x = &t; t = k[i]; solve(&t, k); x[0] = t;", ""),  # the variable itself is
    ],
)
def test_what_begins_in_the_iteration_is_not_behind_an_older_pointer(body: str, inlined: str) -> None:
    assert verdict(body, inlined=inlined).kind == "parallel"


@pytest.mark.parametrize(
    ("body", "before"),
    [
        ("t = k[i]; solve(&t, k); x[i] = t;", "int t; int *x = get(n);"),
        ("int t; t = k[i]; solve(&t, k); q->p[i] = t;", "struct s *q = (struct s *)get(n);"),
        ("int t; if (k[i]) x = &t; t = k[i]; solve(&t, k); x[0] = t;", "int *x = get(n);"),
        ("int t; if (i > 3) x[0] = t; t = k[i]; solve(&t, k); x = &t;", "int *x = get(n);"),
        ("static int t; t += k[i]; solve(&t, k); x[i] = t;", "int *x = get(n);"),
    ],
)
def test_what_may_be_behind_the_pointer_is_in_the_way(body: str, before: str) -> None:
    found = verdict(body, before)
    assert found.kind in {"unknown", "carried"}
