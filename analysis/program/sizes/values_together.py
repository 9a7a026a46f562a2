"""Which of several values the sizes of one nest have together: those that follow from one statement.

`init(2, 1)` here and `init(1000, 10)` there set two members of a structure: 2 with 10 is in no run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from warplens.analysis.program.sizes.value_set import KnownValue, SourceStep, ValueSet


def values_together(
    found: Mapping[str, ValueSet], path: str, function: str, weight: Callable[[dict[str, ValueSet]], float]
) -> list[tuple[SourceStep | None, dict[str, ValueSet]]]:
    """`found` with the values first that one statement gives, for a nest of that function; the heaviest way first.

    The statements are those that give most of the sizes; without any it is `found` itself. Only values for which as
    much speaks as for the first are taken: a nearer one or one that somebody said stays.
    """
    rivals = {name: one.rivals(path, function) for name, one in found.items()}
    if not any(len(each) > 1 for each in rivals.values()):
        return [(None, dict(found))]

    def given_by(statement: SourceStep) -> dict[str, ValueSet]:
        """Each size with the value that follows from a statement, where one does; of several the heaviest."""
        chosen = dict(found)
        for name, each in rivals.items():
            given = [_first(one, statement, found[name]) for one in each if statement in _steps(one)]
            if len(given) == 1:
                chosen[name] = given[0]
            elif given:
                chosen[name] = max(given, key=lambda one: weight({**chosen, name: one}))
        return chosen

    statements = dict.fromkeys(step for each in rivals.values() for one in each for step in _steps(one))
    counts = {
        statement: sum(any(statement in _steps(one) for one in each) for each in rivals.values())
        for statement in statements
    }
    most = max(counts.values(), default=0)
    ways = [(statement, given_by(statement)) for statement, count in counts.items() if count == most]
    return sorted(ways, key=lambda way: -weight(way[1])) or [(None, dict(found))]


def _first(given: KnownValue, statement: SourceStep, found: ValueSet) -> ValueSet:
    """The values with one of them first, which follows from a statement in this way."""
    ways = (given.steps, *given.also)
    steps = next(way for way in ways if statement in way)
    first = replace(given, steps=steps, also=tuple(way for way in ways if way != steps))
    return ValueSet((first, *(one for one in found.values if one.value != given.value)), found.inputs)


def _steps(value: KnownValue) -> tuple[SourceStep, ...]:
    return tuple(step for way in (value.steps, *value.also) for step in way)
