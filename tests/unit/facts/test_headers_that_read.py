"""Loops whose header reads memory: once before the loop, or in each iteration to know whether there is another."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest

KNOWN_BEFORE = (
    "for (int k = 0; k < b[0]; k++) y[k] = 1;",
    "for (int k = b[3]; k < b[n]; k++) y[k] = 1;",
    "for (int k = 0; k < x; k++) y[k] = 1;",
    "int k = b[2]; for (; k < b[3]; k++) y[k] = 1;",
)
ASKED_AGAIN = (
    "for (int k = 0; b[k] > 0; k++) y[k] = 1;",
    "for (int k = 0; k < n && b[k] > 0; k++) y[k] = 1;",
    "for (int k = 0; k < b[k]; k++) y[k] = 1;",
    "for (int k = 0; k < b[2 * k + 1]; k++) y[k] = 1;",
    "for (int k = 0; k < b[b[k]]; k++) y[k] = 1;",
    "for (int k = 0; k < least(b, k); k++) y[k] = 1;",
)


@pytest.mark.parametrize("loop", [*KNOWN_BEFORE, *ASKED_AGAIN])
def test_a_loop_that_ends_when_data_says_so_is_not_parallel(
    nests_of: Callable[[str], list[LoopNest]], loop: str
) -> None:
    (nest,) = nests_of(
        f"int least(const int *b, int k);\nvoid f(int n, const int *b, double x, double *y) {{ {loop} }}\n"
    )
    (verdict,) = analyse_nest(nest).verdicts
    assert verdict.can_run_in_parallel == (loop in KNOWN_BEFORE)
    assert not verdict.conditions
    assert ("to know whether there is a next one" in verdict.reason) == (loop in ASKED_AGAIN)
