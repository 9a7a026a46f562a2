"""Pointers that a loop moves unevenly: their object stays known, and a variable says where in it they are."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.nest_invariants import violations
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.ir.expression import Access, ScalarRef, c_text
from warplens.analysis.ir.nest import Assign, LoopNest, walk_statements
from warplens.analysis.ir.promises.unshared import Unshared

Nests = Callable[[str], list[LoopNest]]
HEAD = "void f(int n, int m, double *x, double *y, int *c)"


def nest_of(nests: Nests, body: str) -> LoopNest:
    source = f"{HEAD} {{ double *p, *q, *e; int j, k; for (int i = 0; i < n; i++) {{ {body} }} }}"
    (nest,) = nests(source)
    assert not violations(nest)
    return nest


def stored_in(nest: LoopNest) -> list[str]:
    return [s.target.array for s in walk_statements((nest.root,)) if isinstance(s, Assign) and _is_access(s)]


def _is_access(statement: Assign) -> bool:
    return isinstance(statement.target, Access)


def set_variables(nest: LoopNest, name: str) -> list[str]:
    """What a variable is set to or moved by, in order."""
    found = (s for s in walk_statements((nest.root,)) if isinstance(s, Assign) and isinstance(s.target, ScalarRef))
    return [f"{s.operator}= {c_text(s.value)}" for s in found if getattr(s.target, "name", "") == name]


UNEVEN = {
    "under a condition": "p = x + i * m; for (j = 0; j < m; j++) if (c[j]) *p++ = 1;",
    "from where data says": "p = x + c[i]; for (j = 0; j < m; j++) if (c[j]) *p++ = 1;",
    "by what data says": "p = x; for (j = 0; j < m; j++) { *p = 1; p += c[j]; }",
    "backwards": "p = x + m; for (j = 0; j < m; j++) if (c[j]) *--p = 1;",
    "by an inner loop that data ends": "p = x; for (j = 0; j < m; j++) for (k = 0; k < c[j]; k++) *p++ = 1;",
    "and evenly inside": "p = x; for (j = 0; j < m; j++) { for (k = 0; k < 3; k++) *p++ = 1; p += c[j]; }",
    "up to an end": "p = x; e = x + m; while (p < e) { *p = 1; p += c[i]; }",
    "and read after": "p = x; for (j = 0; j < m; j++) if (c[j]) p++; *p = 1;",
    "followed by another": "p = x; for (j = 0; j < m; j++) { q = p; if (c[j]) p++; *q = 1; }",
}


@pytest.mark.parametrize("how", UNEVEN)
def test_the_object_stays_known(nests: Nests, how: str) -> None:
    nest = nest_of(nests, UNEVEN[how])
    assert set(stored_in(nest)) == {"x"}
    assert not [array.name for array in nest.arrays if array.chosen_in is not None]


def test_a_variable_goes_the_pointers_way(nests: Nests) -> None:
    nest = nest_of(nests, UNEVEN["and evenly inside"])
    assert set_variables(nest, "p'at") == ["= 0", "= (p + 3)", "+= c[j]"]


def test_where_it_was_is_kept_for_what_was_set_from_it(nests: Nests) -> None:
    nest = nest_of(nests, UNEVEN["followed by another"])
    (store,) = [s.target for s in walk_statements((nest.root,)) if isinstance(s, Assign) and _is_access(s)]
    assert isinstance(store, Access)
    (held,) = store.subscripts
    assert isinstance(held, ScalarRef)
    assert held.name != "p'at"
    assert set_variables(nest, held.name) == ["= p"]


NOT_FOLLOWED = {
    "set elsewhere too": "p = x; for (j = 0; j < m; j++) { *p = 1; if (c[j]) p++; else p = y; }",
    "added to itself": "p = x; for (j = 0; j < m; j++) { *p = 1; if (c[j]) p = p + 1; }",
    "handed on by address": "p = x; for (j = 0; j < m; j++) { *p = 1; if (c[j]) p++; move(&p); }",
    "of two objects": "if (c[i]) p = x; else p = y; for (j = 0; j < m; j++) if (c[j]) *p++ = 1;",
    "left by the iteration before": "for (j = 0; j < m; j++) if (c[j]) *p++ = 1;",
}


@pytest.mark.parametrize("how", NOT_FOLLOWED)
def test_any_other_is_an_object_of_its_own(nests: Nests, how: str) -> None:
    before = "double *p = x, *q; int j;"
    source = f"void move(double **);\n{HEAD} {{ {before} for (int i = 0; i < n; i++) {{ {NOT_FOLLOWED[how]} }} }}"
    nest = nests(source)[-1]
    assert not violations(nest)
    assert "x" not in stored_in(nest)


def test_rows_that_are_packed_may_be_said_to_be_apart(nests: Nests) -> None:
    nest = delinearise(nest_of(nests, UNEVEN["under a condition"].replace("= 1", "= i + j")))
    verdicts = loop_verdicts(nest)
    assert (verdicts[0].kind, verdicts[0].conditions) == ("unknown", (Unshared("x"),))
    assert loop_verdicts(nest, verdicts[0].conditions)[0].kind == "parallel"
    assert verdicts[1].kind == "unknown"


def test_a_walk_over_all_iterations_stays_in_the_way(nests: Nests) -> None:
    source = (
        f"{HEAD} {{ for (int t = 0; t < m; t++) {{ double *p = x; for (int i = 0; i < n; i++) if (c[i]) *p++ = i; }} }}"
    )
    (nest,) = nests(source)
    verdict = loop_verdicts(delinearise(nest), (Unshared("x"), Unshared("p")))[1]
    assert not verdict.can_run_in_parallel


def test_what_is_left_in_a_pointer_goes_from_one_iteration_to_the_next(nests: Nests) -> None:
    body = "double *p = x; for (int j = 0; j < m; j++) if (c[j]) p++; p[0] = 1;"
    (nest,) = nests(f"{HEAD} {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    inner = loop_verdicts(delinearise(nest))[1]
    assert not inner.can_run_in_parallel
    assert "p" not in inner.private
