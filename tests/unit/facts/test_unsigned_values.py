"""Unsigned arithmetic below zero and past 2^32, where it decides which iterations meet."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts

Facts = Callable[[str], NestFacts]

CARRIED = {
    "below zero, not less": "for (unsigned i = 0; i < n; i++) if (i - 3u >= n) a[0] = i;",
    "below zero, else": "for (unsigned i = 0; i < n; i++) if (i - 3u < n) a[i] = i; else a[n] = i;",
    "a signed iterator": "for (int i = -2; i < m; i++) if ((unsigned)i < n) a[i] = i; else a[n] = i;",
    "converted by the comparison": "for (int i = -2; i < 10; i++) if (i < n) a[i + 2] = i; else a[100] = i;",
    "by a scalar": "for (int i = 0; i < m; i++) { unsigned y = i - k; if (y < n) a[y] = 1; else a[n + 1] = i; }",
    "widened to unsigned": "for (unsigned i = 0; i < n; i++) { unsigned long j = i - 5u;"
    " if (j < n) a[j] = i; else a[n + 1] = i; }",
    "by a choice": "for (int i = 0; i < m; i++) { int y = i % 2 ? i - 9 : i;"
    " if ((unsigned)y < n) a[i] = y; else a[m] = i; }",
}


@pytest.mark.parametrize("loop", CARRIED.values(), ids=CARRIED.keys())
def test_iterations_that_meet_where_a_value_is_below_zero(facts_of: Facts, loop: str) -> None:
    facts = facts_of(f"f(unsigned n, int m, int k, double *restrict a, int *b) {{ {loop} }}")
    assert facts.verdicts[0].kind == "carried"


UNKNOWN = {
    "hash, shifted": "a[(i * 2654435761u) >> 20] = i;",
    "hash in steps": "unsigned h = i; h *= 2654435761u; h >>= 22; a[h] = i;",
    "hash, remainder": "a[i * 2654435761u % 1000] = i;",
    "hash, divided": "a[i * 2654435761u / 65536] = i;",
    "hash, widened": "a[(unsigned long)(i * 2654435761u) >> 22] = i;",
    "hash, compared": "if (i * 2654435761u < 2147483648u) a[0] = i; else a[i] = 1;",
    "bits cut off at the top": "a[i << 20 >> 20] = i;",
    "widened to signed": "long j = i - 5u; if (j < (long)n) a[j + 5] = i; else a[0] = i;",
}


@pytest.mark.parametrize("body", UNKNOWN.values(), ids=UNKNOWN.keys())
def test_values_whose_high_bits_are_not_known(facts_of: Facts, body: str) -> None:
    facts = facts_of(f"f(unsigned n, double *a) {{ for (unsigned i = 0; i < n; i++) {{ {body} }} }}")
    assert facts.verdicts[0].kind == "unknown"
    assert not any("assumed not to wrap" in one.text for one in facts.assumptions)


PARALLEL = {
    "within both ends at once": "if (i - 1u < n) a[i - 1u] = b[i];",
    "distance from the end": "if (n - 1 - i < 8) a[i] = b[i]; else a[i] = b[i + 1];",
    "before the last": "if (i < n - 1) a[i] = b[i + 1]; else a[i] = b[0];",
    "one to the left": "a[i] = i - 1u < n ? b[i - 1u] : b[n + 3];",
    "wide product": "a[(unsigned long)i * 2654435761u >> 10] = b[i];",
    "low bits": "a[i] = b[(i - 1u) & 15];",
}


@pytest.mark.parametrize("body", PARALLEL.values(), ids=PARALLEL.keys())
def test_what_follows_from_the_bounds(facts_of: Facts, body: str) -> None:
    text = f"f(unsigned n, double *restrict a, double *restrict b) {{ for (unsigned i = 0; i < n; i++) {{ {body} }} }}"
    facts = facts_of(text)
    assert facts.verdicts[0].kind == "parallel"
    assert not any("assumed not to wrap" in one.text for one in facts.assumptions)


def test_a_product_that_a_scalar_holds_is_assumed_not_to_wrap(facts_of: Facts) -> None:
    facts = facts_of(
        "f(unsigned n, double *a) { for (unsigned i = 0; i < n; i++) { unsigned j = i * 65536u; a[j] = 1; } }"
    )
    assert facts.verdicts[0].kind == "parallel"
    assert "`i * 65536`, a subscript of `a`, is assumed not to wrap." in [one.text for one in facts.assumptions]


def test_a_product_that_a_scalar_holds_and_that_wraps(facts_of: Facts) -> None:
    (verdict,) = facts_of(
        "f(double *a) { for (unsigned i = 0; i < 70000; i++) { unsigned j = i * 65536u; a[j] = 1; } }"
    ).verdicts
    assert verdict.kind == "unknown"
