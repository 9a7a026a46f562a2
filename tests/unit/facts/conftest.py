"""Nests from C text, through the real front end."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.analyse_nest import analyse_nest
from warplens.analysis.facts.nest_facts import NestFacts
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest


def nests_of(source: str) -> list[LoopNest]:
    """All nests of a translation unit that needs no preprocessing, in source order."""
    preprocessed = Preprocessed(f'# 1 "test.c"\n{source}', "test.c")
    unit = parse_unit(source, preprocessed, Memo())
    assert not unit.opaque, unit.opaque
    return [lowered.nest for function in unit.functions for lowered in function.nests]


@pytest.fixture(name="nests_of")
def nests_of_fixture() -> Callable[[str], list[LoopNest]]:
    return nests_of


@pytest.fixture
def facts_of() -> Callable[[str], NestFacts]:
    """Facts of the only nest of a function body; its parameters stand before the body: `f(int n, float *a) { ... }`."""

    def facts(source: str) -> NestFacts:
        (nest,) = nests_of(f"void {source}")
        return analyse_nest(nest)

    return facts
