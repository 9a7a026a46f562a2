"""Values that a loop reads although a pointer that it writes through may lead to them: said, one per pair."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts

DECLARATIONS = (
    "struct S { int n; double d; }; int count; double scale; long wide; const double fixed = 2;"
    " int sizes[4]; static int step = 3; struct P { double a, b; }; struct H { struct P p[4]; int n; };\n"
)


def alias_texts(parameters: str, body: str, loop: int = 0) -> list[str]:
    """What is taken for granted of overlaps in a loop of a function."""
    source = f"{DECLARATIONS}double unseen(void);\nvoid f({parameters}) {{ {body} }}\n"
    verdict = loop_verdicts(delinearise(only_nest(source)))[loop]
    assert verdict.can_run_in_parallel, verdict
    return [a.text for a in verdict.assumptions if a.kind == "alias"]


def apart(left: str, right: str, why: str = "neither is `restrict`") -> str:
    return f"`{left}` and `{right}` are assumed not to overlap ({why})."


def not_to(pointer: str, variable: str) -> str:
    return f"`{pointer}` is assumed not to point to `{variable}`."


def test_a_struct_may_lie_in_an_array_of_another() -> None:
    body = "for (int k = 0; k < 3; k++) h->p[k].a = p[k + 1].b;"
    assert alias_texts("struct H *h, struct P *p", body) == [apart("h", "p")]
    assert alias_texts("struct S *s, struct P *p", "for (int k = 0; k < 3; k++) s[k].d = p[k].b;") == []


BOUNDS = {
    "through a pointer": ("int *n, int *a", "for (int i = 0; i < *n; i++) a[i] = i;", [apart("a", "n")]),
    "half of one": ("int *n, int *a", "for (int i = 0; i < *n / 2; i++) a[i] = i;", [apart("a", "n")]),
    "a member": ("struct S *s, int *a", "for (int i = 0; i < s->n; i++) a[i] = i;", [apart("a", "s")]),
    "an element": ("int *a", "for (int i = 0; i < sizes[2]; i++) a[i] = i;",
                   [apart("a", "sizes", "`a` is not `restrict`")]),
    "a variable of the file": ("int *a", "for (int i = 0; i < count; i++) a[i] = i;", [not_to("a", "count")]),
    "of a loop inside": ("int n, int *a", "for (int i = 0; i < n; i++) for (int j = 0; j < count; j++) a[i] += j;",
                         [not_to("a", "count")]),
    "read twice": ("int *n, int *a", "for (int i = 0; i < *n; i++) a[i] = *n;", [apart("a", "n")]),
}  # fmt: skip


@pytest.mark.parametrize("name", BOUNDS)
def test_a_bound_that_a_store_may_change_is_taken_to_stay(name: str) -> None:
    parameters, body, expected = BOUNDS[name]
    assert alias_texts(parameters, body) == expected


VALUES = {
    "read": ("int n, double *a", "a[i] = scale;", [not_to("a", "scale")]),
    "a subscript": ("int n, int *a", "a[i + step] = i;", [not_to("a", "step")]),
    "read, two pointers": ("int n, double *restrict a, double *b", "a[i] = 1; b[i] = scale;", [not_to("b", "scale")]),
    "written": ("int n, double *a, float *b", "scale = a[i]; b[i] = scale;", [not_to("a", "scale")]),
    "accumulated": ("int n, double *a", "scale += a[i];", [not_to("a", "scale")]),
}


@pytest.mark.parametrize("name", VALUES)
def test_a_variable_of_the_file_is_taken_not_to_be_pointed_to(name: str) -> None:
    parameters, body, expected = VALUES[name]
    assert alias_texts(parameters, f"for (int i = 0; i < n; i++) {{ {body} }}") == expected


NOTHING_TO_SAY = {
    "another type": ("int n, double *a", "for (int i = 0; i < count; i++) a[i] = wide;"),
    "restrict": ("int *n, int *restrict a", "for (int i = 0; i < *n; i++) a[i] = count;"),
    "restrict bound": ("int *restrict n, int *a", "for (int i = 0; i < *n; i++) a[i] = i;"),
    "a member of another type": ("struct S *s, double *a", "for (int i = 0; i < s->n; i++) a[i] = i;"),
    "a struct of the function": ("struct S s, int *a", "for (int i = 0; i < s.n; i++) a[i] = i;"),
    "a parameter": ("int n, int *a", "for (int i = 0; i < n; i++) a[i] = n;"),
    "a local": ("int n, int *a", "int k = n + 1; for (int i = 0; i < k; i++) a[i] = k;"),
    "a static of the function": ("int n, int *a", "static int k; for (int i = 0; i < n; i++) a[i] = k;"),
    "a constant": ("int n, double *a", "for (int i = 0; i < n; i++) a[i] = fixed;"),
    "only read": ("int n, const double *a, float *b", "for (int i = 0; i < n; i++) b[i] = a[i] * scale;"),
    "an array of the function": ("int n", "int a[64]; for (int i = 0; i < count; i++) a[i] = n;"),
    "allocated": ("int n", "int *a = malloc(4 * n); for (int i = 0; i < count; i++) a[i] = n; free(a);"),
    "where it starts": ("int n, int *a", "for (int i = count; i < n; i++) a[i] = i;"),
}


@pytest.mark.parametrize("name", NOTHING_TO_SAY)
def test_what_c_rules_out_is_not_said(name: str) -> None:
    assert alias_texts(*NOTHING_TO_SAY[name]) == []


def test_the_bound_of_the_loop_around_is_no_matter_of_the_loop_inside() -> None:
    body = "for (int i = 0; i < count; i++) for (int j = 0; j < n; j++) a[i * n + j] = j;"
    assert alias_texts("int n, int *a", body, 0) == [not_to("a", "count")]
    assert alias_texts("int n, int *a", body, 1) == []
