"""Subscripts whose own arithmetic wraps, or may."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.facts.nest_facts import NestFacts

Facts = Callable[[str], NestFacts]


def said(facts: NestFacts) -> list[str]:
    return [a.text for a in facts.assumptions if a.kind == "bounds"]


WRAPS = {
    "for (unsigned i = 0; i < 100000; i++) a[i * 0x10000u] = 1;": "`i * 65536`, a subscript of `a`, wraps",
    "for (unsigned i = 0; i < 5000; i++) a[i << 20] = 1;": "`i << 20`, a subscript of `a`, wraps",
    "for (unsigned long i = 0; i < 5000000000; i++) a[(unsigned)i] = 1;": (
        "`(unsigned int)i`, a subscript of `a`, wraps"
    ),
}


@pytest.mark.parametrize("loop", WRAPS)
def test_a_loop_whose_subscript_wraps_is_not_judged(facts_of: Facts, loop: str) -> None:
    (verdict,) = facts_of(f"f(double *a) {{ {loop} }}").verdicts
    assert (verdict.kind, verdict.reason) == ("unknown", WRAPS[loop])


MAY_WRAP = (
    "for (unsigned i = 0; i < n; i++) a[i * 0x10000u] = 1;",
    "for (unsigned i = 0; i < n; i++) a[70000u * i + 3] = 1;",
    "for (unsigned i = 0; i < n; i++) a[i << 16] = 1;",
    "for (unsigned long i = 0; i < n; i++) a[(unsigned)i] = 1;",
    "for (long i = 0; i < n; i++) a[(int)i] = 1;",
)


@pytest.mark.parametrize("loop", MAY_WRAP)
def test_that_a_subscript_does_not_wrap_is_said(facts_of: Facts, loop: str) -> None:
    facts = facts_of(f"f(unsigned long n, double *a) {{ {loop} }}")
    assert [v.kind for v in facts.verdicts] == ["parallel"]
    (text,) = said(facts)
    assert text.endswith("a subscript of `a`, is assumed not to wrap.")


FITS = (
    "for (unsigned i = 0; i < 100; i++) a[i * 0x10000u] = 1;",
    "for (unsigned i = 0; i < 0x10000; i++) a[i << 16] = 1;",
    "for (unsigned long i = 0; i < 4294967296; i++) a[(unsigned)i] = 1;",
    "for (unsigned i = 0; i < n; i++) a[i + 1] = 1;",
    "for (unsigned i = 0; i < n; i++) a[i * 12u] = 1;",
    "for (int i = 0; i < n; i++) a[i * 0x10000] = 1;",
    "for (unsigned long i = 0; i < n; i++) a[i * 0x10000u] = 1;",
    "for (unsigned long i = 0; i < n; i++) a[i] = b[(unsigned)i];",
    "for (int i = 0; i < n; i++) a[i + (int)n] = 1;",
)


@pytest.mark.parametrize("loop", FITS)
def test_nothing_is_said_of_subscripts_that_fit_or_are_ordinary(facts_of: Facts, loop: str) -> None:
    facts = facts_of(f"f(unsigned long n, double *restrict a, double *restrict b) {{ {loop} }}")
    assert [v.kind for v in facts.verdicts] == ["parallel"]
    assert said(facts) == []


def test_what_lowering_takes_for_granted_is_shown(facts_of: Facts) -> None:
    facts = facts_of("f(int n, double *a) { for (unsigned char i = 0; i < n; i++) a[i] = 1; }")
    (shown,) = [a for a in facts.assumptions if a.kind == "context"]
    assert (shown.subject, shown.text) == ("n", "`n` is assumed to be at most 255: `i` is an `unsigned char`.")
