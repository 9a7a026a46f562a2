"""Which of several values the sizes of one nest have together: those that follow from one statement.

`init(2, 1)` here and `init(1000, 10)` there set two members of a structure: 2 with 10 is in no run.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from warplens.analysis.program.sizes.value_set import KnownValue, SourceStep, ValueSet


def values_together(
    found: Mapping[str, ValueSet], path: str, function: str, weight: Callable[[dict[str, ValueSet]], float]
) -> dict[str, ValueSet]:
    """`found` with the values first that the heaviest statement gives, for a nest of that function.

    It is the statement that gives most of the sizes, the heaviest of several. Only values for which as much speaks as
    for the first are taken: a nearer one or one that somebody said stays.
    """
    rivals = {name: one.rivals(path, function) for name, one in found.items()}
    if not any(len(each) > 1 for each in rivals.values()):
        return dict(found)

    def given_by(statement: SourceStep) -> dict[str, ValueSet]:
        """Each size with the value that follows from a statement, where one does; of several the heaviest."""
        chosen = dict(found)
        for name, each in rivals.items():
            given = [_first(one, statement, found[name]) for one in each if statement in _steps(one)]
            if given:
                chosen[name] = (
                    given[0] if len(given) == 1 else max(given, key=lambda one: weight({**chosen, name: one}))
                )
        return chosen

    best, most = dict(found), (0, 0.0)
    for statement in dict.fromkeys(step for each in rivals.values() for one in each for step in _steps(one)):
        together = given_by(statement)
        given = sum(any(statement in _steps(one) for one in each) for each in rivals.values())
        heaviness = given, weight(together)
        if heaviness > most:
            best, most = together, heaviness
    return best


def _first(given: KnownValue, statement: SourceStep, found: ValueSet) -> ValueSet:
    """The values with one of them first, which follows from a statement in this way."""
    ways = (given.steps, *given.also)
    steps = next(way for way in ways if statement in way)
    first = replace(given, steps=steps, also=tuple(way for way in ways if way != steps))
    return ValueSet((first, *(one for one in found.values if one.value != given.value)), found.inputs)


def _steps(value: KnownValue) -> tuple[SourceStep, ...]:
    return tuple(step for way in (value.steps, *value.also) for step in way)
