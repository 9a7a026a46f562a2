"""`qsort` in a loop: what it touches is its array and what the comparison reads."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest
from warplens.analysis.ir.promises.comment import directive_text

DECLARATIONS = """void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *));
static int calls, *key; int other(const void *, const void *); int printf(const char *, ...);
static int plain(const void *a, const void *b) { return *(const double *)a < *(const double *)b ? -1 : 1; }
static int counting(const void *a, const void *b) { calls++; return plain(a, b); }
static int by_key(const void *a, const void *b) { return key[*(const int *)a] - key[*(const int *)b]; }
static int chatty(const void *a, const void *b) { printf("compared"); return plain(a, b); }
"""
FILL = "for (int k = 0; k < 9; k++) w[k] = a[9 * i + k];"
BODIES = {
    "own array": (f"double w[9]; {FILL} qsort(w, 9, sizeof *w, plain); m[i] = w[4];", "parallel", ""),
    "address of the comparison": (f"double w[9]; {FILL} qsort(w, 9, sizeof *w, &plain); m[i] = w[4];", "parallel", ""),
    "keys of the file": (
        "int w[9]; for (int k = 0; k < 9; k++) w[k] = k; qsort(w, 9, sizeof *w, by_key); m[i] = w[4];", "parallel", "",
    ),
    "a count": (f"double w[9]; {FILL} qsort(w, 9, sizeof *w, counting); m[i] = w[4];", "unknown", ""),
    "one array for all": ("qsort(a, 9, sizeof *a, plain); m[i] = a[4];", "unknown", ""),
    "a comparison of another file": (
        f"double w[9]; {FILL} qsort(w, 9, sizeof *w, other); m[i] = w[4];", "unknown", "other is independent",
    ),
    "a comparison that is given": (
        f"double w[9]; {FILL} qsort(w, 9, sizeof *w, given); m[i] = w[4];", "unknown", "given is independent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
def test_sorting_touches_its_array(nests_of: Callable[[str], list[LoopNest]], name: str) -> None:
    body, kind, promised = BODIES[name]
    parameters = "double *restrict a, double *restrict m, int n, int (*given)(const void *, const void *)"
    nests = nests_of(f"{DECLARATIONS} void f({parameters}) {{ for (int i = 0; i < n; i++) {{ {body} }} }}")
    verdict = analyse_nest(nests[-1]).verdicts[0]
    assert verdict.kind == kind
    assert not promised or directive_text(verdict.conditions) == f"// warplens: {promised}"


def test_a_comparison_that_prints_is_a_loop_that_prints(nests_of: Callable[[str], list[LoopNest]]) -> None:
    body = f"double w[9]; {FILL} qsort(w, 9, sizeof *w, chatty); m[i] = w[4];"
    nests = nests_of(
        f"{DECLARATIONS} void f(double *a, double *m, int n) {{ for (int i = 0; i < n; i++) {{ {body} }} }}"
    )
    verdict = analyse_nest(nests[-1]).verdicts[0]
    assert verdict.kind == "unknown"
    assert "prints" in verdict.reason
