"""What is known of a number of the program: values that its stores give, where they come from, what else sets it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import IntEnum
from math import isfinite
from typing import Literal

MOST_VALUES = 16
"""Different values of one number that are kept apart."""
_MOST_STEPS = 5


@dataclass(frozen=True, slots=True)
class SourceStep:
    """A statement of the source on the way of a value: its text, its file, and on which line of its function it stands.

    Without a function the line counts the declarations of the file; without a path it is no statement.
    """

    text: str
    path: str
    function: str = ""
    line: int = 0


class Standing(IntEnum):
    """How much speaks for a value: somebody said it, every run of the program stores it, or a condition decides."""

    SAID = 0
    ALWAYS = 1
    CONDITIONAL = 2


@dataclass(frozen=True, slots=True)
class KnownValue:
    """A value, the statements that it follows from, the nearest first, and how much speaks for it.

    `also` are the statements of other ways to the same.
    """

    value: int | float
    steps: tuple[SourceStep, ...] = ()
    standing: Standing = Standing.ALWAYS
    also: tuple[tuple[SourceStep, ...], ...] = ()

    def through(self, step: SourceStep, standing: Standing = Standing.ALWAYS) -> KnownValue:
        """The same value one statement further on."""
        steps = (step, *(each for each in self.steps if each != step))
        return KnownValue(self.value, steps[:_MOST_STEPS], self.standing if standing is Standing.ALWAYS else standing)

    def joined(self, other: KnownValue) -> KnownValue:
        """The same value, for which more speaks than one of both says."""
        first, second = (other, self) if other.standing < self.standing else (self, other)
        if not second.also and (second.steps == first.steps or second.steps in first.also):
            return first
        also = dict.fromkeys((*first.also, second.steps, *second.also))
        also.pop(first.steps, None)
        return replace(first, also=tuple(also)[:_MOST_STEPS])

    def nearest(self, distance: Callable[[tuple[SourceStep, ...]], tuple[int, ...]]) -> KnownValue:
        """The value as the nearest of the ways to it gives it."""
        ways = (self.steps, *self.also)
        steps = min(ways, key=distance)
        return self if steps == self.steps else replace(self, steps=steps, also=tuple(w for w in ways if w != steps))

    def is_of(self, step: SourceStep) -> bool:
        """Whether the nearest statement is in the function of another one."""
        return bool(self.steps) and (self.steps[0].path, self.steps[0].function) == (step.path, step.function)


InputKind = Literal["unknown", "command line", "counted", "assumed"]


@dataclass(frozen=True, slots=True)
class Input:
    """What sets a number to something that the source does not tell: why, and where.

    It may be an `argument` of the program's command line, or be "counted" while the program runs. Where it is "assumed"
    the reason says what is, and nothing else is open.
    """

    reason: str
    at: SourceStep | None = None
    kind: InputKind = "unknown"
    argument: int | None = None
    is_conditional: bool = False

    def through(self, step: SourceStep, standing: Standing) -> Input:
        """The same input one statement further on: it stands where it was met first, what is assumed nowhere."""
        if self.kind == "assumed":
            return self
        is_conditional = self.is_conditional or standing is Standing.CONDITIONAL
        if self.at is not None and is_conditional == self.is_conditional:
            return self
        return replace(self, at=self.at or step, is_conditional=is_conditional)


@dataclass(frozen=True, slots=True)
class ValueSet:
    """All that a number may be: `values`, the likeliest first, and what `inputs` decide."""

    values: tuple[KnownValue, ...] = ()
    inputs: tuple[Input, ...] = ()

    @property
    def first(self) -> KnownValue | None:
        """The likeliest value."""
        return self.values[0] if self.values else None

    @property
    def open_inputs(self) -> tuple[Input, ...]:
        """What decides of the number besides the program, all that is assumed left out."""
        return tuple(one for one in self.inputs if one.kind != "assumed")

    def __or__(self, other: ValueSet) -> ValueSet:
        """What is one or the other."""
        if not other.values and not other.inputs:
            return self
        if not self.values and not self.inputs and len(other.values) < 2 and len(other.inputs) < 2:  # most are such
            return other
        known: dict[int | float, KnownValue] = {}
        for one in (*self.values, *other.values):
            earlier = known.get(one.value)
            known[one.value] = one if earlier is None else earlier.joined(one)
        ordered = sorted(known.values(), key=lambda one: one.standing)
        inputs = tuple(dict.fromkeys((*self.inputs, *other.inputs)))
        return ValueSet(tuple(ordered)[:MOST_VALUES], inputs[:MOST_VALUES])

    def through(self, step: SourceStep, standing: Standing = Standing.ALWAYS) -> ValueSet:
        """The same values one statement further on."""
        return ValueSet(
            tuple(one.through(step, standing) for one in self.values),
            tuple(one.through(step, standing) for one in self.inputs),
        )

    def nearest_first(self, path: str, function: str) -> ValueSet:
        """What a function itself stores, then what its file, its folder, then what others do; what is said stays first.

        Where a function itself takes a number from elsewhere, what others store does not count.
        """

        def of_value(one: KnownValue) -> tuple[bool, tuple[int, ...], Standing]:
            return one.standing is not Standing.SAID, of_way(one.steps), one.standing

        distance, of_way = _distances(path, function)
        values = tuple(sorted((one.nearest(of_way) for one in self.values), key=of_value))
        inputs = tuple(sorted(self.inputs, key=lambda one: 3 if one.at is None else distance(one.at)))
        nearest = next((one for one in inputs if one.kind != "assumed"), None)
        if nearest is not None and nearest.at and not nearest.is_conditional and distance(nearest.at) == 0:
            values = tuple(one for one in values if one.standing is Standing.SAID or of_way(one.steps)[0] == 0)
        return ValueSet(values, inputs)

    def of_files(self, may_meet: Callable[[str], bool]) -> ValueSet:
        """The values that follow from statements of files that may be in one program; all where none does."""

        def is_met(way: tuple[SourceStep, ...]) -> bool:
            return all(not step.path or may_meet(step.path) for step in way)

        met: list[KnownValue] = []
        for one in self.values:
            ways = tuple(way for way in (one.steps, *one.also) if is_met(way))
            if ways:
                met.append(replace(one, steps=ways[0], also=ways[1:]))
        return ValueSet(tuple(met), self.inputs) if met else self

    def rivals(self, path: str, function: str) -> tuple[KnownValue, ...]:
        """The values for which as much speaks, seen from a function, as for the likeliest one, which comes first."""
        _, of_way = _distances(path, function)
        alike = {(one.standing, of_way(one.steps)) for one in self.values[:1]}
        return tuple(one for one in self.values if (one.standing, of_way(one.steps)) in alike)

    def divided(self, by: int) -> ValueSet:
        """Numbers of elements for numbers of bytes."""
        found: dict[int, KnownValue] = {}
        for one in self.values:
            if isfinite(one.value):
                found.setdefault(int(one.value) // by, one)
        return ValueSet(tuple(replace(one, value=number) for number, one in found.items()), self.inputs)

    def likely(self) -> ValueSet:
        """The values that may be a size.

        Left out are zeros and what is negative, which only prepare for other values or follow on them, ones where an
        input gives others, and what a function begins to count from. Where the command line always says it, it is not
        what the program's own calls pass.
        """
        counting = {(one.at.path, one.at.function) for one in self.inputs if one.kind == "counted" and one.at}
        values = tuple(one for one in self.values if not counting or _function_of(one) not in counting)
        if any(one.kind == "command line" and not one.is_conditional for one in self.inputs):
            values = tuple(one for one in values if one.standing is Standing.SAID)
        elif self.open_inputs:
            values = tuple(one for one in values if one.value > 0 and one.value != 1)
        elif values:
            positive = tuple(one for one in values if one.value > 0)
            values = positive or tuple(one for one in values if one.value == 0) or values
        return ValueSet(values, self.inputs)

    def as_of_another(self) -> ValueSet:
        """The values as another place gets them, in which nothing is counted."""
        if all(one.kind != "counted" for one in self.inputs):
            return self
        inputs = (replace(one, kind="unknown") if one.kind == "counted" else one for one in self.inputs)
        return replace(self, inputs=tuple(inputs))


def _distances(
    path: str, function: str
) -> tuple[Callable[[SourceStep], int], Callable[[tuple[SourceStep, ...]], tuple[int, ...]]]:
    """How far statements, and ways of them, are from a function."""

    def distance(step: SourceStep) -> int:
        if step.path != path:
            return 2 if _folder(step.path) == _folder(path) else 3
        return int(step.function != function)

    def of_way(steps: tuple[SourceStep, ...]) -> tuple[int, ...]:
        found = tuple(map(distance, steps))
        return (*found[:2], min(found)) if found else (3,)

    return distance, of_way


def _folder(path: str) -> str:
    return path.replace("\\", "/").rpartition("/")[0]


def _function_of(value: KnownValue) -> tuple[str, str] | None:
    return (value.steps[0].path, value.steps[0].function) if value.steps else None


NOTHING = ValueSet()
