"""Memory behind `void *` holds what the pointers to a type show that are set from it."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.types import FLOAT, StructOf

DECLARATIONS = "struct pair { double x, y; }; struct s { int n; void *p; };\n"


def nest(nests_of: Callable[[str], list[LoopNest]], body: str) -> LoopNest:
    (found,) = nests_of(f"{DECLARATIONS}void f(int n, void *p, struct s *s) {{ {body} }}\n")
    return found


HELD = {
    "a parameter": "float *a = p; for (int i = 0; i < n; i++) a[i] = 1;",
    "a member": "float *a = s->p; for (int i = 0; i < n; i++) a[i] = 1;",
    "cast": "float *a = (float *)s->p; for (int i = 0; i < n; i++) a[i] = 1;",
    "assigned": "float *a; a = p; for (int i = 0; i < n; i++) a[i] = 1;",
    "in the loop": "for (int i = 0; i < n; i++) { float *a = p; a[i] = 1; }",
}


@pytest.mark.parametrize("name", HELD)
def test_the_object_has_the_type(nests_of: Callable[[str], list[LoopNest]], name: str) -> None:
    found = nest(nests_of, HELD[name])
    (array,) = found.arrays
    assert (array.element, array.element_bytes) == (FLOAT, 4)
    assert not found.inexact


def test_a_struct_behind_it_has_members(nests_of: Callable[[str], list[LoopNest]]) -> None:
    found = nest(nests_of, "struct pair *a = s->p; for (int i = 0; i < n; i++) a[i].y = a[i].x;")
    (array,) = found.arrays
    assert isinstance(array.element, StructOf)
    assert [verdict.kind for verdict in analyse_nest(found).verdicts] == ["parallel"]


SHARED = {
    "two types": "double *a = p; float *b = p; for (int i = 0; i < n; i++) a[i] = b[i];",
    "two places": "double *a = p; double *b = p + 8; for (int i = 0; i < 8; i++) a[i] = b[i];",
    "bytes": "char *c = p; double *a = (double *)(c + 8), *b = p; for (int i = 0; i < 8; i++) a[i] = b[i];",
    "a cast in the loop": "double *a = p; for (int i = 0; i < n; i++) a[i] = ((float *)p)[i];",
    "moved by bytes": "for (int i = 0; i < n; i++) { double *a = p + 4 * i; a[0] = 1; }",
}


@pytest.mark.parametrize("name", SHARED)
def test_views_that_overlap_are_not_parallel(nests_of: Callable[[str], list[LoopNest]], name: str) -> None:
    facts = analyse_nest(nest(nests_of, SHARED[name]))
    assert facts.verdicts[0].kind in {"carried", "unknown"}
