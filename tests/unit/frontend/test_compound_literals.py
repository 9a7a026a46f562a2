"""Compound literals are variables of their block; generic selections are what the type of their operand picks."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts

DECLARED = """
typedef struct { double x, y, z; } vec;
static vec make(double a) { return (vec){a, a + 1, a + 2}; }
static vec sum(vec a, vec b) { return (vec){.x = a.x + b.x, .y = a.y + b.y, .z = 0}; }
static void two(const int in[3], double r, int *out) { out[0] = in[0] * r; out[1] = in[1] * r; }
static double dot(const vec *a, const vec *b) { return a->x * b->x + a->y * b->y; }
static void addf(float *a, int i, double v) { a[i] += v; }
static void addd(double *a, int i, double v) { a[0] += v; }
static void adda(double *a, int i, double v) { a[i] += v; }
int next(void);
struct both { float *f; double *d; const double *c; };
#define add(a, ...) _Generic((a), float *: addf, double *: addd, default: adda)(a, __VA_ARGS__)
"""


def kind_of(body: str) -> str:
    parameters = (
        "int n, double *restrict y, const double *restrict x, vec *restrict v, float *restrict s, struct both *b"
    )
    text = f"{DECLARED} void f({parameters}) {{ int ip[3]; for (int i = 1; i < n; i++) {{ {body} }} }}"
    *_, last = judged(text)
    return loop_verdicts(last.nest)[0].kind


@pytest.mark.parametrize(
    "body",
    [
        "two((int[3]){i, i, 0}, 0.5, ip); y[i] = ip[0];",
        "v[i] = (vec){x[i], 1, 2};",
        "v[i] = make(x[i]);",
        "vec a = sum((vec){x[i], 1, 1}, v[i]); v[i] = a;",
        "if (dot(&(vec){x[i], 0, 0}, &v[i]) > 3) y[i] = 0; else y[i] = dot(&(vec){1}, &v[i]);",
        "int *p = (int[]){i, 1}; y[i] = p[0];",
        "for (int j = 0; j < 3; j++) y[i] += ((double[]){1, 2, 3})[j];",
        "add(s, i, 1.0);",
        "add(b->f, i, 1.0);",
        "y[i] = _Generic(x[i], float: x[i - 1], double: x[i], default: y[i - 1]);",
        "y[i] = _Generic(i + 1L, int: y[i - 1], long: x[i]);",
    ],
)
def test_loops_with_them_are_decided(body: str) -> None:
    assert kind_of(body) == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        "v[i] = (vec){v[i - 1].x, 1, 2};",
        "y[i] = dot(&(vec){1, y[i - 1]}, &v[i]);",
        "y[i] = _Generic(x[i], float: x[i], double: y[i - 1], default: x[i]);",
        "y[i] = _Generic(y + 1, double *: y[i - 1], default: x[i]);",
        "add(y, i, 1.0);",
    ],
)
def test_what_they_hold_is_not_lost(body: str) -> None:
    assert kind_of(body) != "parallel"


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = x[i] > 0 ? dot(&(vec){next()}, &v[i]) : 0;",
        "two((int[]){ip[0]++, 0}, 0.5, ip); y[i] = ip[0];",
        "y[i] = _Generic(next, int: x[i], default: y[i - 1]);",
        "y[i] = _Generic(-(char)i, char: x[i], default: y[i - 1]);",
    ],
)
def test_where_it_is_not_sure_nothing_is(body: str) -> None:
    assert kind_of(body) in {"unknown", "carried"}
