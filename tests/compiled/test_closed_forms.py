"""A lowered nest computes what the C text computes: run by gcc and by an interpreter of the nest, memory is compared.

Closed forms of moving variables, displaced iterators, trip counts of loops in any form and quotients are all in it.
"""

from __future__ import annotations

import pytest
from support.lowered_loops.compiled import computed
from support.lowered_loops.interpreter import interpreted, lowered
from support.nest_invariants import violations

SIZES = ({"n": 13, "m": 5, "s": 3}, {"n": 6, "m": 11, "s": 1}, {"n": 1, "m": 2, "s": 4}, {"n": 24, "m": 7, "s": 5})

NESTS = {
    "while": "int i = 0; while (i < n) { a[i] = i; i++; }",
    "while, step in the middle": "int i = 0; while (i < n) { a[i] += 1; i++; b[i] = i; }",
    "while, two steps": "int i = 0; while (i < n) { a[i] += i; i++; b[i] = i; i += 2; }",
    "while, counted down": "while (n--) a[n] = n;",
    "while, counted down before the test": "while (--n) a[n] = n;",
    "while, from its own value": "while (m < n) { a[m] = m; m += 2; }",
    "while, positive": "int i = n; while (i-- > 0) a[i] = i;",
    "while, stepped in the test": "int i = 0; while (i++ < n) a[i] = i;",
    "while, stepped before the test": "int i = 0; while (++i <= n) a[i] = i;",
    "do": "int i = 0; do { a[i] = i; } while (++i < n);",
    "do, stepped after the test": "int i = 0; do { a[i] = i; } while (i++ < n);",
    "do, limit below the start": "int i = 3; do { a[i] = i; i++; } while (i < n - 5);",
    "do, down": "int i = n; do { a[i] = i; i -= 2; } while (i > 0);",
    "do inside": "for (int j = 0; j < m; j++) { int i = 0; do { a[i * 11 + j] = i; } while (++i < n); }",
    "break first": "int i = 0; for (;;) { if (i >= n) break; a[i] = i; i++; }",
    "break last": "int i = 0; for (;;) { a[i] = i; i++; if (i >= n) break; }",
    "while with a break first": "int i = 0; while (1) { if (i == n) break; a[i++] = 1; }",
    "step in the body": "for (int i = 0; i < n;) { a[i] = i; i += 2; a[i - 1] = 7; }",
    "step in body and header": "for (int i = 0; i < n; i++) { a[i] = i; i += 1; b[i] = i; }",
    "shadowed iterator": "for (int i = 0; i < n; i++) { a[i] = 1; { int i = 3; i++; b[i] += i; } }",
    "pointer": "int *p; for (p = a; p < a + n; p++) *p = 4;",
    "pointer, down": "int *p; for (p = a + n; p-- > a;) *p = 4;",
    "pointer to an end": "int *p = a + 2, *end = a + n; while (p < end) *p++ = n;",
    "pointer, comma": "int *p, *e; for (p = b, e = b + n; p != e; ++p) *p += 1;",
    "pointer, declared in the header": "for (int *p = a, *q = b; p < a + n; p++, q += 2) *p = *q;",
    "pointer, before": "int *p = a; for (int i = 0; i < n; i++) *++p = i;",
    "two pointers": "int *d = a, *s1 = b; while (n--) *d++ = *s1++;",
    "own pointers": "for (int i = 0; i < n; i++) *a++ = *b++;",
    "pointer by stride": "int *p = a; for (int i = 0; i < n; i++) { *p = i; p += m; }",
    "pointer, reset per row": "for (int i = 0; i < n; i++) { int *p = a + i * m; for (int j = 0; j < m; j++) *p++ = j; "
    "}",
    "pointer through rows": "int *p = a; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) *p++ = i "
    "+ j; p += 3; "
    "}",
    "pointer subscript": "int *p = a; for (int i = 0; i < n; i++, p += 2) { p[1] = i; p[-1] = b[i]; }",
    "row walk": "for (int i = 0; i < n; i++) { int *p = &a[i * m], *q = p + m; while (p < q) *p++ = 3; }",
    "induction": "int k = 2; for (int i = 0; i < n; i++) { a[k] = i; k += 3; b[k] = k; }",
    "induction down": "int k = n; for (int i = 0; i < n; i++) { a[k--] = i; }",
    "induction of a parameter": "for (int i = 0; i < n; i++) { a[m] = i; m += s; b[i] = m; }",
    "induction in a condition": "int k = 0; for (int i = 0; i < n; i++) { if (b[k++] > 3) a[k] = i; }",
    "induction against the step": "int k = 0; for (int i = n; i > 0; i--) { a[k++] = i; }",
    "induction with a stepped iterator": "int k = 0; for (int i = 0; i < n; i += 2) { a[k] = i; k += 4; }",
    "odd induction with a stepped iterator": "int k = 0; for (int i = 0; i < n; i += 2) { a[k] = i; k++; }",
    "induction through two loops": "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) a[k++] = i;",
    "induction, also between": "int k = 0; for (int i = 0; i < n; i++) { b[k] = i; for (int j = 0; j < m; j++) "
    "a[k++] = j; "
    "k++; }",
    "induction, two inner loops": "int k = 0; for (int i = 0; i < n; i++) { for (int j = 0; j < m; j++) a[k++] = j; "
    "for (int j = 0; j < s; j++) a[k++] = -j; }",
    "induction in a triangle": "int k = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= i; j++) a[k++] = j;",
    "inner induction reset": "int k; for (int i = 0; i < n; i++) { k = i; for (int j = 0; j < m; j++) { a[k] "
    "+= j; k += 2; } "
    "b[i] = k; }",
    "inner induction with a break": "int k; for (int i = 0; i < n; i++) { k = i; for (int j = 0; j < m; j++) { if "
    "(b[j] > 8) break; "
    "k += 2; } a[i] = k; }",
    "compaction": "int k = 0; for (int i = 0; i < n; i++) if (b[i] > 4) a[k++] = i;",
    "continue before a step": "int k = 0; for (int i = 0; i < n; i++) { if (b[i] > 4) continue; a[k++] = i; }",
    "continue after a step": "int k = 0; for (int i = 0; i < n; i++) { a[k++] = i; if (b[i] > 4) continue; b[i] = k; }",
    "continue in a while": "int i = 0; while (i < n) { i++; if (b[i] > 4) continue; a[i] = i; }",
    "value of an increment": "int k = 0; for (int i = 0; i < n; i++) { int t = k++; a[t] = k; b[++k] = t; }",
    "assigned increment": "int k = 0; for (int i = 0; i < n; i++) { k = k + 2; a[k] = i; k = 1 + k; a[k] = k; }",
    "step by a parameter": "for (int i = 1; i < n; i += s) a[i] = i;",
    "step by a parameter, down": "for (int i = n; i > 2; i -= s) a[i] = i;",
    "step by a parameter, to the end": "for (int i = 0; i <= n; i += s) { a[i] = i; b[2 * i] = i; }",
    "tiles": "for (int ii = 0; ii < n; ii += 4) for (int i = ii; i < (ii + 4 < n ? ii + 4 : n); i++) a[i] += i;",
    "tiles of a parameter": "for (int ii = 0; ii < n; ii += s) for (int i = ii; i < (ii + s < n ? ii + s : "
    "n); i++) a[i] += "
    "i;",
    "tiles, nested if": "for (int ii = 0; ii < n; ii += s) for (int i = ii; i < ii + s; i++) if (i < n) a[i] += i;",
    "larger of two starts": "for (int i = 0; i < n; i++) for (int j = i - s > 0 ? i - s : 0; j < m; j++) a[i + j] += "
    "j;",
    "smaller of two starts": "for (int i = 0; i < n; i++) for (int j = i + s < m ? i + s : m; j >= 0; j--) a[i + j] += "
    "j;",
    "meeting in the middle": "int lo = 0, hi = n - 1; while (lo < hi) { int t = a[lo]; a[lo++] = a[hi]; a[hi--] = t; }",
    "quotient and remainder": "for (int i = 0; i < n * m; i++) { int y = i / m, x = i % m; a[y * m + x] = i; }",
    "quotient of a number": "for (int i = 0; i < n; i++) { int y = i >> 2, x = i & 3; a[4 * y + x] += i; }",
    "negative quotient": "for (int i = -n; i < n; i++) { a[(i / 3) * 3 + i % 3] += i; }",
    "even quotient": "for (int i = 0; i < n; i++) { a[(6 * i) / 2] = (4 * i) % 4; }",
    "factor in the test": "for (int i = 0; 2 * i < n; i++) a[i] = 1;",
    "factor in the test, equal": "for (int i = n; 3 * i >= m; i--) a[i] = 1;",
    "continue in nested branches": "for (int i = 0; i < n; i++) { if (b[i] > 2) { if (b[i] > 7) continue; a[i] = 1; "
    "} b[i] = i; }",
    "continue in both branches": "for (int i = 0; i < n; i++) { if (b[i] > 5) { if (b[i] > 7) continue; a[i] = 1; "
    "} else { int t = b[i]; if (t < 2) continue; a[i] = t; } "
    "b[i] = i; a[i] += b[i] * 3 + 1; a[i + 1] += b[i] * 2 - 1; a[i + 2] -= b[i] + "
    "a[i] * a[i + 1] + 4; b[i + 1] += a[i] * 2 + b[i] - 7; }",
    "continue in a block": "for (int i = 0; i < n; i++) { { int t = b[i]; if (t > 5) continue; a[i] = t; } b[i] = i; }",
    "continue in a switch": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: continue; case 2: a[i] = "
    "5; break; default: a[i] = 1; } b[i] = 0; }",
    "fall-through": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: a[i] = 3; case 2: a[i] += "
    "5; break; case 3: b[i] = 9; default: a[i] += 1; } }",
    "default in the middle": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: a[i] = 3; break; default: "
    "a[i] += 1; case 4: b[i] += 2; } }",
    "break in a case": "for (int i = 0; i < n; i++) { switch (b[i]) { case 1: if (i > 2) break; a[i] = "
    "3; default: a[i] += 1; } b[i] = 0; }",
    "start read by another start": "for (int i = s, k = i; i < n; i++, k += 2) a[k] = i;",
    "once": "for (int i = 0; i < n; i++) do { a[i] = i; b[i] = 2; } while (0);",
}


@pytest.fixture(scope="module")
def truth(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[list[int]]]:
    """Memory after each nest for each of the sizes, by running them all."""
    found = computed(tuple(NESTS.values()), SIZES, tmp_path_factory.mktemp("closed_forms"))
    return dict(zip(NESTS, found, strict=True))


@pytest.mark.parametrize("name", NESTS)
def test_nest_computes_what_the_text_computes(name: str, truth: dict[str, list[list[int]]]) -> None:
    nest = lowered(NESTS[name])
    assert violations(nest) == ()
    assert [interpreted(nest, {"k": 0, **sizes}) for sizes in SIZES] == truth[name]
