"""`volatile` and atomic memory: which accesses keep the order of the source, and what a promise takes away."""

from __future__ import annotations

import pytest
from support.iteration_order.labels import judged
from warplens.analysis.dependence.verdicts.parallelism import loop_verdicts
from warplens.analysis.facts.verdict import LoopVerdict
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.ordinary import Ordinary
from warplens.analysis.ir.promises.promise import Promise

DECLARED = """
struct image { int colour; long columns; volatile long references; struct { volatile int lock; int level; } in; };
struct part { volatile int flag; int payload[8]; };
typedef volatile double exact;
volatile int stop; _Atomic int hits; volatile double samples[64]; volatile int k0;
static int is_grey(const struct image *image) { return image->colour == 3 && image->in.level; }
static int is_shared(const struct image *image) { return image->references > 1; }
static int colour_of(struct image image) { return image.colour; }
static int twice(const volatile struct part *p) { return p->payload[0] + p->payload[1]; }
static double rounded(double a, double b) { volatile double s = a + b; return s - a; }
static int next(void) { static volatile int k; return ++k; }
static int deep(volatile const int *v, int n) { return n ? v[n] + deep(v, n - 1) : 0; }
static int behind(const int *v, int n) { return n ? *(const volatile int *)(v + n) + behind(v, n - 1) : 0; }
static int plain(const int *v, int n) { volatile int k = v[0]; return n ? k + plain(v, n - 1) : 0; }
double intensity(const struct image *image); double sum_of(const volatile int *v); void keep(volatile int *v);
__attribute__((pure)) double brightness(const struct image *image); int by_value(struct part p);
"""
PARAMETERS = (
    "int n, double *restrict y, const double *restrict x, struct image *restrict image, struct part *restrict p, "
    "int *restrict q, volatile int *restrict port, const volatile struct image *shown"
)


def nest_of(body: str, before: str = "") -> LoopNest:
    text = f"{DECLARED} void f({PARAMETERS}) {{ {before} for (int i = 0; i < n; i++) {{ {body} }} }}"
    *_, last = judged(text)
    return last.nest


def outer(body: str, before: str = "", *promises: Promise) -> LoopVerdict:
    return loop_verdicts(nest_of(body, before), promises)[0]


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = image->colour;",
        "y[i] = image[i].in.level;",
        "y[i] = is_grey(image);",
        "y[i] = p->payload[3];",
        "struct part *mine = p + i; y[i] = mine->payload[1];",
        "y[i] = intensity(image);",
        "y[i] = brightness(image);",
        "y[i] = sizeof stop;",
        "const struct image *one = image; for (int j = 0; j < one->columns; j++) y[i] = j;",
    ],
)
def test_a_volatile_member_orders_no_access_of_the_others(body: str) -> None:
    assert outer(body).kind == "parallel"


@pytest.mark.parametrize(
    ("body", "promised"),
    [
        ("y[i] = stop;", "stop"),
        ("if (!stop) y[i] = x[i];", "stop"),
        ("y[i] = samples[i];", "samples"),
        ("port[i] = i;", "port"),
        ("y[i] = image->references;", "image"),
        ("y[i] = image->in.lock;", "image"),
        ("y[i] = is_shared(image);", "image"),
        ("y[i] = shown->colour;", "shown"),
        ("y[i] = p[i].flag++;", "p"),
        ("struct part *mine = p + i; y[i] = mine->flag;", "p"),
        ("volatile struct part *mine = p + i; y[i] = mine->payload[1];", "p"),
        ("y[i] = by_value(*p);", "p"),
        ("y[i] = twice(p);", "p"),
        ("p[i] = p[n];", "p"),
        ("__builtin_memcpy(p + i, p + n, sizeof *p);", "p"),
        ("for (int j = 0; j < stop; j++) y[i] = j;", "stop"),
        ("*(volatile int *)(q + i) = 0;", "q"),
        ("hits = i;", "hits"),
    ],
)
def test_real_volatile_memory_is_in_the_way_until_somebody_says_that_it_is_ordinary(body: str, promised: str) -> None:
    verdict = outer(body)
    assert verdict.kind == "unknown"
    assert "is volatile or atomic: the order of its accesses matters" in verdict.reason
    condition = Ordinary(promised)
    assert verdict.conditions == (condition,)
    assert verdict.suggestion == f"// warplens: {promised} is ordinary memory"
    decided = outer(body, "", condition)
    assert decided.kind == verdict.under_conditions == "parallel"
    (said,) = (a for a in decided.assumptions if a.kind == "promise")
    assert (said.subject, said.origin) == (promised, "directive")


