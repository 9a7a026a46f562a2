"""Nests, facts and kernels of C text that needs no preprocessor, through the real front end.

Tests ask about the same texts for hundreds of machines and sizes: what is found of one is remembered. All of it is
immutable.
"""

from __future__ import annotations

from functools import lru_cache

from warplens.analysis.analyse_nest import analyse_nest
from warplens.analysis.engine.memo import Memo
from warplens.analysis.facts.nest_facts import Kernel, NestFacts
from warplens.analysis.frontend.comments.translation_unit import TranslationUnit
from warplens.analysis.frontend.parse_unit import parse_unit
from warplens.analysis.frontend.preprocessing.source import Preprocessed
from warplens.analysis.ir.nest import LoopNest


@lru_cache(maxsize=256)
def unit_of(source: str) -> TranslationUnit:
    unit = parse_unit(source, Preprocessed(f'# 1 "main.c"\n{source}', "main.c"), Memo())
    assert not unit.opaque, unit.opaque
    return unit


def nests_of(source: str) -> list[LoopNest]:
    """All nests, in source order."""
    return [lowered.nest for function in unit_of(source).functions for lowered in function.nests]


def only_nest(source: str) -> LoopNest:
    (nest,) = nests_of(source)
    return nest


@lru_cache(maxsize=256)
def facts_of(source: str) -> NestFacts:
    """Facts of the only nest."""
    return analyse_nest(only_nest(source))


def only_kernel(source: str) -> Kernel:
    """The only kernel of the only nest."""
    (kernel,) = facts_of(source).kernels
    return kernel
