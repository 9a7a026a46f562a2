"""Sizes that can't all have the one default: a mask as wide as its grid would leave the grid's loops empty."""

from __future__ import annotations

from collections.abc import Mapping

from warplens.analysis.facts.nest_facts import NestFacts, TripCount
from warplens.analysis.ir.nest import loops_of
from warplens.analysis.ir.source_names import c_name

_SMALL = 3
"""What is taken away from a loop's range is mostly the width of a mask, or half of one: 3 has a neighbour each way."""


def small_defaults(facts: NestFacts, sizes: Mapping[str, int], free: frozenset[str]) -> dict[str, tuple[int, str]]:
    """Of the parameters in `free`, which only have a default, those that must be small for each loop to run.

    Each with its value and the iterator of a loop that was empty. One that guards before the nest exclude stays.
    """
    found: dict[str, tuple[int, str]] = {}
    values = dict(sizes)
    iterators = {loop.id: c_name(loop.iterator) for loop in loops_of(facts.nest)}
    for count in facts.trip_counts:
        if _runs(count, values):
            continue
        for name in sorted(count.average.parameters & free - found.keys()):
            tried = {**values, name: _SMALL}
            if _runs(count, tried) and _is_allowed(facts, tried):
                found[name] = _SMALL, iterators[count.loop]
                values = tried
                break
    return found


def _runs(count: TripCount, sizes: Mapping[str, int]) -> bool:
    try:
        return count.average.evaluate(sizes) > 0
    except (KeyError, ZeroDivisionError):
        return True


def _is_allowed(facts: NestFacts, sizes: Mapping[str, int]) -> bool:
    """Whether what is known before the nest holds."""
    known = (each.value for each in facts.nest.known if each.value.symbols <= sizes.keys())
    return all(value.evaluate(sizes) >= 0 for value in known)
