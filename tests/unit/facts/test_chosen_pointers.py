"""Loops whose pointers get values that are not followed: which stand still, which are an iteration's own."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.delinearise import delinearise
from warplens.analysis.facts.parallelism import loop_verdicts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.ir.promise import Promise

DECLARATIONS = "double *get(int); double *fixed; double x[99], y[99]; int flag[99];\n"
VOUCHED = (Promise("get", "independent"),)
FILL = "for (int j = 0; j < m; j++) q[j] = x[j];"
PACK = "for (int j = 0; j < m; j++) if (x[j] > 0) *q++ = x[j];"


def kinds(body: str, promises: tuple[Promise, ...] = ()) -> list[str]:
    """Of a loop over `i` and those inside."""
    source = (
        f"{DECLARATIONS}void f(int n, int m) {{ double *kept = 0, *q; for (int i = 0; i < n; i++) {{ {body} }} }}\n"
    )
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    nest = delinearise(unit.functions[-1].nests[0].nest)
    return [verdict.kind for verdict in loop_verdicts(nest, promises)]


OWN = {
    "given": f"q = get(i); {FILL}",
    "given or null": f"q = 0; if (flag[i]) q = get(i); if (q) {{ {FILL} }}",
    "given in both branches": f"if (flag[i]) q = get(i); else q = get(-i); {FILL}",
    "given and moved": f"q = get(i); if (flag[i]) q += 3; {FILL}",
}


@pytest.mark.parametrize("name", OWN)
def test_memory_given_in_an_iteration_is_its_own_if_the_function_is_vouched_for(name: str) -> None:
    assert kinds(OWN[name]) == ["unknown", "parallel"]
    assert kinds(OWN[name], VOUCHED) == ["parallel", "parallel"]


def test_given_memory_stays_an_iterations_own_while_a_loop_inside_walks_through_it() -> None:
    assert kinds(f"q = get(i); {PACK}", VOUCHED) == ["parallel", "unknown"]


NOT_OWN = {
    "left from an iteration before": f"if (flag[i]) q = get(i); {FILL}",
    "given or one for all": f"q = fixed; if (flag[i]) q = get(i); {FILL}",
    "set by a loop inside": f"q = get(i); for (int k = 0; k < m; k++) if (flag[k]) q = fixed; {FILL}",
    "kept for later": f"q = get(i); {FILL} if (kept) kept[0] += q[1]; kept = q;",
}


@pytest.mark.parametrize("name", NOT_OWN)
def test_memory_that_another_iteration_may_have_is_not(name: str) -> None:
    found = kinds(NOT_OWN[name], VOUCHED)
    assert found[0] in {"unknown", "carried"}
    assert found[-1] == "parallel"


def test_a_value_in_memory_that_a_pointer_chooses_is_no_constant() -> None:
    choose = "int *c = flag[i] ? flag : flag + 9;"
    assert kinds(f"{choose} for (int j = 0; j < m; j++) y[c[0] * 4 + j] = j;") == ["unknown", "parallel"]
