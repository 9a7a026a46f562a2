"""Loops whose pointers get values that are not followed: which stand still, which are an iteration's own."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.injective import Injective
from warplens.analysis.ir.promises.promise import Promise

DECLARATIONS = (
    "double *get(int); int *table(int); double *of_file; void swap(double **); "
    "double *fixed; double x[99], y[99]; int flag[99]; static void reset(void) { of_file = fixed; }\n"
)
VOUCHED = (Independent("get"), Independent("swap"))
FILL = "for (int j = 0; j < m; j++) q[j] = x[j];"
PACK = "for (int j = 0; j < m; j++) if (x[j] > 0) *q++ = x[j];"


def kinds(body: str, promises: tuple[Promise, ...] = ()) -> list[str]:
    """Of a loop over `i` and those inside."""
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    source = f"{DECLARATIONS}void f(int n, int m) {{ double *kept = 0, *q; int bad = 0; {loop} }}\n"
    nest = delinearise(only_nest(source))
    return [verdict.kind for verdict in loop_verdicts(nest, promises)]


OWN = {
    "given": f"q = get(i); {FILL}",
    "given or null": f"q = 0; if (flag[i]) q = get(i); if (q) {{ {FILL} }}",
    "given in both branches": f"if (flag[i]) q = get(i); else q = get(-i); {FILL}",
    "given and moved": f"q = get(i); if (flag[i]) q += 3; {FILL}",
    "given and moved as data says": f"q = get(i); q += flag[i]; {FILL}",
    "at a place in what was given": f"double *p = get(i); if (p == 0) bad = 1; q = p + flag[i]; {FILL}",
    "behind one that moves": f"double *p = get(i); p += flag[i]; q = (double *)p - flag[i + 1]; {FILL}",
    "at a place and moved": f"double *p = get(i); q = p + flag[i]; q++; {FILL}",
    "declared at a place in it": f"double *p = get(i), *r = &p[flag[i]]; q = r; {FILL}",
}


@pytest.mark.parametrize("name", OWN)
def test_memory_given_in_an_iteration_is_its_own_if_the_function_is_vouched_for(name: str) -> None:
    assert kinds(OWN[name]) == ["unknown", "parallel"]
    assert kinds(OWN[name], VOUCHED) == ["parallel", "parallel"]


THROUGH_LOOPS = {
    "set in a loop from what moves through it": (
        f"q = get(i); double *s = q; for (int k = 0; k < m; k++) {{ double *r = q + k; if (flag[k]) s = r; q += 2; }} "
        f"q = s; {FILL}"
    ),
    "set in turns": f"q = get(i); double *t = 0; for (int k = 0; k < m; k++) {{ t = q; q = t + flag[k]; }} {FILL}",
    "set to null in a loop": f"q = get(i); for (int k = 0; k < m; k++) {{ if (flag[k]) q = 0; else q++; }} {FILL}",
}


@pytest.mark.parametrize("name", THROUGH_LOOPS)
def test_pointers_that_a_loop_sets_from_each_other_stay_in_given_memory(name: str) -> None:
    assert kinds(THROUGH_LOOPS[name])[0] == "unknown"
    assert kinds(THROUGH_LOOPS[name], VOUCHED)[0] == "parallel"


def test_given_memory_stays_an_iterations_own_while_a_loop_inside_walks_through_it() -> None:
    assert kinds(f"q = get(i); {PACK}", VOUCHED) == ["parallel", "unknown"]


NOT_OWN = {
    "left from an iteration before": f"if (flag[i]) q = get(i); {FILL}",
    "given or one for all": f"q = fixed; if (flag[i]) q = get(i); {FILL}",
    "set by a loop inside": f"q = get(i); for (int k = 0; k < m; k++) if (flag[k]) q = fixed; {FILL}",
    "moved from an iteration before": f"if (flag[i]) q = get(i); q += flag[i]; {FILL}",
    "set in a loop from another one's": (
        f"double *p = get(i); p[0] = 1; q = p; for (int k = 0; k < m; k++) {{ if (flag[k]) q = fixed; }} {FILL}"
    ),
    "set in turns with another one": (
        f"q = get(i); double *t = fixed; for (int k = 0; k < m; k++) {{ double *w = t; t = q; q = w; }} {FILL}"
    ),
    "set in a loop by a function": f"q = get(i); for (int k = 0; k < m; k++) {{ q++; swap(&q); }} {FILL}",
    "one of the file, moved by a function": (
        "of_file = get(i); for (int k = 0; k < m; k++) { of_file++; reset(); } "
        "for (int j = 0; j < m; j++) of_file[j] = x[j];"
    ),
    "at a place in one for all": f"double *p = get(i); p[0] = 1; q = fixed + flag[i]; {FILL}",
    "given or one for all, moved": f"double *p = flag[i] ? get(i) : fixed; q = p + flag[i]; {FILL}",
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


def test_values_in_memory_that_calls_give_are_those_of_one_iteration() -> None:
    assert kinds("double *c = get(i); y[(int)c[0] + i] = i;", VOUCHED) == ["unknown"]
    source = "int *c = table(i); y[c[0] + i] = i;"
    assert kinds(source, (Independent("table"),)) == ["unknown"]
    assert kinds(f"int *c = table(i); {'for (int j = 0; j < m; j++) y[c[0] + j] = j;'}") == ["unknown", "parallel"]


def test_what_a_table_holds_is_said_of_one_iterations_memory() -> None:
    body = "int *c = flag[i] ? flag : flag + 9; for (int j = 0; j < m; j++) y[c[j]] = j;"
    promises = (Injective("c"), Injective("c'"))
    assert kinds(body, promises) == ["unknown", "parallel"]


READ = {
    "one of two": "q = flag[i] ? x : fixed; y[i] = q[1];",
    "a place that data gives": "q = x + flag[i]; y[i] = *q;",
    "a walk of each iteration": "q = x; for (int k = 0; k < m; k++) { y[i] += *q; q += flag[k]; }",
}


@pytest.mark.parametrize("name", READ)
def test_memory_that_is_only_read_may_be_another_one_in_each_iteration(name: str) -> None:
    assert kinds(READ[name])[0] == "parallel"


HANDED_ON = {
    "set for the next": "y[i] = q[0]; if (flag[i]) q = x + i;",
    "set for the next as data says": "y[i] = q[0]; q = x + flag[i];",
    "moved as data says": "y[i] = q[0]; q += flag[i];",
    "through another": "double *t = q + flag[i]; y[i] = *t; q = kept; kept = x + flag[i];",
    "by a loop inside": "for (int k = 0; k < m; k++) { y[i] += *q; q += flag[k]; }",
    "from a loop inside": "for (int k = 0; k < m; k++) if (flag[k]) q = x + k; y[i] = *q;",
    "what may be written": "q = flag[i] ? x : y + 1; y[i] = q[i];",
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_a_pointer_that_an_iteration_hands_on_is_in_the_way(name: str) -> None:
    assert kinds(HANDED_ON[name])[0] in {"unknown", "carried"}
