"""Which objects may overlap by their types."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.ir.nest import LoopNest

TYPES = "typedef float v4 __attribute__((vector_size(16))); typedef long long v2 __attribute__((vector_size(16)));"


@pytest.mark.parametrize(
    ("left", "right", "may_overlap"),
    [("v4", "float", True), ("v4", "v2", True), ("v4", "v4", True), ("double", "float", False), ("char", "v4", True)],
)
def test_vectors_may_lie_over_anything(
    nests_of: Callable[[str], list[LoopNest]], left: str, right: str, may_overlap: bool
) -> None:
    read = "y[i][0]" if right.startswith("v") else "y[i]"
    (nest,) = nests_of(
        f"{TYPES} void f({left} *x, {right} *y, int n) {{ for (int i = 0; i < n; i++) x[i] += {read}; }}"
    )
    (verdict,) = analyse_nest(nest).verdicts
    assert any("overlap" in assumption.text for assumption in verdict.assumptions) is may_overlap
