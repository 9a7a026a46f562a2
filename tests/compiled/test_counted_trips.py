"""Trip counts said to be exact are what a counter in the running loop finds."""

from __future__ import annotations

import subprocess
from fractions import Fraction
from pathlib import Path

import pytest
from support.c_nests.parsed import only_nest
from warplens.analysis.dependence.array_rows.delinearise import delinearise
from warplens.analysis.facts.nest_facts import TripCount
from warplens.analysis.workload.loops.trip_count import trip_counts

SIZES = ({"n": 17, "m": 6}, {"n": 1, "m": 4}, {"n": 12, "m": 12}, {"n": 0, "m": 3}, {"n": 7, "m": 30})

NESTS = (
    "for (int i = 0; i != n; i++) HERE",
    "for (int i = n; i != 0; i--) HERE",
    "for (int i = 3 * n; i != 0; i -= 3) HERE",
    "for (int i = n - 1; i >= 0; i -= 3) HERE",
    "for (int i = n; i > 1; i -= 4) HERE",
    "for (int i = n; i --> 0;) HERE",
    "for (int i = 0; i++ < n;) HERE",
    "for (int i = 2; i <= n; i += 5) HERE",
    "for (unsigned i = 0; i <= (unsigned)m; i += 3) HERE",
    "for (size_t i = 1; i < n; i += 2) HERE",
    "for (long i = -n; i < n; i += 7) HERE",
    "for (int i = 0; i < n && i < m; i++) HERE",
    "for (int i = 0; i < (n < m ? n : m); i += 2) HERE",
    "for (int i = n > m ? n : m; i > 2; i -= 2) HERE",
    "for (int i = 0; n > i; i = i + 3) HERE",
    "for (int i = 0; i < n / 2; i++) HERE",
    "for (int i = n % 5; i < m; i++) HERE",
    "for (int i = 1; i < n - 1; i++) HERE",
    "for (int i = 0; i + 3 < n; i += 2) HERE",
    "for (int i = 0; i <= 2 * n + 1; i += 4) HERE",
    "for (int i = 0; i < n; i++) for (int j = 0; j < m; j += 2) HERE",
    "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) HERE",
    "for (int i = 0; i < n; i++) for (int j = n - 1; j > i; j--) HERE",
    "for (int i = 0; i < n; i++) for (int j = i + 2; j <= m; j++) HERE",
    "for (int i = 0; i < n; i += 2) for (int j = 0; j <= i; j++) HERE",
    "for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) for (int k = 0; k < j; k++) HERE",
    "for (int i = 0; i < n; i++) for (int j = i; j < n; j++) for (int k = i; k <= j; k++) HERE",
    "for (int i = 0; i < 4; i++) for (int j = i * 8; j < i * 8 + 8; j++) HERE",
    "for (int i = 0; i < n; i += 4) for (int j = i; j < (i + 4 < n ? i + 4 : n); j++) HERE",
    "for (int i = 0; i < n; i++) for (int j = i - m; j < i + m; j++) HERE",
    "for (unsigned char i = 0; i < 200; i += 7) HERE",
    "for (int i = n; i < m; i++) for (int j = i; j < m; j++) HERE",
    "int i = 0; while (i < n) { HERE; i++; }",
    "int i = m; while (i < n) { i += 2; HERE; }",
    "int i = 0; while (i++ < n) HERE",
    "int i = 0; while (++i < n) HERE",
    "while (n--) HERE",
    "while (n-- > 3) HERE",
    "while (--n >= 0) HERE",
    "while (n < m) { HERE; n += 3; }",
    "int i = 0; do HERE while (++i < n);",
    "int i = 0; do HERE while (i++ < n);",
    "int i = n; do { HERE; i -= 2; } while (i > m);",
    "int i = 0; for (;;) { if (i >= n) break; HERE; i++; }",
    "int i = 0; for (;;) { HERE; i += 3; if (i >= n) break; }",
    "for (int i = 0; i < n;) { HERE; i++; }",
    "for (int i = 0; i < n; i++) { HERE; i += 2; }",
    "for (int *p = x; p < x + n; p++) HERE",
    "for (int *p = x + n; p > x; p -= 2) HERE",
    "int *p = x, *end = x + n; while (p < end) { HERE; p += 3; }",
    "for (int i = 0; i < n; i += m) HERE",
    "for (int i = n; i >= 0; i -= m) HERE",
    "for (int i = 1; i <= 3 * n; i += 2 * m) HERE",
    "for (int i = 0; 2 * i < n; i++) HERE",
    "for (int i = n; 3 * i >= m; i--) HERE",
    "int lo = 0, hi = n; while (lo < hi) { HERE; lo++; hi--; }",
    "int lo = 0, hi = n; while (lo <= hi) { HERE; lo += 2; hi--; }",
)
"""`HERE` is the innermost body."""

AVERAGED = (
    "for (int i = 0; i < n; i++) for (int j = 0; j < i; j += 3) HERE",
    "for (int i = n - 1; i >= 0; i--) for (int j = i - 1; j >= 0; j -= 2) HERE",
)
"""A triangle with steps has no polynomial for its count."""


def predicted(nest_text: str) -> list[TripCount]:
    """Trip counts of a nest's loops, outer before inner."""
    text = "typedef unsigned long size_t;\nint x[64];\n"
    text += f"void f(int n, int m) {{ {nest_text.replace('HERE', 'x[0] += 1;')} }}"
    return list(trip_counts(delinearise(only_nest(text))))


@pytest.fixture(scope="module")
def counted(tmp_path_factory: pytest.TempPathFactory) -> list[list[int]]:
    """Executions of each nest's body for each of the sizes, by running them all."""
    folder: Path = tmp_path_factory.mktemp("trips")
    lines = ["#include <stdio.h>", "#include <stddef.h>", "static int x[64];"]
    for number, text in enumerate(NESTS):
        lines.append(f"static long f{number}(int n, int m) {{ long count = 0; {text.replace('HERE', 'count++;')}")
        lines.append("return count; }")
    lines.append("int main(void) {")
    for number in range(len(NESTS)):
        lines += [f'printf("%ld ", f{number}({s["n"]}, {s["m"]}));' for s in SIZES]
        lines.append('printf("\\n");')
    (folder / "trips.c").write_text("\n".join([*lines, "return 0; }"]), encoding="utf-8")
    subprocess.run(["gcc", "-w", "-std=gnu11", "trips.c", "-o", "trips"], cwd=folder, check=True)
    ran = subprocess.run(["./trips"], cwd=folder, capture_output=True, text=True, timeout=20, check=True)
    return [[int(word) for word in line.split()] for line in ran.stdout.splitlines()]


@pytest.mark.parametrize("text", NESTS)
def test_exact_counts_are_those_of_the_running_loop(text: str, counted: list[list[int]]) -> None:
    counts = predicted(text)
    assert all(count.exact for count in counts)
    found = []
    for sizes in SIZES:
        total = Fraction(1)
        for count in counts:  # the average of a loop that never starts has no meaning
            total *= count.average.evaluate(sizes) if total else 1
        found.append(total)
    assert found == counted[NESTS.index(text)]


@pytest.mark.parametrize("text", AVERAGED)
def test_an_average_is_not_said_to_be_exact(text: str) -> None:
    inner = predicted(text)[1]
    assert not inner.exact
    assert "average" in inner.assumptions[0].text
