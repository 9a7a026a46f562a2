"""Memory that a function uses in one loop only, and what functions of other files are handed of it."""

from __future__ import annotations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.accesses import expressions_of
from warplens.analysis.ir.dump import dump
from warplens.analysis.ir.expression import Call, Handed, walk
from warplens.analysis.ir.nest import LoopNest, walk_statements

DECLARATIONS = """void *malloc(unsigned long); void free(void *); void my_free(void *); double *get(int);
void fill(double *, int); double use(const double *, int); void keep(double **, int);
"""
LOOP = "for (int i = 0; i < n; i++) { fill(t, i); a[i] = t[0]; }"
PARTS = "for (int i = 0; i < n; i++) { fill(p, i); fill(q, i); a[i] = p[0] + q[0] + r[0]; }"
SWAPPED = "for (int i = 0; i < n; i++) { fill(p, i); a[i] = p[0]; r = p; p = q; q = r; }"


def nests_of(body: str) -> list[LoopNest]:
    source = f"{DECLARATIONS}void f(int n, int m, double *a) {{ {body} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    return [lowered.nest for lowered in unit.functions[-1].nests]


SCRATCH = {
    "an array": f"double t[9]; {LOOP}",
    "allocated": f"double *t = malloc(9 * sizeof *t); if (!t) return; {LOOP} free(t);",
    "allocated later": f"double *t; t = malloc(9); if (t == 0) return; {LOOP} my_free(t);",
    "in a block": f"{{ double t[9]; {LOOP} }}",
    "a copy of its address": f"double t[9], *q = t; {LOOP}",
    "cut in parts": f"double *t = malloc(9), *p = t, *q = p + m, *r; r = &q[2]; {PARTS} my_free(t);",
    "cut in parts of an array": f"double t[9], *p = t + 1, *q = t + m, *r = 0; r = m ? p : q; {PARTS}",
    "parts that change places": f"double *t = malloc(9), *p = t, *q = t + m, *r = t; {SWAPPED}",
    "cut in the loop": "double *t = malloc(9), *q; for (int i = 0; i < n; i++) { q = t + i; fill(q, i); }",
}
OTHER = {
    "filled before": f"double t[9]; t[1] = 2; {LOOP}",
    "handed on before": f"double t[9]; fill(t, 0); {LOOP}",
    "initialised": f"double t[9] = {{1}}; {LOOP}",
    "read after": f"double t[9]; {LOOP} a[0] = t[2];",
    "a copy of its address, read after": f"double t[9], *q = t; {LOOP} a[0] = q[2];",
    "a part filled before": f"double *t = malloc(9), *p = t, *q = p + m, *r = p; q[1] = 2; {PARTS}",
    "a part handed on before": f"double *t = malloc(9), *p = t, *q = p + m, *r = p; fill(r, 0); {PARTS}",
    "a part that becomes another": f"double *t = malloc(9), *p = t, *q = t + m, *r = t; if (m) q = a; {PARTS}",
    "a part that others may set": f"double *t = malloc(9), *p = t, *q = t + m, *r = t; keep(&q, 1); {PARTS}",
    "a part that is kept": f"double *t = malloc(9), *p = t, *q = t + m, *r = t; double *s[1]; s[0] = r; {PARTS}",
    "of either of two": f"double *t = malloc(9), *u = malloc(9), *p = m ? t : u, *q = p, *r = p; {PARTS}",
    "a static one": f"static double t[9]; {LOOP}",
    "two of the name": f"{{ double t[9]; {LOOP} }} {{ double t[9]; a[n] = t[0]; }}",
    "set from a parameter": f"double *t = a + n; {LOOP}",
    "given by others": f"double *t = get(9); {LOOP} my_free(t);",
    "a parameter": LOOP.replace("t, i", "a, i").replace("t[0]", "1"),
}


@pytest.mark.parametrize("name", [*SCRATCH, *OTHER])
def test_memory_of_one_loop(name: str) -> None:
    found = nests_of((SCRATCH | OTHER)[name])[0].scratch
    assert found == (frozenset("t") if name in SCRATCH else frozenset())


def test_an_allocator_that_the_file_defines_may_give_any_memory() -> None:
    source = f"static char pool[99]; {DECLARATIONS}void *malloc(unsigned long k) {{ return pool; }}\n"
    source += f"void f(int n, int m, double *a) {{ double *t = malloc(9); {LOOP} }}\n"
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    assert unit.functions[-1].nests[0].nest.scratch == frozenset()


def handed(nest: LoopNest) -> list[Handed]:
    return [
        one
        for statement in walk_statements((nest.root,))
        for expression in expressions_of(statement)
        for part in walk(expression)
        if isinstance(part, Call)
        for one in part.handed
    ]


HANDED = {
    "fill(a, i);": [("a", "")],
    "fill(a + i * m, m);": [("a", "im")],
    "fill(&a[m], m);": [("a", "m")],
    "a[i] = use(a, m);": [],
    "fill(a + (int)a[i], m);": [],
    "double t[9]; fill(t, m);": [("t", "")],
    "int k = 0; keep(0, k); fill(0, k);": [],
}


@pytest.mark.parametrize("body", HANDED)
def test_what_a_function_is_handed_to_write(body: str) -> None:
    (nest,) = nests_of(f"for (int i = 0; i < n; i++) {{ {body} }}")
    assert [(one.name, "".join(sorted(one.symbols))) for one in handed(nest)] == HANDED[body]


SET = {
    "may be set": ("void set(int *, double *);", True),
    "old style": ("void set();", True),
    "handed over as constant": ("void set(const int *, double *);", False),
    "constant": ("void set(); const", False),
}


@pytest.mark.parametrize("name", SET)
def test_variables_that_an_unseen_function_may_set(name: str) -> None:
    declaration, is_set = SET[name]
    prototype, _, const = declaration.partition(";")
    source = (
        f"{prototype}; void f(int n, double *a) {{{const} int k = 2; for (int i = 0; i < n; i++) set(&k, a + i); }}\n"
    )
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    assert ("k = " in dump(unit.functions[0].nests[0].nest)) == is_set
