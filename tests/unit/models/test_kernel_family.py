"""Families by what threads read."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.models.results.kernel_family import family_of

_HEAD = (
    "void f(int n, int m, const int *restrict p, const float *restrict a, const float *restrict b, float *restrict c) {"
)
_SOURCES = {
    "streaming": "for (int i = 0; i < n; i++) c[i] = a[i] + b[i];",
    "streaming, with a loop": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[k*n+i] * b[k]; c[i] = s; }",
    "matrix product": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 0; k < n; k++) s += a[i*n+k] * b[k*n+j]; c[i*n+j] = s; }",
    "matrix product, its loop unrolled": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 0; k < n; k += 2) { s += a[i*n+k] * b[k*n+j]; s += a[i*n+k+1] * b[(k+1)*n+j]; } c[i*n+j] = s; }",
    "stencil, through planes": "for (int i = 1; i < n - 1; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 1; k < m; k++) s += a[(k*n+i)*n+j] + a[(k*n+i-1)*n+j]; c[i*n+j] = s; }",
    "gathered, shifted by data": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[k*n + j + (int)(i * b[k])]; c[i*n+j] = s; }",
    "strided": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[i*m+k] * b[k]; c[i] = s; }",
    "stencil": "for (int i = 1; i < n - 1; i++) c[i] = a[i-1] + a[i] + a[i+1];",
    "stencil, by a loop": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < 9; k++) s += a[i+k] * b[k]; c[i] = s; }",
    "reduction": "float s = 0; for (int i = 0; i < n; i++) s += a[i] * b[i]; c[0] = s;",
    "gathered": "for (int i = 0; i < n; i++) c[i] = a[p[i]];",
    "gathered, then along rows": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[p[i]+k]; c[i] = s; }",
    "gathered, rows of threads": "for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) c[i*n+j] = a[p[i]+j];",
    "streaming, rows that all threads run through": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[p[k]+i]; c[i] = s; }",
    "other, beside an element that no iteration reads again": "for (int i = 0; i < n; i++) { float s = 0;"
    " for (int k = 0; k < m; k++) s += a[i] * b[k]; c[i] = s; }",
    "other": "for (int i = 0; i < n; i++) { float s = 0; for (int k = 0; k < m; k++) s += a[k] * i; c[i] = s; }",
}


def _kernel(facts_of: Callable[[str], NestFacts], body: str) -> Kernel:
    return facts_of(f"{_HEAD} {body} }}").kernels[0]


@pytest.mark.parametrize("name", _SOURCES)
def test_a_kernel_is_of_the_family_that_its_reads_say(facts_of: Callable[[str], NestFacts], name: str) -> None:
    assert family_of(_kernel(facts_of, _SOURCES[name])) == name.partition(",")[0]


def test_threads_along_rows_make_it_strided(facts_of: Callable[[str], NestFacts]) -> None:
    kernel = _kernel(facts_of, _SOURCES["matrix product"])
    swapped = replace(kernel, thread_order=tuple(reversed(kernel.thread_order)))
    assert family_of(swapped) == "strided"


def test_members_of_one_structure_are_no_neighbours(facts_of: Callable[[str], NestFacts]) -> None:
    source = "struct point { float x, y; }; void f(int n, struct point *restrict p, float *restrict c) { %s }"
    own = facts_of(source % "for (int i = 1; i < n; i++) c[i] = p[i].x * p[i].y;").kernels[0]
    next_to_it = facts_of(source % "for (int i = 1; i < n; i++) c[i] = p[i].x * p[i-1].y;").kernels[0]
    assert (family_of(own), family_of(next_to_it)) == ("streaming", "stencil")
