"""Extremes by floating-point comparison are assumed to see no NaN; others need not be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts

ORDERED = {
    "a choice": ("double", "m = m < a[i] ? m : a[i];", ["m"]),
    "a guard": ("float", "if (a[i] > m) m = a[i];", ["m"]),
    "a place": ("double", "if (a[i] <= m) { m = a[i]; k = i; }", ["m", "k"]),
    "integers": ("int", "m = m < a[i] ? m : a[i];", []),
    "fmin": ("double", "m = fmin(m, a[i]);", []),
    "a sum": ("double", "m += a[i] > 0 ? a[i] : 0;", []),
}


@pytest.mark.parametrize("name", ORDERED)
def test_extremes_by_comparison_say_that_no_value_is_nan(name: str, facts_of: Callable[[str], NestFacts]) -> None:
    ctype, body, variables = ORDERED[name]
    head = f"f(int n, const {ctype} *a, {ctype} *out) {{ {ctype} m = a[0]; int k = 0;"
    facts = facts_of(f"{head} for (int i = 0; i < n; i++) {{ {body} }} out[0] = m; out[1] = k; }}")
    (verdict,) = facts.verdicts
    assert verdict.kind == "reduction"
    text = "`{}`: no value is assumed to be NaN (the order of comparisons would matter)."
    assert [a.text for a in verdict.assumptions if "NaN" in a.text] == [text.format(v) for v in variables]
