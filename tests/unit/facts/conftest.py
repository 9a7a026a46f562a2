"""Nests from C text, through the real front end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from support.c_nests import parsed
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.ir.nest import LoopNest


@pytest.fixture
def nests_of() -> Callable[[str], list[LoopNest]]:
    """All nests of a translation unit, in source order."""
    return parsed.nests_of


@pytest.fixture
def facts_of() -> Callable[[str], NestFacts]:
    """Facts of the only nest of a function body; its parameters stand before the body: `f(int n, float *a) { ... }`."""
    return lambda source: parsed.facts_of(f"void {source}")
