"""What pointers of a called function are set from does not depend on which of its callers is looked at first."""

from __future__ import annotations

from itertools import permutations

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed

HEAD = "void *malloc(unsigned long);\nstruct s { double *data; struct s *next; };\n"
CHAIN = "".join(
    f"double *get{depth}(double *p, int n) {{ return {f'get{depth + 1}(p, n)' if depth < 11 else 'n ? p : 0'}; }}\n"
    for depth in range(12)
)
CIRCLE = """double *ping(double *p, int n);
double *pong(double *p, int n) { return n ? ping(p, n - 1) : p; }
double *ping(double *p, int n) { return n ? pong(p, n - 1) : p; }
"""
SETS = "void set(struct s *t, double *p) { t->data = p; }\n"
CALLERS = (
    "void f(double *a, int n) { double *b = get0(a, n); for (int i = 0; i < n; i++) b[i] = a[i] + 1; }\n",
    "void g(double *a, int n) { double *b = get7(a, n); for (int i = 0; i < n; i++) b[i] = a[i] + 1; }\n",
    "void h(double *a, int n) { double *b = ping(a, n); for (int i = 0; i < n; i++) b[i] = a[i] + 1; }\n",
    "void k(double *a, int n) { double *b = pong(a, n); for (int i = 0; i < n; i++) b[i] = a[i] + 1; }\n",
    "void m(double *a, int n) { struct s t; set(&t, a); for (int i = 0; i < n; i++) t.data[i] = a[i] + 1; }\n",
    "void o(double *a, double *c, int n) { struct s t; set(&t, c); for (int i = 0; i < n; i++) t.data[i] = a[i]; }\n",
)


def nests(callers: tuple[str, ...]) -> dict[str, list[object]]:
    text = HEAD + CHAIN + CIRCLE + SETS + "".join(callers)
    unit = parse_unit(text, Preprocessed(f'# 1 "a.c"\n{text}', "a.c"), Memo())
    return {function.name: [each.nest for each in function.nests] for function in unit.functions}


@pytest.mark.parametrize("at", range(len(CALLERS)))
def test_a_function_is_lowered_as_if_it_were_alone(at: int) -> None:
    name = "fghkmo"[at]
    alone = nests((CALLERS[at],))[name]
    assert len(alone) == 1
    for around in permutations(CALLERS, 2):
        if CALLERS[at] in around:
            assert nests(around)[name] == alone
