"""Pointers that the analysis assumes to be apart, as a nest's loops need it."""

from __future__ import annotations

from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import loops_of


def assumed_pairs(facts: NestFacts) -> list[tuple[str, ...]]:
    """Names that are assumed to be apart for a loop to be parallel; one alone is an array of pointers to rows."""
    loops = [facts.verdict(loop.id) for loop in loops_of(facts.nest)]
    assumed = (a for v in loops if v.can_run_in_parallel for a in v.assumptions if a.kind == "alias")
    return [names for _, names in sorted({(a.subject, a.names) for a in assumed})]
