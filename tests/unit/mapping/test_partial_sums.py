"""How the threads of a team have their parts of a value, and what stands around the loop that they share."""

from __future__ import annotations

import pytest
from support.mapped_nests import in_teams, lines

ROWS = "f(int n, int m, int a[n][m], int y[n], double d[n][m], double e[n]) { for (int i = 0; i < n; i++) { %s } }"
SHARED = "for j = lane; < m; +32"


def row(body: str) -> list[str]:
    """What a thread of the row's team does."""
    (mapped, *_) = in_teams(ROWS % body)
    written = lines(mapped)
    inside = len(next(line for line in written if "for lane" in line)) - len("for lane = 0; < 32; +1") + 2
    return [line[inside:] for line in written[2:]]


SUMS = {
    "a sum from 0 is its own part": (
        "int s = 0; for (int j = 0; j < m; j++) s += a[i][j]; y[i] = s;",
        ["s = 0", SHARED, "  s += a[i][j]", "first: y[i] = s"],
    ),
    "a sum from a value is added to it": (
        "int s = y[i]; for (int j = 0; j < m; j++) s -= a[i][j]; y[i] = s;",
        ["s = y[i]", "s_part = 0", SHARED, "  s_part -= a[i][j]", "s += s_part", "wait", "first: y[i] = s"],
    ),
    "a product": (
        "double s = 2; for (int j = 0; j < m; j++) s *= d[i][j]; e[i] = s;",
        ["s = 2.0", "s_part = 1.0", SHARED, "  s_part *= d[i][j]", "s *= s_part", "first: e[i] = s"],
    ),
    "an extreme from any value": (
        "int s = a[i][0]; for (int j = 0; j < m; j++) if (a[i][j] > s) s = a[i][j]; y[i] = s;",
        ["s = a[i][0]", SHARED, "  if (a[i][j] > s)", "    s = a[i][j]", "first: y[i] = s"],
    ),
    "an element, where the loop has an iteration": (
        "for (int j = 0; j < m; j++) y[i] += a[i][j];",
        ["part = 0", SHARED, "  part += a[i][j]", "first: if (0 < m)", "  y[i] += part"],
    ),
    "an element of a loop that always has one": (
        "for (int j = 0; j < 40; j++) y[i] += a[i][j];",
        ["part = 0", "for j = lane; < 40; +32", "  part += a[i][j]", "first: y[i] += part"],
    ),
    "an element to which only some iterations add": (
        "for (int j = 0; j < m; j++) if (j > i + 3) y[i] += a[i][j];",
        [
            *("part = 0", "part_added = 0", SHARED, "  if (j > (i + 3))", "    part += a[i][j]", "    part_added = 1"),
            *("first: if part_added", "  y[i] += part"),
        ],
    ),
    "an element in a loop inside": (
        "for (int j = 0; j < m; j++) for (int k = j; k < m; k++) y[i] += a[i][k];",
        [
            *(
                "part = 0",
                "part_added = 0",
                SHARED,
                "  for k = j; < m; +1",
                "    part += a[i][k]",
                "    part_added = 1",
            ),
            *("first: if part_added", "  y[i] += part"),
        ],
    ),
    "a value that nothing uses": (
        "int s = 1; for (int j = 0; j < m; j++) { s = s + a[i][j]; d[i][j] = 2; }",
        [SHARED, "  d[i][j] = 2.0"],
    ),
}


@pytest.mark.parametrize(("body", "expected"), SUMS.values(), ids=SUMS)
def test_parts_are_put_together_behind_the_loop(body: str, expected: list[str]) -> None:
    assert row(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "y[i] = 0; for (int j = 1; j < m; j++) a[i][j] += a[i][j - 1];",
        "short s = 0; for (int j = 0; j < m; j++) s += a[i][j]; y[i] = s;",
        "int t[9]; for (int j = 0; j < m; j++) t[j] = a[i][j]; for (int j = 0; j < m; j++) a[i][j] = t[m - 1 - j];",
    ],
    ids=["iterations in order", "no number that lanes hand on", "an array of the row"],
)
def test_nobody_shares_what_can_not_be_shared(body: str) -> None:
    assert in_teams(ROWS % body) == ()
