"""Nests with a thread per innermost parallel iteration: what is distributed, pulled outwards, or launched in steps."""

from __future__ import annotations

import pytest
from support.mapped_nests import in_points, lines

ROWS = "f(int n, int m, int a[n][m], int b[n][m], int c[n][m], int w[n]) { for (int i = 0; i < n; i++) { %s } }"
ROW, COLUMN = "for i = 0; < n; +1", "for j = 0; < m; +1"
NEXT = "for (int j = 3; j < m; j++) b[i][j] = a[i][j - k];"
BOTH = "int d = b[i][k]; w[i] += d; for (int j = 0; j < m; j++) a[i][j] += d * c[k][j];"
POINTS = {
    "heads are moved in": (
        "int t = w[i]; for (int j = 0; j < m; j++) a[i][j] = t;",
        [ROW, f"  {COLUMN}", "    t = w[i]", "    a[i][j] = t"],
    ),
    "loops are distributed, each with the heads that it reads": (
        "int t = w[i]; for (int j = 0; j < m; j++) a[i][j] = t; for (int j = 1; j < m; j++) b[i][j] = a[i][j - 1];",
        [
            *("for int  = 0; < 1; +1", f"  {ROW}", f"    {COLUMN}", "      t = w[i]", "      a[i][j] = t"),
            *(f"  {ROW}", "    for j = 1; < m; +1", "      b[i][j] = a[i][j - 1]"),
        ],
    ),
    "a loop that accumulates stands inside": (
        "int t = w[i]; for (int k = 0; k < m; k++) for (int j = 0; j < m; j++) c[i][j] += t * b[k][j];",
        [
            *(ROW, f"  {COLUMN}", "    t = w[i]", "    if (0 < m)", "      held = c[i][j]", "      for k = 0; < m; +1"),
            *("        held += (t * b[k][j])", "      c[i][j] = held"),
        ],
    ),
    "a loop in order is parted, and one part stands inside": (
        f"for (int k = 0; k < m; k++) {{ {BOTH} }}",
        [
            *("for int  = 0; < 1; +1", f"  {ROW}", "    for k = 0; < m; +1", "      d = b[i][k]", "      w[i] += d"),
            *(f"  {ROW}", f"    {COLUMN}", "      if (0 < m)", "        held = a[i][j]", "        for k = 0; < m; +1"),
            *("          d = b[i][k]", "          held += (d * c[k][j])", "        a[i][j] = held"),
        ],
    ),
    "parts of which one changes what the other reads next are no loops of their own": (
        "for (int k = 0; k < m; k++) { w[i] += a[i][k]; for (int j = 0; j < m; j++) a[i][j] += c[k][j]; }",
        [
            *("for k = 0; < m; +1", f"  {ROW}", "    w[i] += a[i][k]", f"  {ROW}", f"    {COLUMN}"),
            "      a[i][j] += c[k][j]",
        ],
    ),
    "an element is held over all loops that accumulate in it": (
        "for (int l = 0; l < 9; l++) for (int k = 0; k < m; k++) for (int j = 0; j < m; j++) a[i][j] += c[k][j] * l;",
        [
            *(ROW, f"  {COLUMN}", "    if (0 < m)", "      held = a[i][j]", "      for l = 0; < 9; +1"),
            *("        for k = 0; < m; +1", "          held += (c[k][j] * l)", "      a[i][j] = held"),
        ],
    ),
    "a loop whose iterations use each other's elements launches kernels": (
        f"for (int k = 1; k < 4; k++) {{ {NEXT} for (int j = 3; j < m; j++) a[i][j] = b[i][j]; }}",
        [
            *("for k = 1; < 4; +1", f"  {ROW}", "    for j = 3; < m; +1", "      b[i][j] = a[i][j - k]"),
            *(f"  {ROW}", "    for j = 3; < m; +1", "      a[i][j] = b[i][j]"),
        ],
    ),
}


@pytest.mark.parametrize(("body", "expected"), POINTS.values(), ids=POINTS)
def test_parallel_loops_stand_in_each_other(body: str, expected: list[str]) -> None:
    assert lines(in_points(ROWS % body)) == expected


@pytest.mark.parametrize(
    "body",
    [
        "int t = w[i]; for (int j = 0; j < m; j++) a[i][j] = 1; w[i] = 3; for (int j = 0; j < m; j++) b[i][j] = t;",
        "int s = 0; for (int j = 0; j < m; j++) s += b[i][j]; for (int j = 0; j < m; j++) a[i][j] = s;",
        "int t[8]; for (int j = 0; j < 8; j++) t[j] = b[i][j]; for (int j = 0; j < 8; j++) a[i][j] = t[7 - j];",
        "int t = a[i][1]; for (int j = 0; j < m; j++) a[i][j] = t;",
        "int s = w[i]; for (int k = 0; k < 5; k++) { for (int j = 0; j < m; j++) a[i][j] += s; s = s * 3 + k; }",
    ],
    ids=[
        "a head would read what was written",
        "a sum would be lost",
        "an array of the row would be lost",
        "a thread would read what another one writes",
        "a value goes from one step to the next",
    ],
)
def test_what_would_change_a_result_stays(body: str) -> None:
    assert in_points(ROWS % body) is None