@pytest.mark.parametrize(
    "body",
    [
        "samples[i] = samples[i + 1];",
        "port[0] = i; y[i] = port[1 - 1] + port[i];",
        "y[i] = stop++ + x[i];",
        "if (x[i] > 0) stop = i; y[i] = stop;",
        "y[i] = next();",
        "y[i] = stop; y[0] += y[i];",
        "y[i] = stop; if (y[i] > 3) break;",
    ],
)
def test_ordinary_memory_still_carries_what_iterations_hand_on(body: str) -> None:
    every = (Ordinary(name) for name in ("stop", "samples", "port", "k"))
    assert outer(body, "", *every).kind in {"carried", "unknown"}
    assert outer(body).conditions == ()


def test_an_atomic_sum_is_a_reduction_where_nobody_else_adds() -> None:
    verdict = outer("hits += x[i] > 0;")
    assert (verdict.conditions, verdict.under_conditions) == ((Ordinary("hits"),), "reduction")


@pytest.mark.parametrize(
    ("body", "before", "kind"),
    [
        ("volatile double t = x[i]; y[i] = t * t;", "", "parallel"),
        ("t = x[i]; y[i] = t - 1;", "volatile double t;", "parallel"),
        ("t = x[i]; y[i] = t - 1;", "exact t;", "parallel"),
        ("y[i] = rounded(x[i], 2);", "", "parallel"),
        ("t += x[i];", "volatile double t = 0;", "reduction"),
        ("y[i] = plain(q, 3);", "", "parallel"),
        ("t += x[i]; y[i] = t;", "volatile double t = 0;", "carried"),
        ("y[i] = t; t = x[i];", "volatile double t = 0;", "carried"),
        ("t = x[i]; y[i] = t;", "static volatile double t;", "unknown"),
        ("t = i; keep(&t); y[i] = t;", "volatile int t;", "unknown"),
        ("t = x[i]; y[i] = t;", "volatile int t; keep(&t);", "unknown"),
        ("for (volatile int j = 0; j < 9; j++) y[i] = j;", "", "parallel"),
    ],
)
def test_a_volatile_variable_of_the_function_is_its_own_matter(body: str, before: str, kind: str) -> None:
    assert outer(body, before).kind == kind


@pytest.mark.parametrize("body", ["y[i] = sum_of(q);", "y[i] = deep(q, 3);", "y[i] = behind(q, 3);"])
def test_a_function_that_reads_what_it_gets_as_volatile_is_not_taken_for_pure(body: str) -> None:
    assert outer(body).kind == "unknown"
    name = body.partition("= ")[2].partition("(")[0]
    assert Independent(name) in outer(body).conditions


def test_the_promise_speaks_of_its_own_loop() -> None:
    nest = nest_of("for (int j = 0; j < 9; j++) y[9 * i + j] = stop;")
    outermost, inner = loop_verdicts(nest)
    for said, other in ((outermost, inner), (inner, outermost)):
        found = {v.loop: v.kind for v in loop_verdicts(nest, (Ordinary("stop", loop=said.loop),))}
        assert (found[said.loop], found[other.loop]) == ("parallel", "unknown")


def test_each_name_has_to_be_said() -> None:
    body = "y[i] = stop + k0;"
    assert [promise.subject for promise in outer(body).conditions] == ["stop", "k0"]
    assert outer(body, "", Ordinary("stop")).conditions == (Ordinary("k0"),)


def test_a_loop_that_counts_with_a_volatile_variable_is_offered_nothing() -> None:
    text = f"{DECLARED} void f({PARAMETERS}) {{ for (stop = 0; stop < n; stop++) y[0] = 1; }}"
    *_, last = judged(text)
    (verdict,) = last.verdicts
    assert (verdict.kind, verdict.conditions) == ("unknown", ())
