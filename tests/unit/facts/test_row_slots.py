"""Rows that each iteration allocates: pointers and what they lead to are two kinds of memory."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.iteration_order.any_order import any_order
from support.iteration_order.labels import judged
from support.iteration_order.run import run
from warplens.analysis.ir.promises.independent import Independent
from warplens.analysis.ir.promises.promise import Promise

DECLARED = """
void *malloc(unsigned long); void *memchr(const void *, int, unsigned long);
int *get(int n); void *raw(unsigned long n); void give(void *p);
static void fill(int *r, int n) { for (int k = 0; k < n; k++) { if (r[k] < 0) return; r[k] = k; } }
static int total(const int *r, int n) { int s = 0; for (int k = 0; k < n; k++) { if (r[k] < 0) return s; s += r[k]; }
 return s; }
"""
VOUCHED = tuple(Independent(name) for name in ("get", "raw", "give"))


def kind(body: str, promises: tuple[Promise, ...] = VOUCHED, table: str = "int **t = get_all(n);") -> str:
    """Verdict of a loop over rows."""
    arguments = "int n, int m, const int *restrict k, int *restrict out, int *restrict base"
    loop = f"for (int i = 1; i < n; i++) {{ {body} }}"
    source = f"{DECLARED}int **get_all(int n); void f({arguments}) {{ {table} {loop} }}"
    *_, nest = judged(source, promises)
    return nest.verdicts[0].kind


FILL = "for (int j = 0; j < m; j++) t[i][j] = j;"


@pytest.mark.parametrize(
    "body",
    [
        f"t[i] = get(m); {FILL}",
        f"t[i] = (int *)raw(m * sizeof(int)); {FILL} out[i] = t[i][3];",
        f"t[i] = (int *)malloc(m * sizeof(int)); {FILL} out[i] = t[i][3];",
        "t[i] = get(m); int *q = t[i]; for (int j = 0; j < m; j++) q[k[j]] = i; out[i] = q[2];",
        f"t[n + i] = get(m); {FILL}",
    ],
)
def test_each_iteration_fills_a_row_that_it_was_given(body: str) -> None:
    assert kind(body) == "parallel"
    assert kind(body, table="int *t[64];") == "parallel"


@pytest.mark.parametrize(
    "body",
    [
        f"t[i] = get(m); {FILL} out[i] = t[i - 1][0];",
        f"t[i] = get(m); {FILL} t[i - 1][0] = 2;",
        f"t[i - 1] = get(m); {FILL}",
        f"t[0] = get(m); {FILL} out[i] = t[0][i];",
        f"t[k[i]] = get(m); {FILL}",
        f"t[i] = t[0]; {FILL}",
        f"t[i] = t[i - 1]; {FILL}",
        f"t[i] = base; {FILL}",
        f"t[i] = base + i; {FILL}",
        f"t[i] = (int *)memchr(base, 3, m); {FILL}",
        f"t[i] = k[i] ? get(m) : t[0]; {FILL}",
    ],
)
def test_rows_of_others_are_in_the_way(body: str) -> None:
    assert kind(body) in {"unknown", "carried"}


@pytest.mark.parametrize(
    "body",
    [
        "give(t[i]); t[i][0] = i;",
        "give(t[i + 1]); t[i][0] = i;",
        "out[i] = t[i] == base; t[i][k[i]] = i;",
        "give(t[k[i]]); t[i][0] += k[i];",
        "fill(t[i], m);",
        "fill(t[i], m); out[i] = total(t[i], m) + t[i][0];",
        "int *q = get(m); give(q); t[i] = q; out[i] = t[i][0];",
        "int *q = get(m); give(q); t[i] = q; out[i] = total(t[i], m);",
    ],
)
def test_pointers_that_are_only_read_are_in_nobodys_way(body: str) -> None:
    assert kind(body) == "parallel"


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("give(t[i]); t[i][0] = t[i - 1][0];", "carried"),
        ("give(t[i]); t[k[i]][0] = i;", "unknown"),
        ("give(t[0]); out[i] = t[0][3]; t[0][3] = i;", "carried"),
        ("fill(t[0], m);", "unknown"),
        ("fill(t[i], m); out[i] = total(t[i - 1], m);", "unknown"),
        ("fill(t[k[i]], m);", "unknown"),
        ("fill(base, m);", "unknown"),
        ("fill(base + i, m);", "unknown"),
        ("int *q = get(m); give(q); t[i] = q; out[i] = t[i - 1][0];", "carried"),
        ("int *q = get(m); give(q); t[i] = q; out[i] = t[k[i]][0];", "unknown"),
        ("t[i] = base + i; t[i][0] = i;", "unknown"),
    ],
)
def test_rows_of_others_are_in_the_way_of_rows_that_functions_get(body: str, found: str) -> None:
    assert kind(body) == found


def test_without_a_promise_the_function_is_in_the_way() -> None:
    assert kind(f"t[i] = (int *)raw(m); {FILL}", ()) == "unknown"


def test_bytes_may_lie_where_the_pointers_do() -> None:
    source = "void give(char *); char *get(int n); char **all(int n);\nvoid f(int n) { char **t = all(n); "
    for body in ("t[i] = get(n); t[i][3] = 1;", "give(t[i]); t[i][3] = 1;"):
        *_, nest = judged(f"{source}for (int i = 0; i < n; i++) {{ {body} }} }}", VOUCHED)
        assert nest.verdicts[0].kind == "unknown"


def test_given_rows_are_the_same_in_any_order(tmp_path: Path) -> None:
    source = (
        "double *get(int n);\nvoid f(int n, double *restrict x) {\n double *row[64];\n"
        " for (int i = 0; i < n; i++) { row[i] = get(n); for (int j = 0; j < n; j++) row[i][j] = x[i] * j; }\n"
        " for (int i = 0; i < n; i++) x[i] = row[i][n - 1];\n}"
    )
    line = source[: source.index(" for (int i")].count("\n") + 1
    changed = any_order(source, promises=VOUCHED)
    assert line in {each.line for each in changed.loops}, changed.left_out
    kept = "double *get(int n) { static double pool[1 << 22]; static int at; return pool + 64 * (at++ % 60000); }"
    for body, differs in ((kept, False), (kept.replace("64 *", "0 *"), True)):
        outcome = run(changed, tmp_path, body)
        assert (line in outcome.differs) == differs
        assert line not in outcome.idle
