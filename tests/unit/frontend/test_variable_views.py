"""Variables that are read and written through pointers to them: as what they are, as another type, in part."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.nest import LoopNest

DECLARATIONS = """typedef unsigned int u32;
static float root(float f) { u32 *const p = (u32 *)&f; *p = *p / 3 + 709921077; return f; }
static void add(int *p, int n) { for (int k = 0; k < n; k++) *p += 1; }
static void hand_on(int *p, int n) { add(p, n); }
"""
HEAD = "void f(int n, int m, float *restrict x, float *restrict y, int *restrict a, int *restrict b, int *restrict c)"

Nests = Callable[[str], list[LoopNest]]


def nest(nests: Nests, body: str) -> LoopNest:
    return nests(f"{DECLARATIONS}{HEAD} {{ {body} }}")[-1]


PARALLEL = {
    "bits in a function": "for (int i = 0; i < n; i++) y[i] = root(x[i]);",
    "bits": "for (int i = 0; i < n; i++) { float f = x[i]; u32 *p = (u32 *)&f; *p = *p / 3 + 7; y[i] = f; }",
    "bits by an operator": "for (int i = 0; i < n; i++) { float f = x[i]; *(u32 *)&f += 7; y[i] = f; }",
    "the same type": "for (int i = 0; i < n; i++) { float f, *q = &f; *q = x[i]; y[i] = f; }",
    "of the function": "float f; for (int i = 0; i < n; i++) { float *q = &f; q[0] = x[i]; y[i] = f; }",
    "handed on": "for (int i = 0; i < n; i++) { int k = i, *q = &k; hand_on(q, m); c[i] = k; }",
    "a part that is only read": "for (int i = 0; i < n; i++) { int k = a[i]; c[i] = *(char *)&k; }",
    "a part behind the whole": "for (int i = 0; i < n; i++) { int k = a[i]; *(char *)&k = 7; c[i] = k; }",
}


@pytest.mark.parametrize("how", PARALLEL)
def test_a_variable_of_the_iteration_may_be_reached_through_a_pointer(nests: Nests, how: str) -> None:
    assert analyse_nest(nest(nests, PARALLEL[how])).verdicts[0].kind == "parallel"


NOT_PARALLEL = {
    "read before": "float f = 0; for (int i = 0; i < n; i++) { float *q = &f; y[i] = f; *q = x[i]; }",
    "a part before the whole": "int k = 0; for (int i = 0; i < n; i++) { *(char *)&k = a[i]; c[i] = k; k = b[i]; }",
    "under a condition": "float f = 0; for (int i = 0; i < n; i++) { u32 *q = (u32 *)&f; if (a[i]) *q = 7; y[i] = f; }",
    "set before the loop": "float f = 0, *q = &f; for (int i = 0; i < n; i++) { y[i] = f; *q = x[i]; }",
    "one of two": "float f = 0, g = 0; for (int i = 0; i < n; i++) { float *q = a[i] ? &f : &g; y[i] = f; *q = x[i]; }",
    "where it moved": "float f = 0; for (int i = 0; i < n; i++) { float *q = &f; q++; *q = x[i]; y[i] = f; }",
    "behind it": "float f = 0; for (int i = 0; i < n; i++) { float *q = &f; q[1] = x[i]; y[i] = f; }",
    "more than it": "int k = 0; for (int i = 0; i < n; i++) { *(long *)&k = a[i]; c[i] = k; }",
}


@pytest.mark.parametrize("how", NOT_PARALLEL)
def test_what_iterations_share_stays_in_the_way(nests: Nests, how: str) -> None:
    assert analyse_nest(nest(nests, NOT_PARALLEL[how])).verdicts[0].kind in {"carried", "unknown"}


SUBSCRIPTS = {
    "by a function's loop": "for (int i = 0; i < n; i++) { int k = -i; add(&k, i); c[k] = i; }",
    "by a function's function": "for (int i = 0; i < n; i++) { int k = -i; hand_on(&k, i); c[k] = i; }",
    "by a loop": "for (int i = 0; i < n; i++) { int k = -i, *q = &k; for (int j = 0; j < i; j++) *q += 1; c[k] = i; }",
    "by a cast": "for (int i = 0; i < n; i++) { *(int *)&m = a[i]; c[i + m] = i; }",
    "by a pointer": "for (int i = 0; i < n; i++) { int *q = &m; *q = a[i]; c[i + m] = i; }",
    "by a pointer from before": "int *q = &m; for (int i = 0; i < n; i++) { *q = a[i]; c[i + m] = i; }",
    "from a part": "for (int i = 0; i < n; i++) { int k = i; c[*(unsigned char *)&k] = i; }",
    "from bits": "for (int i = 0; i < n; i++) { float f = i; c[*(int *)&f / 9] = i; }",
}


@pytest.mark.parametrize("how", SUBSCRIPTS)
def test_what_is_changed_through_a_pointer_is_not_known_afterwards(nests: Nests, how: str) -> None:
    found = nest(nests, SUBSCRIPTS[how])
    assert analyse_nest(found).verdicts[0].kind in {"carried", "unknown"}, dump(found)


def test_the_value_through_a_pointer_has_the_type_that_it_leads_to(nests: Nests) -> None:
    text = dump(nest(nests, "for (int i = 0; i < n; i++) { int k = a[i]; u32 *p = (u32 *)&k; y[i] = *p / 2; }"))
    assert "(unsigned" in text, text


VECTORS = "typedef float v4 __attribute__((vector_size(16)));\n"
LANES = {
    "set": ("v4 p = in[i]; p[3] = 1; out[i] += p;", "parallel"),
    "added to": ("v4 p = in[i]; p[0] += 2; int k = i & 3; p[k] = 3; out[i] = p;", "parallel"),
    "of an inner loop": ("v4 p = in[i]; for (int j = 0; j < n; j++) p[1] = j; out[i] = p;", "unknown"),
    "through a pointer": ("v4 p = in[i]; float *q = (float *)&p; q[1] = 1; out[i] = p;", "unknown"),
}


@pytest.mark.parametrize("how", LANES)
def test_a_lane_that_is_set_leaves_the_others(nests: Nests, how: str) -> None:
    body, kind = LANES[how]
    found = nests(f"{VECTORS}void f(int n, v4 *in, v4 *out) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")[-1]
    assert analyse_nest(found).verdicts[0].kind == kind, dump(found)


def test_a_lane_of_a_variable_around_the_loop_is_none_of_each_iteration(nests: Nests) -> None:
    body = "v4 p = {0}; for (int i = 0; i < n; i++) { p[i & 3] = i; out[i] = p; }"
    (found,) = nests(f"{VECTORS}void f(int n, v4 *out) {{ {body} }}")
    assert analyse_nest(found).verdicts[0].kind == "unknown"


def test_the_parts_of_a_variable_may_be_read_through_a_pointer_from_before(nests: Nests) -> None:
    read = "v4 low = {1, 2}; const float *const p = (float *)&low; for (int i = 0; i < n; i++) x[i] *= p[1];"
    written = "v4 low = {1, 2}; float *p = (float *)&low; for (int i = 0; i < n; i++) { p[1] = x[i]; x[i] = low[1]; }"
    kinds = [analyse_nest(nests(f"{VECTORS}void f(int n, float *x) {{ {body} }}")[0]).verdicts[0].kind
             for body in (read, written)]  # fmt: skip
    assert kinds == ["parallel", "unknown"]


WIDER = {
    "four bytes": ("*(int *)&c[4 * i] = a[i];", "parallel"),
    "four bytes of rows": ("for (int j = 0; j < m; j++) *(int *)(c + (i * m + j) * 4) = a[j];", "parallel"),
    "the next ones": ("*(int *)(c + 4 * i) = ((int *)(c + 4 * i))[1];", "carried"),
    "eight bytes": ("int *p = (int *)(c + 8 * i); p[0] = a[i]; p[1] = 2;", "parallel"),
    "bytes of the next": ("int *p = (int *)(c + 4 * i); p[0] = a[i]; c[4 * i + 4] = 2;", "carried"),
    "bytes of its own": ("int *p = (int *)(c + 4 * i); p[0] = a[i]; c[4 * i + 3] = 2;", "parallel"),
    "not whole ones": ("*(int *)&c[2 * i] = a[i];", "unknown"),
    "where data says": ("*(int *)&c[4 * b[i]] = a[i];", "unknown"),
}


@pytest.mark.parametrize("how", WIDER)
def test_elements_may_be_reached_as_wider_ones(nests: Nests, how: str) -> None:
    body, kind = WIDER[how]
    parameters = "int n, int m, unsigned char *restrict c, int *restrict a, int *restrict b"
    found = nests(f"void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")[0]
    assert analyse_nest(found).verdicts[0].kind == kind, dump(found)
