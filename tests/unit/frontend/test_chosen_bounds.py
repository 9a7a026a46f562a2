"""A bound that a variable holds: the smaller of two values counts as both of them, as long as it is what it was."""

from __future__ import annotations

from collections.abc import Callable

import pytest

Lines = Callable[[str], list[str]]

TILES = "for (int t = 0; t < n; t += 8) { %s for (int i = t; i < e; i++) a[i] = 0; }"


def inner(lines: list[str]) -> str:
    return next(line.partition(": ")[2] for line in lines if "int i = " in line)


@pytest.mark.parametrize(
    "end",
    [
        "int e = t + 8 < n ? t + 8 : n;",
        "int e = n > t + 8 ? t + 8 : n;",
        "int e; e = t + 8 <= n ? t + 8 : n;",
        "int e = 0, s = 8; e = t + s < n ? t + s : n;",
        "int e = t + 8; e = e < n ? e : n;",
        "int e = t + 8 < n ? t + 8 : n; if (a[0] > 0) a[t] = e;",
    ],
)
def test_the_smaller_of_two_is_two_limits(end: str, lines: Lines) -> None:
    found = inner(lines(TILES % end))
    assert {part.strip() for part in found.split("<")[1].split(";")[0].split(",")} == {"t + 8", "n"}
    assert "not a polynomial" not in found


@pytest.mark.parametrize(
    "end",
    [
        "int e = t + 8 > n ? t + 8 : n;",
        "int e = t + 8 < n ? t + 8 : n; if (a[0] > 0) e = 3;",
        "int e = t + 8 < n ? t + 8 : n; e += idx[t];",
        "int s = t + 8, e = s < n ? s : n; s = 0; e = a[t] > s ? e : s;",
        "int e = t + 8 < n ? t + 8 : m < n ? m : n;",
        "int e = t + 8 < n ? t + 8 : n; for (int k = 0; k < 3; k++) e -= idx[k];",
    ],
)
def test_what_may_be_another_value_is_none(end: str, lines: Lines) -> None:
    assert "a bound is not a polynomial" in inner(lines(TILES % end))


def test_a_variable_in_one_of_the_two_that_changed_since_is_not_taken_for_what_it_was(lines: Lines) -> None:
    found = inner(lines(TILES % "int s = t + 8; int e = s < n ? s : n; s = 2;"))
    assert "< 2" not in found
    assert "2," not in found
