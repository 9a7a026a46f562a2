"""Pointers whose memory nothing else reaches, and copies that lead to it after all."""

from __future__ import annotations

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest

DECLARATIONS = """#define NULL 0
void *malloc(unsigned long); void free(void *); void *memcpy(void *, const void *, unsigned long);
struct s { double d[4]; double x; struct s *next; }; double *g; void keep(double *);
void *memset(void *, int, unsigned long);
static double *same(double *x) { return x; } static void set(double **x) { *x = g; }
static int is_set(double **x) { return *x != NULL; } static double sum(double *x) { return x[0] + x[1]; }
"""
LOOP = "for (int i = 0; i < n; i++) { p[i] = 1; }"


def nest_of(body: str) -> LoopNest:
    source = f"{DECLARATIONS}void f(int n, int c) {{ {body} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    return unit.functions[-1].nests[-1].nest


ONLY = {
    "plain": f"double *p = malloc(n); if (!p) return; {LOOP} free(p);",
    "elements read": f"double *p = malloc(n); double x = p[3], y = *p; g[0] = p[c] + x; {LOOP}",
    "lent": f"double *p = malloc(n); c = sum(p + 1); memcpy(p, g, n); {LOOP}",
    "a copy of its own": f"double *p = malloc(n), *q = p + 1; q[0] = 2; {LOOP}",
    "copies of copies": f"double *p = malloc(n), *q, *r; q = p; r = q + n; r[-1] = sum(r); {LOOP}",
    "an element's address lent": f"double *p = malloc(n); c = sum(&p[3]); {LOOP}",
    "the pointer's own address lent": f"double *p = malloc(n); c = is_set(&p); {LOOP}",
}
SHARED = {
    "an element's address kept": f"double *p = malloc(n); g = &p[3]; {LOOP}",
    "an element's address handed on": f"double *p = malloc(n); keep(&p[3]); {LOOP}",
    "a copy that is kept": f"double *p = malloc(n), *q = p; g = q; {LOOP}",
    "a copy's copy that is kept": f"double *p = malloc(n), *q = p, *r; r = q + 1; keep(r); {LOOP}",
    "given back": f"double *p = malloc(n); g = same(p); {LOOP}",
    "given back by the library": f"double *p = malloc(n); g = memcpy(p, g, n); {LOOP}",
    "through an address of the pointer": f"double *p = malloc(n), **q = &p; *q = g; {LOOP}",
    "set by a call": f"double *p = malloc(n); set(&p); {LOOP}",
    "set by a call under a condition": f"double *p = malloc(n); if (c) set((double **)&p); {LOOP}",
    "set by the library": f"double *p = malloc(n); memcpy(&p, &g, sizeof p); {LOOP}",
    "cleared by the library": f"double *p = malloc(n); memset(&p, 0, sizeof p); p = p + 1; {LOOP}",
    "chosen": f"double *p = malloc(n), *q = c ? p : g; q[0] = 1; {LOOP}",
    "set in a chain": f"double *p = malloc(n), *q; g = q = p; {LOOP}",
    "other memory too": f"double *p = malloc(n); if (c) p = g; {LOOP}",
    "returned": f"double *p = malloc(n); {LOOP} return p;",
}


@pytest.mark.parametrize("name", [*ONLY, *SHARED])
def test_memory_that_only_its_pointers_reach(name: str) -> None:
    nest = nest_of((ONLY | SHARED)[name])
    assert [a.is_allocated for a in nest.arrays if a.name == "p"] == [name in ONLY]


DECAYED = {
    "g = p->d;": False,
    "g = p[2].d;": False,
    "keep(p->d + 1);": False,
    "g[0] = p->d[1] + p->x;": True,
    "c = sum(p->d);": True,
    "g = p->next->d;": True,
}


@pytest.mark.parametrize("use", DECAYED)
def test_an_array_in_allocated_memory_is_its_address(use: str) -> None:
    nest = nest_of(f"struct s *p = malloc(n); {use} for (int i = 0; i < n; i++) p[i].x = 1;")
    assert [a.is_allocated for a in nest.arrays] == [DECAYED[use]]


MET = {
    "a place further on": "double *p = malloc(n), *q = p; if (c) q = p + 1; for (int i = 0; i < n; i++) p[i] = q[i];",
    "one of two": "double *p = malloc(n), *t = malloc(n), *q = p; if (c) q = t;"
    "for (int i = 0; i < n; i++) t[i] = q[i + 1];",
}


@pytest.mark.parametrize("name", MET)
def test_a_copy_that_is_not_followed_may_point_into_it(name: str) -> None:
    assert analyse_nest(nest_of(MET[name])).verdicts[0].kind == "unknown"


def test_a_work_array_that_is_reached_through_a_copy_is_private() -> None:
    (verdict, *_) = analyse_nest(
        nest_of(
            "double *p = malloc(c), *out = g; for (int i = 0; i < n; i++) { double *q = p;"
            "for (int j = 0; j < c; j++) q[j] = i; for (int j = 0; j < c; j++) out[i * c + j] = q[j]; } free(p);"
        )
    ).verdicts
    assert (verdict.kind, verdict.private) == ("parallel", ("p",))


EITHER = "double *p; if (g[i] > 0) p = malloc(80); else p = malloc(160);"
GIVEN_BACK = {
    "of either branch": f"{EITHER} p[1] = i; out[i] = p[1]; free(p);",
    "where it is not null": "double *p = 0; if (g[i] > 0) { p = malloc(80); p[1] = i; out[i] = p[1]; } free(p);",
}
NOT_ITS_OWN = {
    "of others": "double *p; if (g[i] > 0) p = malloc(80); else p = g; out[i] = p[1]; free(p);",
    "kept by others": f"{EITHER} out[i] = p[1]; keep(p); free(p);",
    "of an earlier iteration": "if (out[i] > 0) o = malloc(80); o[1] = i; free(o);",
}


@pytest.mark.parametrize("name", [*GIVEN_BACK, *NOT_ITS_OWN])
def test_memory_of_the_iteration_may_be_given_back_by_it(name: str) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {(GIVEN_BACK | NOT_ITS_OWN)[name]} }}"
    verdict = analyse_nest(nest_of(f"double *out = g + n, *o = malloc(80); {loop}")).verdicts[0]
    assert (verdict.kind == "parallel") == (name in GIVEN_BACK)
    assert name in GIVEN_BACK or "`free` frees or moves memory" in verdict.reason
