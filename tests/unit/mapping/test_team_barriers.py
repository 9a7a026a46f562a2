"""Where the threads of a team wait for each other, and where they need not."""

from __future__ import annotations

import pytest
from support.mapped_nests import in_teams, lines

ROWS = "f(int n, int m, int a[n][m], int b[n][m], int w[n]) { for (int i = 0; i < n; i++) { %s } }"
FILL = "for (int j = 0; j < m; j++) a[i][j] = w[i];"


def waits(body: str, threads: int = 32) -> list[str]:
    """What stands behind each wait of the row's team, the last loop of which shares its iterations."""
    (mapped, *_) = in_teams(ROWS % body, threads)
    written = [line.strip() for line in lines(mapped)]
    return [written[at + 1] for at, line in enumerate(written) if line == "wait"]


NEXT = "for (int j = 1; j < m; j++) b[i][j] = a[i][j - 1];"
WAITS = {
    "each thread reads what it wrote": ((FILL, "for (int j = 0; j < m; j++) b[i][j] = a[i][j];"), []),
    "the end of a loop says nothing of who has an iteration": (
        (FILL, "for (int j = 0; j < m - 1; j++) b[i][j] = a[i][j];"),
        [],
    ),
    "a neighbour's element": ((FILL, NEXT), ["for j = lane + 1; < m; +32"]),
    "a loop that starts elsewhere": (
        (FILL, "for (int j = 1; j < m; j++) b[i][j] = a[i][j];"),
        ["for j = lane + 1; < m; +32"],
    ),
    "a loop in other steps": (
        (FILL, "for (int j = 0; j < m; j += 2) b[i][j] = a[i][j];"),
        ["for j = 2*lane; < m; +64"],
    ),
    "a loop that counts down": (
        (FILL, "for (int j = m - 1; j >= 0; j--) b[i][j] = a[i][j];"),
        ["for j = -lane + m - 1; > -1; -32"],
    ),
    "one element for all": (
        (FILL, "for (int j = 0; j < m; j++) b[i][j] = a[i][0];"),
        ["for j = lane; < m; +32"],
    ),
    "a value for every thread": (
        (FILL, "int s = a[i][1]; for (int j = 0; j < m; j++) b[i][j] = s;"),
        ["s = a[i][1]"],
    ),
    "what the first thread uses": ((FILL, "w[i] = a[i][m - 1];"), ["first: w[i] = a[i][m - 1]"]),
    "what the first thread did before": ((FILL, "w[i] = 1; w[i] += 2;"), ["first: w[i] = 1"]),
    "what a condition asks and a loop behind it writes": (
        ("if (a[i][0] > 3) { for (int j = 0; j < m; j++) a[i][j] = 1; }",),
        ["for j = lane; < m; +32"],
    ),
    "behind a branch that may not be taken": (
        ("if (w[i] > 3) {", FILL, "}", NEXT),
        ["for j = lane + 1; < m; +32"],
    ),
    "a wait in a branch is none behind it": (
        (FILL, "if (w[i] > 3) {", NEXT, "}", "for (int j = 2; j < m; j++) b[i][j] += a[i][j - 2];"),
        ["for j = lane + 1; < m; +32", "for j = lane + 2; < m; +32"],
    ),
    "a wait in a loop that may have no iteration is none behind it": (
        (FILL, "for (int k = 0; k < w[i]; k++)", NEXT.replace("=", "+=").replace("j +=", "j ="), NEXT),
        ["for j = lane + 1; < m; +32", "for j = lane + 1; < m; +32"],
    ),
    "what an iteration leaves for the next": (
        (
            "for (int k = 1; k < 4; k++) { for (int j = 3; j < m; j++) b[i][j] = a[i][j - k];",
            "for (int j = 3; j < m; j++) a[i][j] = b[i][j]; }",
        ),
        ["for j = lane + 3; < m; +32", "for j = lane + 3; < m; +32"],
    ),
    "iterations that begin where another loop is": (
        ("for (int k = 1; k < 4; k++) for (int j = k; j < m; j++) a[i][j] = a[i][j] * 2 + k;",),
        ["for j = k + lane; < m; +32"],
    ),
    "an array of each iteration": (
        (
            "for (int j = 0; j < m; j++) { int t[4]; for (int k = 0; k < 4; k++) t[k] = j; a[i][j] = t[3]; }",
            "for (int j = 1; j < m; j++) { int t[4]; for (int k = 0; k < 4; k++) t[k] = k; b[i][j] = t[1]; }",
        ),
        [],
    ),
}


@pytest.mark.parametrize(("body", "expected"), WAITS.values(), ids=WAITS)
def test_threads_wait_where_another_one_uses_what_they_write(body: tuple[str, ...], expected: list[str]) -> None:
    assert waits(" ".join(body)) == expected


def test_the_threads_of_a_block_have_waited_where_they_put_a_sum_together() -> None:
    body = "int s = 0; for (int j = 0; j < m; j++) s += a[i][j]; for (int j = 1; j < m; j++) a[i][j] = s;"
    assert waits(body, 32) == ["for j = lane + 1; < m; +32"]
    assert waits(body, 64) == []


def test_what_one_thread_does_for_all_has_no_wait_inside() -> None:
    body = "for (int j = 0; j < m; j++) b[i][j] = 1; for (int j = 1; j < m; j++) a[i][j] += a[i][j - 1];"
    (mapped, *_) = in_teams(ROWS % body)
    assert [line.strip() for line in lines(mapped)][-2:] == ["first: for j = 1; < m; +1", "a[i][j] += a[i][j - 1]"]
