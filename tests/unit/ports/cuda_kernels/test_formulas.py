"""Values that no polynomial holds are written as people write sums."""

import pytest
from warplens.analysis.ir.formula import Formula
from warplens.analysis.ports.cuda.polynomial_text import PolynomialText

N, M = Formula.parameter("n"), Formula.parameter("m")


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (N - 1, "(long)n - 1"),
        (N - M - 1, "(long)n - (long)m - 1"),
        (2 * N - 3 * M + 4, "2 * (long)n - 3 * (long)m + 4"),
        (5 - N, "5 - (long)n"),
        (-1 * N, "-(long)n"),
        (-1 * N - M - 2, "-(long)n - (long)m - 2"),
        ((N - M) * (N + M), "((long)n - (long)m) * ((long)n + (long)m)"),
        (3 - 2 * (N - M), "3 - 2 * ((long)n - (long)m)"),
    ],
)
def test_sums(formula: Formula, expected: str) -> None:
    assert PolynomialText(str, {}, {}).formula(formula).text == expected
