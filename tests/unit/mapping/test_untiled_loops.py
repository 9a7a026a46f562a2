"""Nests that are tiled for a CPU's caches: loops over tiles and points that become one, and those that may not."""

from __future__ import annotations

import pytest
from support.c_nests.parsed import facts_of
from support.mapped_nests import in_points, in_teams, lines

TILED = {
    "tiles and points, the end written either way": (
        """f(int n, int m, int a[m][n], int b[n][m]) {
            for (int t = 0; t < n; t += 8)
                for (int u = 0; u < m; u += 4)
                    for (int i = t; i < (n < t + 8 ? n : t + 8); i++)
                        for (int j = u; j < u + 4 && j < m; j++) a[j][i] = b[i][j]; }""",
        ["for i = 0; < n; +1", "  for j = 0; < m; +1", "    a[j][i] = b[i][j]"],
    ),
    "tiles that are whole, and a sum over tiles inside of them": (
        """f(int n, int a[64], int b[n][64]) {
            for (int t = 0; t < 64; t += 16)
                for (int u = 0; u < n; u += 4)
                    for (int i = t; i < t + 16; i++)
                        for (int j = u; j < u + 4 && j < n; j++) a[i] += b[j][i]; }""",
        [
            *("for i = 0; < 64; +1", "  if (0 < n)", "    held = a[i]", "    for j = 0; < n; +1"),
            *("      held += b[j][i]", "    a[i] = held"),
        ],
    ),
    "tiles of tiles, in the grid and in a thread": (
        """f(int n, int a[n], int b[n][n]) {
            for (int u = 0; u < n; u += 32)
                for (int v = 0; v < n; v += 32)
                    for (int t = u; t < u + 32 && t < n; t += 8)
                        for (int s = v; s < v + 32 && s < n; s += 8)
                            for (int i = t; i < t + 8 && i < n && i < u + 32; i++)
                                for (int j = s; j < s + 8 && j < n && j < v + 32; j++) a[i] += b[j][i]; }""",
        [
            *("for i = 0; < n; +1", "  if (0 < n)", "    held = a[i]", "    for j = 0; < n; +1"),
            *("      held += b[j][i]", "    a[i] = held"),
        ],
    ),
    "a loop in order between tiles and points": (
        """f(int n, int m, int a[n][m], int b[n], int c[m]) {
            for (int t = 0; t < n; t += 8)
                for (int k = 0; k < m; k++)
                    for (int i = t; i < t + 8 && i < n; i++)
                        for (int j = 0; j < 5; j++) a[i][j] += b[i] * c[k]; }""",
        [
            *("for i = 0; < n; +1", "  for j = 0; < 5; +1", "    if (0 < m)", "      held = a[i][j]"),
            *("      for k = 0; < m; +1", "        held += (b[i] * c[k])", "      a[i][j] = held"),
        ],
    ),
}


@pytest.mark.parametrize(("source", "expected"), TILED.values(), ids=TILED)
def test_tiles_and_their_points_are_one_loop(source: str, expected: list[str]) -> None:
    assert lines(in_points(source)) == expected


@pytest.mark.parametrize(
    "loops",
    [
        "for (int t = 0; t < n; t += 8) for (int i = t; i < t + 8 && i < n; i++) a[i] = b[i] + t;",
        "for (int t = 0; t < n; t += 8) for (int i = t; i < t + 8; i++) a[i] = b[i];",
        "for (int t = 0; t < n; t += 8) for (int i = t; i < t + 7 && i < n; i++) a[i] = b[i];",
        "for (int t = 0; t < n; t += 8) for (int i = t; i < t + 8 && i < n + 2; i++) a[i] = b[i];",
    ],
    ids=["the body asks for its tile", "the last tile goes on behind the end", "a point of each tile is left out",
         "points end later than tiles"],
)  # fmt: skip
def test_other_tiles_stay(loops: str) -> None:
    assert in_points(f"f(int n, int a[n + 9], int b[n + 9]) {{ {loops} }}") is None


SHARED = """f(int n, int m, int y[17][m + 1], const int x[17][m + 1][m + 1]) {
    for (int t = 0; t < 16; t += 8)
        for (int j = 0; j < m; j++)
            for (int i = t; i < t + 9; i++)
                for (int s = 0; s < m; s++) y[i][j] += x[i][j][s];
}"""


def test_what_starts_the_kernel_in_the_source_starts_its_teams_too() -> None:
    """A loop whose iterations add to elements of each other is no row, though a grid with teams would have room."""
    source = facts_of(f"void {SHARED}")
    (own,) = source.kernels
    teams = in_teams(SHARED)
    assert teams
    for mapped in teams:
        (kernel,) = mapped.facts.kernels
        assert kernel.root == own.root
        assert kernel.team is not None
        assert kernel.launches.evaluate({"m": 5}) == 2


def test_tiles_whose_iterator_is_read_behind_them_stay() -> None:
    source = """f(int n, int m, int y[n], int z[n][m], const int x[n][m], const int w[n]) {
        int t, k;
        for (int i = 0; i < n; i++) {
            int v = w[i];
            for (int j = 0; j < m; j++) z[i][j] = v;
            int s = 0;
            for (t = 0; t < m; t += 4) for (k = t; k < t + 4 && k < m; k++) s += x[i][k];
            y[i] = s + t;
        }
    }"""
    assert "for t = 0; < m; +4" in [line.strip() for line in lines(in_points(source))]
